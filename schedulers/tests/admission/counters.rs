use schedulers::admission::{Alert, Count, Counters, Layer, Thresholds};

use super::{milliseconds, seconds};

#[test]
fn the_busiest_have_names_and_the_sums_are_exact() {
    let counters = Counters::<u32>::new(3, Thresholds::default());
    for tenant in 0..1_000 {
        counters.count(&tenant, None, seconds(0));
        for _ in 0..3 {
            counters.count(&7, Some(Layer::RateLimit), seconds(0));
            counters.count(&8, None, seconds(0));
        }
    }
    let report = counters.report(seconds(0));
    assert_eq!(report.len(), 4);
    let named: Vec<_> = report.iter().map(|count| count.tenant).collect();
    assert!(named[..2].contains(&Some(7)) && named[..2].contains(&Some(8)));
    assert_eq!(named[3], None);
    let asked: u64 = report.iter().map(Count::asked).sum();
    assert_eq!(asked, 7_000);
    let refused: u64 = report.iter().flat_map(|count| count.refused).sum();
    assert_eq!(refused, 3_000);
}

#[test]
fn refusals_alarm_by_the_last_whole_minute() {
    let counters = Counters::<u32>::new(2, Thresholds::default());
    let alert = |at| {
        let count = counters.report(seconds(at)).remove(0);
        (count.refused_ratio, count.refused_alert)
    };
    for request in 0..100 {
        let refused = (request % 10 == 0).then_some(Layer::Backlog);
        counters.count(&0, refused, seconds(30));
    }
    assert_eq!(alert(59), (None, Alert::Fine)); // this minute is not over
    assert_eq!(alert(60), (Some(0.1), Alert::Warning));
    assert_eq!(alert(120), (None, Alert::Fine)); // and is past
    for _ in 0..20 {
        counters.count(&0, Some(Layer::Backlog), seconds(130));
    }
    assert_eq!(alert(180), (Some(1.0), Alert::Critical));
    counters.count(&0, None, seconds(200));
    assert_eq!(alert(239), (Some(1.0), Alert::Critical));
    assert_eq!(alert(240), (Some(0.0), Alert::Fine)); // one request alarms nobody
}

#[test]
fn waits_alarm_by_their_95th_percentile() {
    let counters = Counters::<u32>::new(1, Thresholds::default());
    for wait in 1..=100 {
        counters.waited(&0, milliseconds(wait * 20));
    }
    let count = counters.report(seconds(0)).remove(0);
    let p95 = count.wait_p95.unwrap();
    assert!(
        (milliseconds(1_890)..=milliseconds(1_920)).contains(&p95),
        "{p95:?}"
    );
    assert_eq!(count.wait_alert, Alert::Warning);
    counters.waited(&1, seconds(100_000)); // takes the name over; an hour is the longest wait counted
    let others = counters.report(seconds(0)).pop().unwrap();
    assert_eq!(others.wait_p95, count.wait_p95);
}

#[test]
fn without_names_all_are_the_others() {
    let counters = Counters::<u32>::new(0, Thresholds::default());
    counters.count(&0, None, seconds(0));
    let report = counters.report(seconds(0));
    assert_eq!((report.len(), report[0].admitted), (1, 1));
}
