//! A shared queue whose takes can wait: for threads, with a timeout, and for tasks of any runtime.
//!
//! **The protocol.** Whoever finds nothing puts itself on a list, looks once more, and sleeps. Whoever
//! does something that can make a job takable does it, and then wakes one sleeper for every such job:
//! as many *more* sleepers, so that two pushes in a row wake two workers, also if the first of them has
//! not yet run. Between the two steps of either side stands the queue's
//! [`fence`](SharedFairQueue::fence), so one of the two sees the other: no wake-up is lost. With nobody
//! on the list, that is one atomic load for each operation.
//!
//! **No baton.** A worker that took a job wakes nobody for the next one, since every job had a wake-up
//! of its own. That rests on one promise of a [`SharedFairQueue`]: a `take` that answers `None` has not
//! passed over a job that could be taken all the while.
//!
//! **Wake-ups in vain** send a worker back to sleep: when another worker, one that did not sleep, was
//! quicker; and when a tenant at its cap pushes. They are never more than the operations that caused
//! them; with nothing going on, there are none.
//!
//! The list, and what it does when a sleeper gives up, is the `event-listener` crate's.

mod budget;
mod sleepers;
mod take;

use std::panic::{self, AssertUnwindSafe};

use sleepers::{Sleeper, Sleepers};
pub use take::Closed;

use crate::{
    Cost, JobId, LagMax, Limits, Offer, Pushed, Refused, SharedFairQueue, Taken, Tenant, Ticket,
    UnknownTenant,
};

/// A shared queue whose takes can wait. It is a [`SharedFairQueue`] itself, whose operations wake
/// those who wait; feature `waiting`.
///
/// | a take | when nothing is eligible | dropped or timed out |
/// |---|---|---|
/// | [`take`](SharedFairQueue::take), [`take_batch`](SharedFairQueue::take_batch) | say so | |
/// | [`take_blocking`](Self::take_blocking) | blocks the thread | |
/// | [`take_timeout`](Self::take_timeout) | blocks the thread for a while | loses nothing |
/// | [`take_async`](Self::take_async) | suspends the task | loses nothing |
///
/// Those who wait sleep until a push, a completion that frees a slot, or a change of limits may have
/// made a job takable: one job wakes one of them. [`close`](SharedFairQueue::close) wakes all; they
/// take what is left and then get [`Closed`]. Jobs of a tenant at its cap are still to come, so a closed
/// queue ends when the last of them was taken; those of a paused tenant keep it open until the tenant is
/// resumed or [`close_and_reclaim`](SharedFairQueue::close_and_reclaim) fetches them.
///
/// For a batch, wait for its first job, then [`take_batch`](SharedFairQueue::take_batch) the others.
///
/// ```
/// use schedulers::discipline::Rotation;
/// use schedulers::{Cost, Locked, Settings, SharedFairQueue, Tenant, TenantQueue, Waiting};
///
/// let queue = Waiting::new(Locked::new(TenantQueue::<Rotation, _>::new(&Settings::default())));
/// std::thread::scope(|scope| {
///     let worker = scope.spawn(|| {
///         let mut done = 0;
///         while let Ok(taken) = queue.take_blocking() {
///             done += taken.job;
///             queue.complete(taken.ticket, Cost::UNIT);
///         }
///         done
///     });
///     for job in 1..=4 {
///         queue.push(Tenant::new(job % 2), Cost::UNIT, job).unwrap();
///     }
///     queue.close(); // what waits is still taken
///     assert_eq!(worker.join().unwrap(), 10);
/// });
/// ```
#[derive(Debug, Default)]
pub struct Waiting<Q> {
    queue: Q,
    sleepers: Sleepers,
}

impl<Q> Waiting<Q> {
    /// Lets takes of this queue wait.
    pub fn new(queue: Q) -> Self {
        Self {
            queue,
            sleepers: Sleepers::default(),
        }
    }

    /// The queue, now that nobody waits at it.
    pub fn into_inner(self) -> Q {
        self.queue
    }

    /// Puts the caller on the list, in time for one more look.
    fn listen<J>(&self) -> Sleeper<'_>
    where
        Q: SharedFairQueue<J>,
    {
        let sleeper = self.sleepers.listen();
        self.queue.fence();
        sleeper
    }

