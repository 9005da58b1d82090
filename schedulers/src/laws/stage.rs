//! A queue on a stage: the short hand in which the scripted laws are written.

use super::law::{Breach, Subject};
use super::{Job, Ledger};
use crate::{Cost, FairQueue, JobId, Limits, Quantum, Settings, Taken, Tenant, Ticket};

/// No script is nearly as long, unless it waits for a tenant that is never served.
const OPERATIONS_MAX: u64 = 200_000;

/// A queue, its ledger, and how many operations it went through.
pub(super) struct Stage {
    pub(super) queue: Box<dyn FairQueue<Job>>,
    pub(super) ledger: Ledger<Job>,
    pub(super) operations: u64,
}

impl Stage {
    /// An empty queue with this quantum, and no limit to anything.
    pub(super) fn new(subject: &Subject, quantum: u32) -> Self {
        let quantum = Quantum::new(quantum).expect("laws give no quantum of 0");
        let settings = Settings {
            quantum,
            ..Settings::default()
        };
        Self {
            queue: (subject.new)(&settings),
            ledger: Ledger::new(&settings),
            operations: 0,
        }
    }

    /// A push that must be accepted.
    pub(super) fn push(&mut self, tenant: Tenant, cost: Cost) -> Result<JobId, Breach> {
        self.operations += 1;
        let job = self.ledger.push(tenant, cost, self.ledger.next_serial());
        let accepted = self.queue.push(tenant, cost, job);
        accepted.map_err(|refused| Breach::new("an accepted push", refused.refusal.to_string()))
    }

    /// As many pushes as are given.
    pub(super) fn push_many(
        &mut self,
        tenant: Tenant,
        cost: Cost,
        jobs: u32,
    ) -> Result<(), Breach> {
        (0..jobs).try_for_each(|_| self.push(tenant, cost).map(|_| ()))
    }

    /// A take that must give a job.
    pub(super) fn take(&mut self) -> Result<Ticket, Breach> {
        self.operations += 1;
        if self.operations > OPERATIONS_MAX {
            return Err(Breach::new(
                "an end of the script",
                "a tenant that is never served",
            ));
        }
        let Some(Taken { job, ticket }) = self.queue.take() else {
            return Err(Breach::new("a job, as work waits", "None"));
        };
        self.ledger.take(ticket.tenant(), job);
        Ok(ticket)
    }

    /// Ends a job.
    pub(super) fn complete(&mut self, ticket: Ticket, actual: Cost) {
        self.operations += 1;
        self.ledger.complete(ticket.tenant());
        self.queue.complete(ticket, actual);
    }

    /// Takes a job and completes it at its cost: whose was it, and what did it cost?
    pub(super) fn serve(&mut self) -> Result<(Tenant, Cost), Breach> {
        let ticket = self.take()?;
        let served = (ticket.tenant(), ticket.cost());
        self.complete(ticket, served.1);
        Ok(served)
    }

    /// A change of limits that must succeed.
    pub(super) fn configure(&mut self, tenant: Tenant, limits: Limits) -> Result<(), Breach> {
        self.operations += 1;
        self.ledger.configure(tenant, limits);
        let changed = self.queue.configure(tenant, limits);
        changed.map_err(|unknown| Breach::new("a changed tenant", unknown.to_string()))
    }

    /// A pause or its end, which must succeed.
    pub(super) fn set_paused(&mut self, tenant: Tenant, paused: bool) -> Result<(), Breach> {
        self.operations += 1;
        self.ledger.set_paused(tenant, paused);
        let changed = if paused {
            self.queue.pause(tenant)
        } else {
            self.queue.resume(tenant)
        };
        changed.map_err(|unknown| Breach::new("a changed tenant", unknown.to_string()))
    }

    /// A cancel that must give its job.
    pub(super) fn cancel(&mut self, job: JobId) -> Result<(), Breach> {
        self.operations += 1;
        let Some(serial) = self.queue.cancel(job) else {
            return Err(Breach::new("the cancelled job", "None"));
        };
        self.ledger.cancel(job.tenant(), serial);
        Ok(())
    }

    /// A tenant leaves, with whatever it has waiting.
    pub(super) fn remove(&mut self, tenant: Tenant) {
        self.operations += 1;
        self.ledger.remove(tenant);
        self.queue.remove(tenant);
    }

    /// The tenant has work for its next two turns at least.
    pub(super) fn keep(&mut self, tenant: Tenant, cost: Cost) -> Result<(), Breach> {
        while self.queue.backlog(tenant) < 2 {
            self.push(tenant, cost)?;
        }
        Ok(())
    }
}
