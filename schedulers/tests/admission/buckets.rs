use std::time::Duration;

use rand::RngExt;
use schedulers::Cost;
use schedulers::admission::{Bucket, Rate, RateLimit, Verdict};

use super::{SEED, limit, milliseconds, random, seconds};

fn grants(limit: &RateLimit, times: impl IntoIterator<Item = Duration>) -> u32 {
    let mut bucket = Bucket::full(Duration::ZERO);
    let mut granted = 0;
    for now in times {
        granted += u32::from(bucket.check(limit, Cost::UNIT, now).is_admitted());
    }
    granted
}

/// CASES 26: golang/go/issues/56287
#[test]
fn a_clock_that_steps_back_and_forth_mints_nothing() {
    let times = (0..100).map(|step| seconds(if step % 2 == 0 { 10 } else { 0 }));
    assert_eq!(grants(&limit(1, 1), times), 1);

    let mut random = random();
    let steps: Vec<_> = (0..10_000)
        .map(|_| milliseconds(random.random_range(0..60_000)))
        .collect();
    let span = steps.iter().max().unwrap().as_secs();
    let granted = grants(&limit(5, 3), steps);
    assert!(
        u64::from(granted) <= 5 + 3 * (span + 1),
        "seed {SEED}: {granted} in {span} s"
    );
}

/// CASES 28: firecracker-microvm/firecracker/pull/3370
#[test]
fn polling_often_loses_no_fraction() {
    for step in [1, 7, 99] {
        let burst = [Duration::ZERO; 10];
        let times = (1..=10_000 / step).map(|poll| milliseconds(poll * step));
        let granted = grants(&limit(10, 10), burst.into_iter().chain(times));
        assert!((109..=111).contains(&granted), "every {step} ms: {granted}");
    }
    // A rate that divides no second, asked every nanosecond and at once: the same to the last fraction.
    let odd = RateLimit {
        burst: 1_000,
        rate: Rate::try_from(3.000_001).unwrap(),
    };
    let mut bit_by_bit = Bucket::full(Duration::ZERO);
    let mut at_once = bit_by_bit;
    for bucket in [&mut bit_by_bit, &mut at_once] {
        assert!(
            bucket
                .check(&odd, Cost::new(1_000), Duration::ZERO)
                .is_admitted()
        );
    }
    for ns in 1..=100_000 {
        let _ = bit_by_bit.check(&odd, Cost::ZERO, Duration::from_nanos(ns));
    }
    let _ = at_once.check(&odd, Cost::ZERO, Duration::from_micros(100));
    assert_eq!(bit_by_bit, at_once);
}

/// CASES 29: golang/go/issues/47221, temporalio/temporal/pull/10327
#[test]
fn a_rate_or_burst_of_zero_ends_in_never() {
    let ask = |burst, per_second, times: u64| {
        let limit = limit(burst, per_second);
        let mut bucket = Bucket::full(Duration::ZERO);
        let verdicts = (0..times).map(|now| bucket.check(&limit, Cost::UNIT, seconds(now)));
        verdicts.reduce(|_, latest| latest).unwrap()
    };
    assert_eq!(ask(1, 0, 1), Verdict::Admitted { remaining: 0 });
    assert_eq!(ask(1, 0, 1_000), Verdict::Exhausted);
    assert_eq!(ask(0, 5, 1_000), Verdict::AboveBurst { burst: 0 });
    assert_eq!(ask(0, 0, 1), Verdict::AboveBurst { burst: 0 });
    assert_eq!(ask(1, 0, 1_000).retry_after(), None);
    for rate in [1e-300, -1.0, f64::NAN, f64::INFINITY, 1e300] {
        let refused = Rate::try_from(rate).unwrap_err();
        assert!(refused.to_string().contains("out of range"));
    }
}

