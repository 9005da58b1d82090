//! Many threads, and handles that change hands under them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use schedulers::keyed::KeyedRefusal;
use schedulers::{Cost, Settings};

use super::shared;

const PRODUCERS: u32 = 3;
const CONSUMERS: usize = 2;
const JOBS_EACH: u32 = 20_000;
/// Far more names than handles, so that most pushes make a name known and most names are forgotten
/// between two of their jobs.
const NAMES: u32 = 40;
const TENANTS_MAX: u32 = 24;

/// Jobs are numbered by producer and then by order; the number says the name.
fn name(job: u32) -> String {
    (job.wrapping_mul(2_654_435_761) >> 16)
        .wrapping_rem(NAMES)
        .to_string()
}

/// A push that looked up a handle just before it was given to another name would put its job there: then
/// the name of a job in flight has none in flight.
#[test]
fn no_job_lands_with_another_name_while_handles_change_hands() {
    let settings = Settings {
        tenants_max: TENANTS_MAX,
        ..Settings::default()
    };
    let queue = shared(&settings);
    let total = PRODUCERS * JOBS_EACH;
    let taken = AtomicU32::new(0);
    let is_over = AtomicBool::new(false);
    let produce = |producer: u32| {
        for job in producer * JOBS_EACH..(producer + 1) * JOBS_EACH {
            while let Err(refused) = queue.push(&name(job), Cost::UNIT, job) {
                assert_eq!(refused.job, job);
                assert!(matches!(refused.refusal, KeyedRefusal::TooManyTenants(_)));
                thread::yield_now();
            }
        }
    };
    let consume = || {
        let mut own: HashMap<(u32, String), Vec<u32>> = HashMap::new();
        while taken.load(Ordering::SeqCst) < total {
            let Some(next) = queue.take() else {
                thread::yield_now();
                continue;
            };
            taken.fetch_add(1, Ordering::SeqCst);
            let key = next.ticket.key().clone();
            assert_eq!(key, name(next.job));
            assert!(
                queue.in_flight(&key) > 0,
                "the job of {key} is in flight elsewhere"
            );
            own.entry((next.job / JOBS_EACH, key))
                .or_default()
                .push(next.job);
            queue.complete(next.ticket, Cost::UNIT);
        }
        own
    };
    // Lets go of whoever is idle, while others push for them.
    let release = || {
        let mut job = 0_u32;
        while !is_over.load(Ordering::SeqCst) {
            job = job.wrapping_add(1);
            queue.release(&name(job));
        }
    };
    let mut seen: Vec<u32> = thread::scope(|scope| {
        for producer in 0..PRODUCERS {
            scope.spawn(move || produce(producer));
        }
        scope.spawn(release);
        let consumers: Vec<_> = (0..CONSUMERS).map(|_| scope.spawn(consume)).collect();
        let mut seen = Vec::new();
        let ends: Vec<_> = consumers
            .into_iter()
            .map(thread::ScopedJoinHandle::join)
            .collect();
        is_over.store(true, Ordering::SeqCst);
        for end in ends {
            for jobs in end.expect("no panic").into_values() {
                assert!(jobs.is_sorted(), "the order of a producer and a name");
                seen.extend(jobs);
            }
        }
        seen
    });
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..total), "each job exactly once");
    assert_eq!(queue.len(), 0);
    for index in 0..NAMES {
        let key = index.to_string();
        assert_eq!((queue.backlog(&key), queue.in_flight(&key)), (0, 0));
        let _ = queue.take(); // passes over places of those who left
        assert!(queue.release(&key), "nobody holds an idle tenant");
    }
    queue.for_each_key(|key| panic!("{key:?} is still known"));
}
