//! Faults that people have reported in public, as tests of the lab's drivers and measures.

use harness::drive::{Pool, simulate};
use harness::log::EventKind::{Finished, Pushed, Started};
use harness::log::{Event, EventKind, Log};
use harness::measure::{Ledger, entitlement};
use harness::scheduler::{SCHEDULERS, Scheduler};
use harness::trace::{Job, Trace, TraceBuilder};
use schedulers::{Cost, Limits, Share};

/// Jobs as `(arrival_us, tenant, cost)`; a unit of cost takes a microsecond.
fn trace(jobs: impl IntoIterator<Item = (u64, &'static str, u32)>) -> Trace {
    let mut builder = TraceBuilder::new();
    for (arrival_us, name, cost) in jobs {
        let tenant = builder.tenant(name).expect("few tenants");
        let job = Job {
            arrival_us,
            service_us: u64::from(cost),
            tenant,
            cost: Cost::new(cost),
        };
        builder.add(job).expect("few jobs");
    }
    builder.finish().expect("a short run")
}

fn run(scheduler: Scheduler, trace: &Trace, workers: u32) -> Log {
    let pool = Pool {
        workers,
        limits: Limits::default(),
        rate_limit: None,
    };
    simulate(trace, &pool, &mut scheduler.build(&pool.settings(trace)))
}

/// Two tenants with as much work, one's jobs a hundred times as heavy: turns give it 99 % of the pool,
/// and the lab shows it; a scheduler that shares cost gives each half.
#[test]
fn equal_turns_are_not_equal_work() {
    let light = (0..10_000).map(|_| (0, "light", 100));
    let heavy = (0..100).map(|_| (0, "heavy", 10_000));
    let trace = trace(light.chain(heavy));
    let heavy = trace.find("heavy").expect("it has jobs");
    for &scheduler in SCHEDULERS {
        let pool = Pool {
            workers: 1,
            limits: Limits::default(),
            rate_limit: None,
        };
        let Some(promise) = scheduler.lag_max(&pool.settings(&trace)) else {
            continue;
        };
        let first = entitlement(&trace, &run(scheduler, &trace, 1), heavy).windows[0];
        let expected = match promise.share {
            Share::Turns => 0.98..=1.0,
            Share::Cost => 0.48..=0.52,
        };
        assert!(
            (0.49..=0.51).contains(&first.tenant_entitlement),
            "an equal split is half"
        );
        assert!(
            expected.contains(&first.tenant_share),
            "{}: {}",
            scheduler.name,
            first.tenant_share
        );
    }
}

/// Jobs that end at one instant end in the order in which they began, whatever else the heap holds.
#[test]
fn ties_keep_their_order_when_a_job_that_does_nothing_is_added() {
    let jobs = || (0..100).map(|_| (0, "busy", 1_000));
    let plain = trace(jobs());
    let with_nothing = trace(jobs().chain([(500, "idle", 0)]));
    let ends = |trace: &Trace| -> Vec<u32> {
        let log = run(SCHEDULERS[0], trace, 200);
        let is_busy_end = |event: &&Event| event.kind == Finished && event.job < 100;
        log.events
            .iter()
            .filter(is_busy_end)
            .map(|event| event.job)
            .collect()
    };
    assert_eq!(ends(&plain), (0..100).collect::<Vec<_>>());
    assert_eq!(ends(&plain), ends(&with_nothing));
}

/// An end and an arrival at one instant: the end comes first, so the worker is free.
#[test]
fn ends_come_before_arrivals_of_the_same_instant() {
    let trace = trace([(0, "first", 10), (10, "second", 10)]);
    let kinds: Vec<EventKind> = run(SCHEDULERS[0], &trace, 1)
        .events
        .iter()
        .map(|event| event.kind)
        .collect();
    assert_eq!(
        kinds,
        [Pushed, Started, Finished, Pushed, Started, Finished]
    );
}

/// However late or early the jobs were added, time in a log never goes back.
#[test]
fn time_never_goes_back() {
    let trace = trace(
        (0..1_000_u32).map(|place| (u64::from(place * 7_919 % 1_009), "jumping", place % 13)),
    );
    for &scheduler in SCHEDULERS {
        let log = run(scheduler, &trace, 3);
        assert!(
            log.events.is_sorted_by_key(|event| event.at_us),
            "{}",
            scheduler.name
        );
    }
}

/// A thousand jobs a second, and a pool that stops for a second at 5 s: the thousand jobs of that
/// second waited, though the generator itself was held up and pushed them late.
#[test]
fn a_stall_is_charged_to_every_job_that_it_delayed() {
    const SECOND_US: u64 = 1_000_000;
    let trace = trace((0..10_000).map(|place| (place * 1_000, "steady", 0)));
    let stall = 5 * SECOND_US..6 * SECOND_US;
    let mut events = Vec::new();
    for (job, arrival_us) in (0..).zip(trace.jobs().iter().map(|job| job.arrival_us)) {
        let at_us = if stall.contains(&arrival_us) {
            stall.end
        } else {
            arrival_us
        };
        let kinds = [Pushed, Started, Finished];
        events.extend(kinds.map(|kind| Event { at_us, job, kind }));
    }
    let log = Log {
        workers: 1,
        in_flight_max: u32::MAX,
        events,
    };
    let ledger = Ledger::new(&trace, &log);
    let waits = ledger.waits(0.into());
    let delayed = waits.iter().filter(|&&wait_us| wait_us > 0).count();
    assert_eq!(delayed, 1_000);
    assert_eq!(waits.last(), Some(&SECOND_US));
    assert_eq!(
        ledger.waits_of(ledger.tenants()).p95_us,
        Some(SECOND_US / 2),
        "they spread evenly over the second"
    );
}