/// CASES 30: boinkor-net/governor/issues/11, rwz/redis-gcra/issues/6
#[test]
fn a_request_of_the_whole_burst_passes_and_one_more_never() {
    let limit = limit(10, 1);
    let full = Bucket::full(Duration::ZERO);
    let ask = |cost: u32| {
        let mut bucket = full;
        (
            bucket.check(&limit, Cost::new(cost), Duration::ZERO),
            bucket == full,
        )
    };
    assert_eq!(ask(10), (Verdict::Admitted { remaining: 0 }, false));
    assert_eq!(ask(11), (Verdict::AboveBurst { burst: 10 }, true));
    assert_eq!(ask(u32::MAX), (Verdict::AboveBurst { burst: 10 }, true));
    assert_eq!(ask(0), (Verdict::Admitted { remaining: 10 }, true));
    assert_eq!(ask(1), (Verdict::Admitted { remaining: 9 }, false));
}

#[test]
fn a_refusal_changes_nothing_and_a_retry_at_its_instant_passes() {
    let mut random = random();
    for case in 0..20_000 {
        let rate = Rate::try_from(f64::from(random.random_range(1..50_000_000_u32)) / 1e6).unwrap();
        let limit = RateLimit {
            burst: random.random_range(1..1_000),
            rate,
        };
        let mut bucket = Bucket::full(Duration::ZERO);
        let mut now = 0_u64;
        for _ in 0..5 {
            // Sometimes back: a clock may step.
            now = now.saturating_add_signed(random.random_range(-400_000_000..1_000_000_000));
            let cost = Cost::new(random.random_range(0..=limit.burst));
            let before = bucket;
            let Verdict::Refused { retry_after } =
                bucket.check(&limit, cost, Duration::from_nanos(now))
            else {
                continue;
            };
            assert_eq!(before, bucket, "seed {SEED}, case {case}");
            let at = Duration::from_nanos(now) + retry_after;
            let (mut early, mut in_time) = (bucket, bucket);
            assert!(
                !early
                    .check(&limit, cost, at.saturating_sub(Duration::from_nanos(1)))
                    .is_admitted(),
                "seed {SEED}, case {case}"
            );
            assert!(
                in_time.check(&limit, cost, at).is_admitted(),
                "seed {SEED}, case {case}"
            );
        }
    }
}

#[test]
fn the_ends_of_the_ranges_neither_wrap_nor_panic() {
    let bounds = RateLimit {
        burst: u32::MAX,
        rate: Rate::per_second(u32::MAX),
    };
    let mut bucket = Bucket::full(Duration::ZERO);
    for now in [Duration::ZERO, Duration::MAX, Duration::ZERO, Duration::MAX] {
        let verdict = bucket.check(&bounds, Cost::MAX, now);
        assert!(verdict.is_admitted() || verdict.retry_after().is_some());
    }
    let slowest = RateLimit {
        burst: u32::MAX,
        rate: Rate::try_from(1e-6).unwrap(),
    };
    let mut bucket = Bucket::full(Duration::ZERO);
    assert!(
        bucket
            .check(&slowest, Cost::MAX, Duration::ZERO)
            .is_admitted()
    );
    let wait = bucket
        .check(&slowest, Cost::MAX, Duration::ZERO)
        .retry_after()
        .unwrap();
    assert_eq!(wait, seconds(u64::from(u32::MAX) * 1_000_000));
}

#[test]
fn a_change_of_limit_mints_no_token() {
    let (small, large) = (limit(25, 5), limit(100, 20));
    let mut bucket = Bucket::full(Duration::ZERO);
    assert!(
        bucket
            .check(&small, Cost::new(20), Duration::ZERO)
            .is_admitted()
    );
    bucket.change(&small, &large, seconds(1)); // five left, five gained by the old rate
    assert_eq!(bucket.remaining(&large, seconds(1)), 10);
    assert_eq!(bucket.remaining(&large, seconds(2)), 30);
    bucket.change(&large, &small, seconds(2));
    assert_eq!(bucket.remaining(&small, seconds(2)), 25);
    for _ in 0..100 {
        bucket.change(&small, &large, seconds(2));
        bucket.change(&large, &small, seconds(2));
    }
    assert_eq!(bucket.remaining(&small, seconds(2)), 25);
}
