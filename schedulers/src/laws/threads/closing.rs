//! The laws of closing while others push and take.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::pool::{Pool, TENANTS, join_all};
use super::{SharedLaw, SharedSubject};
use crate::laws::law::Breach;
use crate::laws::{Effort, Job};
use crate::{Cost, Refusal, Settings, SharedFairQueue, Tenant};

pub(super) const CLOSE_UNDER_THREADS: SharedLaw = SharedLaw {
    name: "close_under_threads",
    statement: "no push is accepted once one was refused as closed, or close has returned; what was \
                accepted before can be taken; closed and nothing to take means that nothing will come",
    verify: |subject, effort| {
        close_often(subject, effort, |queue| {
            queue.close();
            Vec::new()
        })
    },
};

pub(super) const RECLAIM_UNDER_THREADS: SharedLaw = SharedLaw {
    name: "reclaim_under_threads",
    statement: "close_and_reclaim gives back each job that no take has taken, in the order of the \
                handles, and each of a tenant in its order",
    verify: |subject, effort| close_often(subject, effort, |queue| queue.close_and_reclaim()),
};

/// Closes a queue in some way, and gives what came back.
type Close = fn(&dyn SharedFairQueue<Job>) -> Vec<(Tenant, Job)>;

/// Pushes that each producer would make of one queue.
const JOBS_EACH: u64 = 300;

fn close_often(subject: &SharedSubject, effort: &Effort, close: Close) -> Result<u64, Breach> {
    let mut operations = 0;
    let mut round = 0;
    while operations < effort.operations / 4 {
        round += 1;
        let pool = Pool::new(2, JOBS_EACH, effort.seed.wrapping_add(round));
        operations += close_once(subject, &pool, close)?.max(1);
    }
    Ok(operations)
}

/// One queue, closed when about so many pushes were begun as the seed says.
fn close_once(subject: &SharedSubject, pool: &Pool, close: Close) -> Result<u64, Breach> {
    let queue = (subject.new)(&Settings::default());
    let queue = &*queue;
    let is_closed = AtomicBool::new(false);
    pool.add_active();
    thread::scope(|scope| {
        let is_closed = &is_closed;
        let producers: Vec<_> = (0..pool.producers)
            .map(|producer| {
                scope.spawn(move || push_until_closed(pool, queue, producer, is_closed))
            })
            .collect();
        let consumers: Vec<_> = (0..2)
            .map(|_| scope.spawn(|| pool.consume(queue, usize::MAX).map(|_| ())))
            .collect();
        let closer = scope.spawn(|| {
            let _guard = pool.guard();
            let due = pool.random(0xC105) % (pool.producers * JOBS_EACH);
            while pool.begun.load(Ordering::SeqCst) < due && pool.active() > 1 {
                thread::yield_now();
            }
            let reclaimed = close(queue);
            is_closed.store(true, Ordering::SeqCst);
            if !queue.is_closed() || !is_refused(queue, Tenant::new(0)) {
                return pool.fail("a closed queue", "an open one".into());
            }
            let of_producer = |&(tenant, job): &(Tenant, Job)| (tenant, job / JOBS_EACH);
            let is_sorted = reclaimed.is_sorted_by_key(|&(tenant, _)| tenant)
                && (0..pool.producers).all(|producer| {
                    let own = reclaimed
                        .iter()
                        .filter(|&one| of_producer(one).1 == producer);
                    own.is_sorted()
                });
            if !is_sorted {
                return pool.fail("reclaimed jobs in order", format!("{reclaimed:?}"));
            }
            for (_, job) in reclaimed {
                pool.enter(job)?;
            }
            pool.end_active();
            Ok(())
        });
        let producers = join_all(producers);
        let closer = join_all([closer]);
        join_all(consumers).and(producers).and(closer)
    })?;
    pool.check_ended(queue)
}

fn push_until_closed(
    pool: &Pool,
    queue: &dyn SharedFairQueue<Job>,
    producer: u64,
    is_closed: &AtomicBool,
) -> Result<(), Breach> {
    let _guard = pool.guard();
    for job in pool.jobs_of(producer) {
        let offer = pool.offer(job);
        let was_closed = is_closed.load(Ordering::SeqCst);
        match queue.push(offer.tenant, offer.cost, offer.job) {
            Ok(_) if was_closed => return pool.fail("a refused push", "an accepted one".into()),
            Ok(_) => pool.accept(1),
            Err(refused) if refused.refusal == Refusal::Closed && refused.job == job => {
                // Closed for one tenant is closed for all.
                let mut all = (0..TENANTS).map(Tenant::new);
                if !queue.is_closed() || !all.all(|tenant| is_refused(queue, tenant)) {
                    return pool.fail("a queue closed for all", "a push accepted".into());
                }
                break;
            }
            Err(refused) => return pool.fail("a push closed off", refused.to_string()),
        }
    }
    pool.end_active();
    Ok(())
}

fn is_refused(queue: &dyn SharedFairQueue<Job>, tenant: Tenant) -> bool {
    let refused = queue.push(tenant, Cost::UNIT, Job::MAX);
    refused.is_err_and(|refused| refused.refusal == Refusal::Closed)
}
