//! Many threads at one queue.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use schedulers::{Cost, Settings, SharedFairQueue, Tenant};

const PRODUCERS: u64 = 3;
const CONSUMERS: usize = 2;
const JOBS_EACH: u64 = 2_000;

/// Jobs are numbered by producer and then by order; each producer pushes for two tenants in turn.
fn stress(queue: &impl SharedFairQueue<u64>) {
    let tenant = |job: u64| Tenant::new(u32::try_from(job % 2).expect("0 or 1"));
    let total = usize::try_from(PRODUCERS * JOBS_EACH).expect("some thousands");
    let taken = AtomicUsize::new(0);
    let mut seen: Vec<u64> = thread::scope(|scope| {
        for producer in 0..PRODUCERS {
            scope.spawn(move || {
                for job in producer * JOBS_EACH..(producer + 1) * JOBS_EACH {
                    queue.push(tenant(job), Cost::UNIT, job).expect("no limits");
                    assert!(queue.len() <= total);
                }
            });
        }
        let consume = || {
            let mut own: Vec<u64> = Vec::new();
            while taken.load(Ordering::SeqCst) < total {
                let Some(next) = queue.take() else {
                    thread::yield_now();
                    continue;
                };
                taken.fetch_add(1, Ordering::SeqCst);
                assert_eq!(next.ticket.tenant(), tenant(next.job));
                own.push(next.job);
                queue.complete(next.ticket, Cost::UNIT);
            }
            for producer in 0..PRODUCERS {
                for index in 0..2 {
                    let of_both = |job: &&u64| {
                        **job / JOBS_EACH == producer && tenant(**job) == Tenant::new(index)
                    };
                    assert!(own.iter().filter(of_both).is_sorted());
                }
            }
            own
        };
        let consumers: Vec<_> = (0..CONSUMERS).map(|_| scope.spawn(consume)).collect();
        let joined = consumers
            .into_iter()
            .map(|consumer| consumer.join().expect("no panic"));
        joined.flatten().collect()
    });
    seen.sort_unstable();
    assert!(
        seen.into_iter().eq(0..PRODUCERS * JOBS_EACH),
        "each job exactly once"
    );
    assert_eq!(queue.len(), 0);
    assert_eq!(
        queue.in_flight(Tenant::new(0)) + queue.in_flight(Tenant::new(1)),
        0
    );
}

macro_rules! stress_each {
    ($($name:ident: $label:expr => $new:expr,)*) => {
        $(#[test]
        fn $name() {
            stress(&$new(&Settings::default()));
        })*
    };
}

/// CASES 37: crossbeam-rs/crossbeam/issues/523, and 44: cameron314/concurrentqueue/issues/157
mod every_job_comes_out_once_and_in_the_order_of_its_producer {
    use super::{Settings, stress};

    schedulers::for_each_shared_scheduler!(stress_each);
}
