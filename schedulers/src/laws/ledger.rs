//! The ledger: what any queue must know, kept in the most obvious way.
//!
//! It says which tenants may be served, which refusal a push must get, and what every counter must
//! read. It never says who is next: that is the scheduler's own business. Nothing here is quick, and
//! nothing is shared with the real queues but the vocabulary.

use std::collections::{BTreeMap, VecDeque};

use crate::{Cost, Limits, Refusal, Settings, Tenant, UnknownTenant};

/// Every lane, counter and limit of a queue of jobs `J`.
#[derive(Clone, Debug)]
pub struct Ledger<J> {
    settings: Settings,
    /// The tenants heard of since they were last removed.
    lanes: BTreeMap<Tenant, Lane<J>>,
    /// One more than the largest handle ever heard of.
    known: u32,
    /// How many jobs were ever accepted: the serial number of the next one.
    accepted: u64,
    closed: bool,
}

/// A waiting job.
#[derive(Clone, Debug)]
pub struct Waiting<J> {
    /// How many jobs were accepted before it.
    pub serial: u64,
    /// Its cost, as given at the push.
    pub cost: Cost,
    /// The job.
    pub job: J,
}

#[derive(Clone, Debug)]
struct Lane<J> {
    waiting: VecDeque<Waiting<J>>,
    in_flight: usize,
    limits: Limits,
    paused: bool,
}

impl<J> Ledger<J> {
    /// An empty ledger.
    #[must_use]
    pub const fn new(settings: &Settings) -> Self {
        Self {
            settings: *settings,
            lanes: BTreeMap::new(),
            known: 0,
            accepted: 0,
            closed: false,
        }
    }

    /// The refusal that a push by this tenant must get, or `None` if it must be accepted.
    #[must_use]
    pub fn refusal(&self, tenant: Tenant) -> Option<Refusal> {
        let backlog_max = self.limits(tenant).backlog_max;
        if self.closed {
            Some(Refusal::Closed)
        } else if self.len() >= self.settings.backlog_max as usize {
            Some(Refusal::QueueFull {
                backlog_max: self.settings.backlog_max,
            })
        } else if let Err(unknown) = self.admits(tenant) {
            Some(Refusal::UnknownTenant(unknown))
        } else if self.backlog(tenant) >= backlog_max as usize {
            Some(Refusal::TenantFull {
                tenant,
                backlog_max,
            })
        } else {
            None
        }
    }

    /// Whether the handle is below the maximum.
    ///
    /// # Errors
    ///
    /// The error that `configure`, `pause` and `resume` must give.
    pub const fn admits(&self, tenant: Tenant) -> Result<(), UnknownTenant> {
        let tenants_max = self.settings.tenants_max;
        if tenant.index() < tenants_max {
            Ok(())
        } else {
            Err(UnknownTenant {
                tenant,
                tenants_max,
            })
        }
    }

    /// Whether the tenant has jobs waiting, is below its cap and is not paused.
    #[must_use]
    pub fn is_eligible(&self, tenant: Tenant) -> bool {
        self.lanes.get(&tenant).is_some_and(Lane::is_eligible)
    }

    /// The tenants that may be served now, in the order of their handles.
    pub fn eligible(&self) -> impl Iterator<Item = Tenant> {
        let eligible = self.lanes.iter().filter(|(_, lane)| lane.is_eligible());
        eligible.map(|(&tenant, _)| tenant)
    }

    /// The tenants heard of, in the order of their handles.
    pub fn tenants(&self) -> impl Iterator<Item = Tenant> {
        self.lanes.keys().copied()
    }

    /// How many tenants are known, whether they have left or not: all handles below this one.
    #[must_use]
    pub const fn known(&self) -> u32 {
        self.known
    }

    /// The serial number that the next accepted job gets.
    #[must_use]
    pub const fn next_serial(&self) -> u64 {
        self.accepted
    }

    /// The tenant's first waiting job.
    #[must_use]
    pub fn head(&self, tenant: Tenant) -> Option<&Waiting<J>> {
        self.lanes.get(&tenant)?.waiting.front()
    }

    /// The tenant's waiting job of this serial number.
    #[must_use]
    pub fn find(&self, tenant: Tenant, serial: u64) -> Option<&Waiting<J>> {
        let waiting = &self.lanes.get(&tenant)?.waiting;
        waiting.iter().find(|waiting| waiting.serial == serial)
    }

    /// The tenant's limits now.
    #[must_use]
    pub fn limits(&self, tenant: Tenant) -> Limits {
        let lane = self.lanes.get(&tenant);
        lane.map_or(self.settings.limits, |lane| lane.limits)
    }

