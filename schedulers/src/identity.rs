//! Tickets and job ids, and the identity that issues them: nobody else can make one up.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::{Cost, Tenant};

/// What makes a queue's tickets and job ids its own. Every implementation of
/// [`FairQueue`](crate::FairQueue) holds one, and only its holder can issue in its name.
///
/// Unique among any 2^32 queues made in a row in one process.
#[derive(PartialEq, Eq, Debug)]
pub struct Identity(u32);

impl Identity {
    /// An identity that no other queue of this process has.
    #[must_use]
    #[allow(clippy::new_without_default)] // each one is another: there is no default identity
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        // Relaxed, with no partner: only the number's uniqueness matters, and it publishes nothing.
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// The ticket of a job that is being taken.
    #[inline(always)]
    pub const fn issue(&self, tenant: Tenant, cost: Cost) -> Ticket {
        self.issue_in(0, tenant, cost)
    }

    /// The ticket of a job that is being taken in this era of the queue.
    #[inline(always)]
    pub(crate) const fn issue_in(&self, era: u32, tenant: Tenant, cost: Cost) -> Ticket {
        Ticket {
            queue: self.0,
            tenant,
            cost,
            era,
        }
    }

    /// Whether this identity issued the ticket.
    #[inline(always)]
    #[must_use]
    pub const fn issued(&self, ticket: &Ticket) -> bool {
        ticket.queue == self.0
    }

    /// The name of a job that waits in `slot`, told from earlier jobs of that slot by `stamp`.
    #[inline(always)]
    #[must_use]
    pub const fn name(&self, tenant: Tenant, slot: u32, stamp: u32) -> JobId {
        JobId {
            queue: self.0,
            tenant,
            slot,
            stamp,
        }
    }

    /// The slot and stamp of a job that this identity named; `None` for another queue's.
    #[inline(always)]
    #[must_use]
    pub const fn locate(&self, job: JobId) -> Option<(u32, u32)> {
        if job.queue == self.0 {
            Some((job.slot, job.stamp))
        } else {
            None
        }
    }
}

/// The right to complete one job, once: it cannot be copied, cloned or made up.
///
/// ```compile_fail,E0382
/// # use schedulers::{Cost, FairQueue, Settings, Tenant, TenantQueue, discipline::ActiveList};
/// # let mut queue = TenantQueue::<ActiveList, _>::new(&Settings::default());
/// # queue.push(Tenant::new(0), Cost::UNIT, ()).unwrap();
/// let ticket = queue.take().unwrap().ticket;
/// queue.complete(ticket, Cost::UNIT);
/// queue.complete(ticket, Cost::UNIT); // use of moved value
/// ```
#[derive(PartialEq, Eq, Debug)]
#[must_use = "give the ticket to `complete`, or its job stays in flight for ever"]
pub struct Ticket {
    queue: u32,
    tenant: Tenant,
    cost: Cost,
    /// Tells the jobs of a tenant from those of an earlier tenant of the same handle.
    era: u32,
}

impl Ticket {
    /// The same right, by another handle of its tenant: a queue of queues and its parts number tenants
    /// each in their own way.
    #[inline(always)]
    pub(crate) const fn of(self, tenant: Tenant) -> Self {
        Self { tenant, ..self }
    }

    #[inline]
    pub(crate) const fn era(&self) -> u32 {
        self.era
    }

    /// Whose job it is.
    #[must_use]
    pub const fn tenant(&self) -> Tenant {
        self.tenant
    }

    /// The cost given at the push: what the tenant has been charged so far.
    #[must_use]
    pub const fn cost(&self) -> Cost {
        self.cost
    }
}

/// Names a waiting job, for [`FairQueue::cancel`](crate::FairQueue::cancel). A stale or foreign name
/// cancels nothing. Unique among any 2^32 pushes in a row of its queue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct JobId {
    queue: u32,
    tenant: Tenant,
    slot: u32,
    stamp: u32,
}

impl JobId {
    /// The same job, by another handle of its tenant.
    #[inline(always)]
    pub(crate) const fn of(self, tenant: Tenant) -> Self {
        Self { tenant, ..self }
    }

    /// Whose job it is.
    #[must_use]
    pub const fn tenant(self) -> Tenant {
        self.tenant
    }
}
