//! A shared queue under the laws of owned ones.

use crate::{
    Cost, FairQueue, JobId, LagMax, Limits, Refused, SharedFairQueue, Taken, Tenant, Ticket,
    UnknownTenant,
};

/// A shared queue, used through the adapter that makes a reference to it an owned queue. So a
/// [`Subject`](super::Subject) can hold it, and the laws check the adapter with it.
#[derive(Debug)]
pub struct Lowered<Q>(pub Q);

impl<J, Q: SharedFairQueue<J>> FairQueue<J> for Lowered<Q> {
    fn push(&mut self, tenant: Tenant, cost: Cost, job: J) -> Result<JobId, Refused<J>> {
        FairQueue::push(&mut &self.0, tenant, cost, job)
    }

    fn take(&mut self) -> Option<Taken<J>> {
        FairQueue::take(&mut &self.0)
    }

    fn complete(&mut self, ticket: Ticket, actual: Cost) {
        FairQueue::complete(&mut &self.0, ticket, actual);
    }

    fn cancel(&mut self, job: JobId) -> Option<J> {
        FairQueue::cancel(&mut &self.0, job)
    }

    fn configure(&mut self, tenant: Tenant, limits: Limits) -> Result<(), UnknownTenant> {
        FairQueue::configure(&mut &self.0, tenant, limits)
    }

    fn pause(&mut self, tenant: Tenant) -> Result<(), UnknownTenant> {
        FairQueue::pause(&mut &self.0, tenant)
    }

    fn resume(&mut self, tenant: Tenant) -> Result<(), UnknownTenant> {
        FairQueue::resume(&mut &self.0, tenant)
    }

    fn remove(&mut self, tenant: Tenant) -> Vec<J> {
        FairQueue::remove(&mut &self.0, tenant)
    }

    fn close(&mut self) {
        FairQueue::close(&mut &self.0);
    }

    fn close_and_reclaim(&mut self) -> Vec<(Tenant, J)> {
        FairQueue::close_and_reclaim(&mut &self.0)
    }

    fn is_closed(&self) -> bool {
        FairQueue::is_closed(&&self.0)
    }

    fn backlog(&self, tenant: Tenant) -> usize {
        FairQueue::backlog(&&self.0, tenant)
    }

    fn in_flight(&self, tenant: Tenant) -> usize {
        FairQueue::in_flight(&&self.0, tenant)
    }

    fn len(&self) -> usize {
        FairQueue::len(&&self.0)
    }

    fn lag_max(&self) -> Option<LagMax> {
        FairQueue::lag_max(&&self.0)
    }

    fn take_batch(&mut self, max: usize, taken: &mut Vec<Taken<J>>) -> usize {
        FairQueue::take_batch(&mut &self.0, max, taken)
    }
}
