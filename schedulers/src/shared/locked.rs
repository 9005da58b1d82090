//! One lock round any owned queue.
//!
//! A `parking_lot` mutex round a critical section of some ten nanoseconds is hard to beat on few
//! cores; this is the baseline of every shared design. A batch takes the lock once.

use crate::sync::Mutex;
use crate::{
    Cost, FairQueue, JobId, LagMax, Limits, Offer, Pushed, Refused, SharedFairQueue, Taken, Tenant,
    Ticket, UnknownTenant,
};

/// An owned queue behind one mutex: every method locks, does the same, and unlocks.
///
/// ```
/// use schedulers::{Cost, Locked, Settings, SharedFairQueue, Tenant, TenantQueue};
/// use schedulers::discipline::ActiveList;
///
/// let queue = Locked::new(TenantQueue::<ActiveList, _>::new(&Settings::default()));
/// std::thread::scope(|scope| {
///     scope.spawn(|| queue.push(Tenant::new(0), Cost::UNIT, "job").unwrap());
/// });
/// let taken = queue.take().unwrap();
/// assert_eq!(taken.job, "job");
/// queue.complete(taken.ticket, Cost::UNIT);
/// ```
#[derive(Debug, Default)]
pub struct Locked<Q> {
    queue: Mutex<Q>,
}

impl<Q> Locked<Q> {
    /// Shares a queue.
    pub fn new(queue: Q) -> Self {
        Self {
            queue: Mutex::new(queue),
        }
    }

    /// The queue, now that nobody shares it.
    pub fn into_inner(self) -> Q {
        self.queue.into_inner()
    }
}

impl<J: Send, Q: FairQueue<J> + Send> SharedFairQueue<J> for Locked<Q> {
    fn push(&self, tenant: Tenant, cost: Cost, job: J) -> Result<JobId, Refused<J>> {
        self.queue.lock().push(tenant, cost, job)
    }

    fn take(&self) -> Option<Taken<J>> {
        self.queue.lock().take()
    }

    fn complete(&self, ticket: Ticket, actual: Cost) {
        self.queue.lock().complete(ticket, actual);
    }

    fn cancel(&self, job: JobId) -> Option<J> {
        self.queue.lock().cancel(job)
    }

    fn configure(&self, tenant: Tenant, limits: Limits) -> Result<(), UnknownTenant> {
        self.queue.lock().configure(tenant, limits)
    }

    fn pause(&self, tenant: Tenant) -> Result<(), UnknownTenant> {
        self.queue.lock().pause(tenant)
    }

    fn resume(&self, tenant: Tenant) -> Result<(), UnknownTenant> {
        self.queue.lock().resume(tenant)
    }

    fn remove(&self, tenant: Tenant) -> Vec<J> {
        self.queue.lock().remove(tenant)
    }

    fn release(&self, tenant: Tenant) -> bool {
        self.queue.lock().release(tenant)
    }

    fn close(&self) {
        self.queue.lock().close();
    }

    fn close_and_reclaim(&self) -> Vec<(Tenant, J)> {
        self.queue.lock().close_and_reclaim()
    }

    fn is_closed(&self) -> bool {
        self.queue.lock().is_closed()
    }

    fn backlog(&self, tenant: Tenant) -> usize {
        self.queue.lock().backlog(tenant)
    }

    fn in_flight(&self, tenant: Tenant) -> usize {
        self.queue.lock().in_flight(tenant)
    }

    fn len(&self) -> usize {
        self.queue.lock().len()
    }

    fn lag_max(&self) -> Option<LagMax> {
        self.queue.lock().lag_max()
    }

    fn take_batch(&self, max: usize, taken: &mut Vec<Taken<J>>) -> usize {
        self.queue.lock().take_batch(max, taken)
    }

    fn push_batch(&self, offers: &mut Vec<Offer<J>>, pushed: &mut Vec<Pushed<J>>) {
        self.queue.lock().push_batch(offers, pushed);
    }

    fn complete_batch(&self, done: &mut Vec<(Ticket, Cost)>) {
        self.queue.lock().complete_batch(done);
    }
}