    /// Whether no job will ever come again.
    fn is_over<J>(&self) -> bool
    where
        Q: SharedFairQueue<J>,
    {
        self.queue.is_closed() && self.queue.is_empty()
    }

    /// To be called after what may have made jobs takable: wakes a sleeper for each.
    #[inline]
    fn wake<J>(&self, jobs: impl FnOnce(&Q) -> usize)
    where
        Q: SharedFairQueue<J>,
    {
        self.queue.fence();
        if self.sleepers.any() {
            self.sleepers.wake(jobs(&self.queue));
        }
    }

    /// To be called after what may have emptied the queue: of a closed one, all must learn of it.
    #[inline]
    fn wake_if_over<J>(&self)
    where
        Q: SharedFairQueue<J>,
    {
        self.queue.fence();
        if self.sleepers.any() && self.is_over() {
            self.sleepers.wake_all();
        }
    }
}

impl<J, Q: SharedFairQueue<J>> SharedFairQueue<J> for Waiting<Q> {
    fn push(&self, tenant: Tenant, cost: Cost, job: J) -> Result<JobId, Refused<J>> {
        let accepted = self.queue.push(tenant, cost, job)?;
        self.wake(|_| 1);
        Ok(accepted)
    }

    fn take(&self) -> Option<Taken<J>> {
        let taken = self.queue.take()?;
        self.wake_if_over();
        Some(taken)
    }

    fn complete(&self, ticket: Ticket, actual: Cost) {
        let tenant = ticket.tenant();
        self.queue.complete(ticket, actual);
        // Below its cap or not, a tenant has one job more to give at most, if one waits.
        self.wake(|queue| queue.backlog(tenant).min(1));
    }

    fn cancel(&self, job: JobId) -> Option<J> {
        let cancelled = self.queue.cancel(job)?;
        self.wake_if_over();
        Some(cancelled)
    }

    fn configure(&self, tenant: Tenant, limits: Limits) -> Result<(), UnknownTenant> {
        self.queue.configure(tenant, limits)?;
        self.wake(|queue| queue.backlog(tenant));
        Ok(())
    }

    fn pause(&self, tenant: Tenant) -> Result<(), UnknownTenant> {
        self.queue.pause(tenant)
    }

    fn resume(&self, tenant: Tenant) -> Result<(), UnknownTenant> {
        self.queue.resume(tenant)?;
        self.wake(|queue| queue.backlog(tenant));
        Ok(())
    }

    fn remove(&self, tenant: Tenant) -> Vec<J> {
        let removed = self.queue.remove(tenant);
        // A job pushed meanwhile may have been held up by the limits or the pause that went.
        self.wake(|queue| queue.backlog(tenant));
        self.wake_if_over();
        removed
    }

    fn close(&self) {
        self.queue.close();
        self.wake(|_| usize::MAX);
    }

    fn close_and_reclaim(&self) -> Vec<(Tenant, J)> {
        let reclaimed = self.queue.close_and_reclaim();
        self.wake(|_| usize::MAX);
        reclaimed
    }

    fn is_closed(&self) -> bool {
        self.queue.is_closed()
    }

    fn backlog(&self, tenant: Tenant) -> usize {
        self.queue.backlog(tenant)
    }

    fn in_flight(&self, tenant: Tenant) -> usize {
        self.queue.in_flight(tenant)
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn lag_max(&self) -> Option<LagMax> {
        self.queue.lag_max()
    }

    fn take_batch(&self, max: usize, taken: &mut Vec<Taken<J>>) -> usize {
        let jobs = self.queue.take_batch(max, taken);
        if jobs > 0 {
            self.wake_if_over();
        }
        jobs
    }

    fn push_batch(&self, offers: &mut Vec<Offer<J>>, pushed: &mut Vec<Pushed<J>>) {
        let before = pushed.len();
        self.queue.push_batch(offers, pushed);
        self.wake(|_| pushed[before..].iter().filter(|push| push.is_ok()).count());
    }

    fn complete_batch(&self, done: &mut Vec<(Ticket, Cost)>) {
        let tickets = done.len();
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| self.queue.complete_batch(done)));
        // Before a foreign ticket may have come good ones, which freed slots.
        self.wake(|queue| queue.len().min(tickets));
        if let Err(foreign) = outcome {
            panic::resume_unwind(foreign);
        }
    }

    fn fence(&self) {
        self.queue.fence();
    }
}
