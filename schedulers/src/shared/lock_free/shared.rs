//! The queue as everybody uses it.

use super::LockFree;
use super::lane::Lane;
use super::policy::Policy;
use crate::sync::epoch::{free_now, pin};
use crate::sync::sequential::Ordering;
use crate::{
    Cost, JobId, LagMax, Limits, Offer, Pushed, Refused, SharedFairQueue, Taken, Tenant, Ticket,
    UnknownTenant,
};

impl<P: Policy, J: Send> SharedFairQueue<J> for LockFree<P, J> {
    fn push(&self, tenant: Tenant, cost: Cost, job: J) -> Result<JobId, Refused<J>> {
        self.push_pinned(Offer { tenant, cost, job }, &pin())
    }

    fn take(&self) -> Option<Taken<J>> {
        self.policy.take(self, &pin())
    }

    fn complete(&self, ticket: Ticket, actual: Cost) {
        self.land(&ticket, actual);
    }

    fn cancel(&self, job: JobId) -> Option<J> {
        self.cancel_pinned(job, &pin())
    }

    fn configure(&self, tenant: Tenant, limits: Limits) -> Result<(), UnknownTenant> {
        self.check(tenant)?;
        self.change(tenant, |lane, guard| {
            let is_reweighed = lane.configure(&limits);
            if is_reweighed {
                self.policy.reweighed(self, tenant, lane, guard);
            }
            if !lane.gate().is_open() {
                self.policy.parked(self, tenant, lane, guard);
            }
        });
        Ok(())
    }

    fn pause(&self, tenant: Tenant) -> Result<(), UnknownTenant> {
        self.check(tenant)?;
        self.change(tenant, |lane, guard| {
            lane.set_paused(true);
            self.policy.parked(self, tenant, lane, guard);
        });
        Ok(())
    }

    fn resume(&self, tenant: Tenant) -> Result<(), UnknownTenant> {
        self.check(tenant)?;
        let guard = pin();
        if let Some(lane) = self.table.lane(tenant, &guard) {
            lane.set_paused(false);
            self.announce(tenant, lane);
        }
        Ok(())
    }

    fn remove(&self, tenant: Tenant) -> Vec<J> {
        let mut jobs = Vec::with_capacity(SharedFairQueue::<J>::backlog(self, tenant));
        // Those that are there now, as others may go on pushing.
        let end = self.table.lane(tenant, &pin()).map_or(0, Lane::end);
        while self.withdraw_some(tenant, end, &mut jobs) {}
        if self.forget(tenant) {
            free_now();
        }
        jobs
    }

    fn release(&self, tenant: Tenant) -> bool {
        let guard = pin();
        let Some(lane) = self.table.lane(tenant, &guard) else {
            return true;
        };
        let is_idle = lane.backlog() == 0 && lane.in_flight() == 0;
        let is_vacant = is_idle && lane.is_vacant(self.table.limits());
        // There is nothing to forget, but perhaps a lane to free: that makes sure for itself.
        if is_vacant && self.table.removed(tenant, &guard) {
            drop(guard);
            free_now();
        }
        is_vacant
    }

    fn close(&self) {
        self.closed.store(1, Ordering::SeqCst);
    }

    fn close_and_reclaim(&self) -> Vec<(Tenant, J)> {
        self.close();
        let mut reclaimed = Vec::with_capacity(self.len());
        for tenant in self.table.tenants() {
            let jobs = self.remove(tenant);
            reclaimed.extend(jobs.into_iter().map(|job| (tenant, job)));
        }
        reclaimed
    }

    fn is_closed(&self) -> bool {
        self.is_shut()
    }

    fn backlog(&self, tenant: Tenant) -> usize {
        let guard = pin();
        let lane = self.table.lane(tenant, &guard);
        lane.map_or(0, |lane| lane.backlog() as usize)
    }

    fn in_flight(&self, tenant: Tenant) -> usize {
        let guard = pin();
        let lane = self.table.lane(tenant, &guard);
        lane.map_or(0, Lane::in_flight)
    }

    fn len(&self) -> usize {
        self.count()
    }

    fn lag_max(&self) -> Option<LagMax> {
        Some(self.policy.lag_max())
    }

    fn take_batch(&self, max: usize, taken: &mut Vec<Taken<J>>) -> usize {
        let (guard, before) = (pin(), taken.len());
        taken.extend(std::iter::from_fn(|| self.policy.take(self, &guard)).take(max));
        taken.len() - before
    }

    fn push_batch(&self, offers: &mut Vec<Offer<J>>, pushed: &mut Vec<Pushed<J>>) {
        let guard = pin();
        pushed.extend(
            offers
                .drain(..)
                .map(|offer| self.push_pinned(offer, &guard)),
        );
    }

    fn complete_batch(&self, done: &mut Vec<(Ticket, Cost)>) {
        for (ticket, actual) in done.drain(..) {
            self.land(&ticket, actual);
        }
    }
}