    /// How many jobs wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lanes.values().map(|lane| lane.waiting.len()).sum()
    }

    /// Whether no job waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many of the tenant's jobs wait.
    #[must_use]
    pub fn backlog(&self, tenant: Tenant) -> usize {
        let lane = self.lanes.get(&tenant);
        lane.map_or(0, |lane| lane.waiting.len())
    }

    /// How many of the tenant's jobs were taken and not completed.
    #[must_use]
    pub fn in_flight(&self, tenant: Tenant) -> usize {
        self.lanes.get(&tenant).map_or(0, |lane| lane.in_flight)
    }

    /// Whether the queue was closed.
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        self.closed
    }

    /// A job was accepted; gives its serial number.
    pub fn push(&mut self, tenant: Tenant, cost: Cost, job: J) -> u64 {
        let serial = self.accepted;
        self.accepted += 1;
        let waiting = Waiting { serial, cost, job };
        self.lane(tenant).waiting.push_back(waiting);
        serial
    }

    /// A waiting job went into flight, first of its lane or not. `None` if it does not wait.
    pub fn take(&mut self, tenant: Tenant, serial: u64) -> Option<Waiting<J>> {
        let waiting = self.cancel(tenant, serial)?;
        self.lane(tenant).in_flight += 1;
        Some(waiting)
    }

    /// A job in flight ended.
    pub fn complete(&mut self, tenant: Tenant) {
        let lane = self.lane(tenant);
        lane.in_flight = lane.in_flight.saturating_sub(1);
    }

    /// A waiting job was taken out of its lane. `None` if it does not wait.
    pub fn cancel(&mut self, tenant: Tenant, serial: u64) -> Option<Waiting<J>> {
        let waiting = &mut self.lanes.get_mut(&tenant)?.waiting;
        let position = waiting.iter().position(|job| job.serial == serial)?;
        waiting.remove(position)
    }

    /// The tenant has other limits.
    pub fn configure(&mut self, tenant: Tenant, limits: Limits) {
        self.lane(tenant).limits = limits;
    }

    /// The tenant was paused or resumed.
    pub fn set_paused(&mut self, tenant: Tenant, paused: bool) {
        // Resuming a tenant that nobody has heard of is not hearing of it.
        if paused || self.lanes.contains_key(&tenant) {
            self.lane(tenant).paused = paused;
        }
    }

    /// The tenant left: gives its waiting jobs, and forgets all but what is in flight.
    pub fn remove(&mut self, tenant: Tenant) -> Vec<J> {
        let Some(lane) = self.lanes.remove(&tenant) else {
            return Vec::new();
        };
        if lane.in_flight > 0 {
            self.lane(tenant).in_flight = lane.in_flight;
        }
        lane.waiting
            .into_iter()
            .map(|waiting| waiting.job)
            .collect()
    }

    /// The tenant is forgotten if it has nothing that one never heard of has not. Says whether it is.
    pub fn release(&mut self, tenant: Tenant) -> bool {
        let limits = self.settings.limits;
        let lane = self.lanes.get(&tenant);
        let changes_nothing = lane.is_none_or(|lane| {
            lane.waiting.is_empty() && lane.in_flight == 0 && lane.limits == limits && !lane.paused
        });
        if changes_nothing {
            self.lanes.remove(&tenant);
        }
        changes_nothing
    }

    /// The queue was closed.
    pub const fn close(&mut self) {
        self.closed = true;
    }

    /// The queue was closed and emptied, and every tenant left: gives every waiting job, tenant by tenant.
    pub fn close_and_reclaim(&mut self) -> Vec<(Tenant, J)> {
        self.close();
        let tenants: Vec<Tenant> = self.tenants().collect();
        let jobs = tenants.into_iter().flat_map(|tenant| {
            let jobs = self.remove(tenant).into_iter();
            jobs.map(move |job| (tenant, job))
        });
        jobs.collect()
    }

    fn lane(&mut self, tenant: Tenant) -> &mut Lane<J> {
        self.known = self.known.max(tenant.index() + 1);
        let limits = self.settings.limits;
        self.lanes.entry(tenant).or_insert_with(|| Lane {
            waiting: VecDeque::new(),
            in_flight: 0,
            limits,
            paused: false,
        })
    }
}

impl<J> Lane<J> {
    fn is_eligible(&self) -> bool {
        let below_cap = self.in_flight < self.limits.in_flight_max as usize;
        !self.waiting.is_empty() && below_cap && !self.paused
    }
}
