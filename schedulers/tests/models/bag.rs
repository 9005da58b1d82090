//! The smallest queue without a lock: a number of jobs of one tenant. A take that finds none writes
//! nothing, so only a fence orders it against a push; `FENCED` says whether there is one.

use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use schedulers::{
    Cost, Identity, JobId, LagMax, Limits, Offer, Pushed, Refused, SharedFairQueue, Taken, Tenant,
    Ticket, UnknownTenant,
};

#[derive(Debug)]
pub(crate) struct Bag<const FENCED: bool> {
    jobs: AtomicUsize,
    closed: AtomicBool,
    identity: Identity,
}

impl<const FENCED: bool> Bag<FENCED> {
    pub(crate) fn new() -> Self {
        Self {
            jobs: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
            identity: Identity::new(),
        }
    }
}

impl<const FENCED: bool> SharedFairQueue<()> for Bag<FENCED> {
    fn push(&self, tenant: Tenant, _cost: Cost, (): ()) -> Result<JobId, Refused<()>> {
        // Release, pairs with the acquire of `take`.
        self.jobs.fetch_add(1, Ordering::Release);
        Ok(self.identity.name(tenant, 0, 0))
    }

    fn take(&self) -> Option<Taken<()>> {
        let less = |jobs: usize| jobs.checked_sub(1);
        let (acquire, relaxed) = (Ordering::Acquire, Ordering::Relaxed);
        self.jobs.fetch_update(acquire, relaxed, less).ok()?;
        let ticket = self.identity.issue(Tenant::new(0), Cost::UNIT);
        Some(Taken { job: (), ticket })
    }

    fn complete(&self, _ticket: Ticket, _actual: Cost) {}

    fn release(&self, _tenant: Tenant) -> bool {
        false
    }

    fn close(&self) {
        // Release, pairs with the acquire of `is_closed`.
        self.closed.store(true, Ordering::Release);
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    fn backlog(&self, _tenant: Tenant) -> usize {
        self.len()
    }

    fn len(&self) -> usize {
        self.jobs.load(Ordering::Acquire)
    }

    fn fence(&self) {
        if FENCED {
            fence(Ordering::SeqCst);
        }
    }

    fn cancel(&self, _job: JobId) -> Option<()> {
        None
    }

    fn configure(&self, _tenant: Tenant, _limits: Limits) -> Result<(), UnknownTenant> {
        Ok(())
    }

    fn pause(&self, _tenant: Tenant) -> Result<(), UnknownTenant> {
        Ok(())
    }

    fn resume(&self, _tenant: Tenant) -> Result<(), UnknownTenant> {
        Ok(())
    }

    fn remove(&self, _tenant: Tenant) -> Vec<()> {
        Vec::new()
    }

    fn close_and_reclaim(&self) -> Vec<(Tenant, ())> {
        self.close();
        Vec::new()
    }

    fn in_flight(&self, _tenant: Tenant) -> usize {
        0
    }

    fn lag_max(&self) -> Option<LagMax> {
        None
    }

    fn take_batch(&self, _max: usize, _taken: &mut Vec<Taken<()>>) -> usize {
        0
    }

    fn push_batch(&self, _offers: &mut Vec<Offer<()>>, _pushed: &mut Vec<Pushed<()>>) {}

    fn complete_batch(&self, _done: &mut Vec<(Ticket, Cost)>) {}
}
