//! The naive queue: the ledger, served by rotation over the handles. Obviously right, and O(n).

use super::ledger::Ledger;
use crate::{
    Cost, FairQueue, Identity, JobId, LagMax, Limits, Refused, Settings, Taken, Tenant, Ticket,
    UnknownTenant,
};

/// A [`Ledger`] as a queue: each take serves the first eligible tenant at or after a pointer that
/// goes round the tenants known, past whom it serves. What an order is worth is checked against this one.
#[derive(Debug)]
pub struct Naive<J> {
    ledger: Ledger<J>,
    /// The first tenant of the next search.
    pointer: Tenant,
    identity: Identity,
}

impl<J> Naive<J> {
    /// An empty queue.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        Self {
            ledger: Ledger::new(settings),
            pointer: Tenant::new(0),
            identity: Identity::new(),
        }
    }

    /// The serial number, in the two words that a job id has for its slot and stamp.
    fn name(&self, tenant: Tenant, serial: u64) -> JobId {
        let [slot, stamp] = [serial >> 32, serial & u64::from(u32::MAX)]
            .map(|half| u32::try_from(half).expect("half of 64 bits"));
        self.identity.name(tenant, slot, stamp)
    }
}

impl<J> FairQueue<J> for Naive<J> {
    fn push(&mut self, tenant: Tenant, cost: Cost, job: J) -> Result<JobId, Refused<J>> {
        if let Some(refusal) = self.ledger.refusal(tenant) {
            return Err(Refused { job, refusal });
        }
        let serial = self.ledger.push(tenant, cost, job);
        Ok(self.name(tenant, serial))
    }

    fn take(&mut self) -> Option<Taken<J>> {
        let ahead = self.ledger.eligible().find(|&next| next >= self.pointer);
        let tenant = ahead.or_else(|| self.ledger.eligible().next())?;
        self.pointer = Tenant::new((tenant.index() + 1) % self.ledger.known());
        let serial = self.ledger.head(tenant)?.serial;
        let waiting = self.ledger.take(tenant, serial)?;
        Some(Taken {
            job: waiting.job,
            ticket: self.identity.issue(tenant, waiting.cost),
        })
    }

    fn complete(&mut self, ticket: Ticket, _actual: Cost) {
        assert!(self.identity.issued(&ticket), "the ticket of another queue");
        self.ledger.complete(ticket.tenant());
    }

    fn cancel(&mut self, job: JobId) -> Option<J> {
        let (slot, stamp) = self.identity.locate(job)?;
        let serial = u64::from(slot) << 32 | u64::from(stamp);
        Some(self.ledger.cancel(job.tenant(), serial)?.job)
    }

    fn configure(&mut self, tenant: Tenant, limits: Limits) -> Result<(), UnknownTenant> {
        self.ledger.admits(tenant)?;
        self.ledger.configure(tenant, limits);
        Ok(())
    }

    fn pause(&mut self, tenant: Tenant) -> Result<(), UnknownTenant> {
        self.ledger.admits(tenant)?;
        self.ledger.set_paused(tenant, true);
        Ok(())
    }

    fn resume(&mut self, tenant: Tenant) -> Result<(), UnknownTenant> {
        self.ledger.admits(tenant)?;
        self.ledger.set_paused(tenant, false);
        Ok(())
    }

    fn remove(&mut self, tenant: Tenant) -> Vec<J> {
        self.ledger.remove(tenant)
    }

    fn release(&mut self, tenant: Tenant) -> bool {
        self.ledger.release(tenant)
    }

    fn close(&mut self) {
        self.ledger.close();
    }

    fn close_and_reclaim(&mut self) -> Vec<(Tenant, J)> {
        self.ledger.close_and_reclaim()
    }

    fn is_closed(&self) -> bool {
        self.ledger.is_closed()
    }

    fn backlog(&self, tenant: Tenant) -> usize {
        self.ledger.backlog(tenant)
    }

    fn in_flight(&self, tenant: Tenant) -> usize {
        self.ledger.in_flight(tenant)
    }

    fn len(&self) -> usize {
        self.ledger.len()
    }

    fn lag_max(&self) -> Option<LagMax> {
        Some(LagMax::ONE_TURN)
    }
}
