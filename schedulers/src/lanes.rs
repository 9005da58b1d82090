//! Mechanism: one FIFO lane for every tenant, and who is eligible.
//!
//! A lane is a few counters and the discipline's state of its tenant, side by side, so that one
//! operation touches one place for the tenant and one for the job. Nothing here decides who is next.

use std::fmt;

use crate::lane::{Appended, Change, Head, Lane, NotAppended, Popped, Standing, rebase, used};
use crate::slab::{NIL, Queued, Slab};
use crate::tiers::{Terms, Tiers};
use crate::{Cost, Settings, Tenant, UnknownTenant, Weight};

/// The fewest lanes worth an allocation.
const LANES_ADDED: usize = 16;
/// Handles beyond this are refused whatever the settings say: turn orders are counted in 32 bits.
const TENANTS_MAX: u32 = 1 << 30;

/// All tenants, as a [`Discipline`](crate::discipline::Discipline) sees them: it may ask about any
/// and keep its own state `S` of each, but moves no job.
pub trait Tenants<S> {
    /// How many tenants are known, whether they still have a lane or not: all handles below this one.
    fn known(&self) -> usize;

    /// How many tenants have a lane: all handles below this one.
    fn tenants(&self) -> usize;

    /// Whether the tenant has jobs waiting, is below its cap and is not paused. False for a tenant
    /// without a lane.
    fn is_eligible(&self, tenant: Tenant) -> bool;

    /// How many of the tenant's jobs wait; 0 for a tenant without a lane.
    fn backlog(&self, tenant: Tenant) -> usize;

    /// The tenant's weight now.
    fn weight(&self, tenant: Tenant) -> Weight;

    /// The discipline's state of a tenant.
    ///
    /// # Panics
    ///
    /// If the tenant has no lane.
    fn state(&self, tenant: Tenant) -> &S;

    /// The discipline's state of a tenant, to be changed.
    ///
    /// # Panics
    ///
    /// If the tenant has no lane.
    fn state_mut(&mut self, tenant: Tenant) -> &mut S;

    /// The eligible tenant was given so many turns, whether they end in its being served or not. Nobody
    /// listens where a queue is not kept in step with others, and then it costs nothing; a discipline
    /// that is [`InRounds`](crate::discipline::InRounds) says so of every turn.
    #[inline(always)]
    fn count_turns(&mut self, tenant: Tenant, turns: u64) {
        let _ = (tenant, turns);
    }
}

/// All lanes.
pub(crate) struct Lanes<S, J> {
    /// One lane for every handle up to the largest seen.
    table: Vec<Lane<S>>,
    tiers: Tiers,
    slab: Slab<J>,
    tenants_max: u32,
    /// One more than the largest handle that ever had a lane.
    known: usize,
    /// Tenants let go since lanes were last dropped.
    let_go: usize,
}

impl<S, J> Tenants<S> for Lanes<S, J> {
    #[inline(always)]
    fn known(&self) -> usize {
        self.known
    }

    #[inline(always)]
    fn tenants(&self) -> usize {
        self.table.len()
    }

    #[inline(always)]
    fn is_eligible(&self, tenant: Tenant) -> bool {
        self.table
            .get(tenant.position())
            .is_some_and(|lane| lane.head != NIL && lane.slots > 0)
    }

    #[inline(always)]
    fn backlog(&self, tenant: Tenant) -> usize {
        let lane = self.table.get(tenant.position());
        lane.map_or(0, |lane| {
            used(self.tiers.of(tenant).backlog_max, lane.space)
        })
    }

    #[inline(always)]
    fn weight(&self, tenant: Tenant) -> Weight {
        self.tiers.of(tenant).terms.limits.weight
    }

    #[inline(always)]
    fn state(&self, tenant: Tenant) -> &S {
        &self.table[tenant.position()].state
    }

    #[inline(always)]
    fn state_mut(&mut self, tenant: Tenant) -> &mut S {
        &mut self.table[tenant.position()].state
    }
}

// What the queue does to the lanes. Each is O(1) unless said.
impl<S: Copy + Default + PartialEq, J> Lanes<S, J> {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            table: Vec::new(),
            tiers: Tiers::new(settings.limits),
            slab: Slab::new(),
            tenants_max: settings.tenants_max.min(TENANTS_MAX),
            known: 0,
            let_go: 0,
        }
    }

    /// Gives the tenant a lane unless it has one. O(1) amortised over the handles below it.
    pub(crate) fn admit(&mut self, tenant: Tenant) -> Result<(), UnknownTenant> {
        self.check(tenant)?;
        if tenant.position() >= self.table.len() {
            self.grow(tenant);
        }
        Ok(())
    }

    /// Whether the tenant may have a lane.
    pub(crate) const fn check(&self, tenant: Tenant) -> Result<(), UnknownTenant> {
        let tenants_max = self.tenants_max;
        if tenant.index() < tenants_max {
            Ok(())
        } else {
            Err(UnknownTenant {
                tenant,
                tenants_max,
            })
        }
    }

    /// Grows by an eighth at least: the table is never more than that above its need, and growing costs
    /// O(1) amortised for each lane.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, tenant: Tenant) {
        let missing = tenant.position() + 1 - self.table.len();
        if self.table.capacity() <= tenant.position() {
            self.table
                .reserve_exact(missing.max(LANES_ADDED).max(self.table.len() / 8));
        }
        self.known = self.known.max(tenant.position() + 1);
        let vacant = self.vacant();
        self.table.resize_with(tenant.position() + 1, || vacant);
    }

    /// Appends a job, or gives it back.
    #[inline(always)]
    pub(crate) fn append(
        &mut self,
        tenant: Tenant,
        cost: Cost,
        job: J,
    ) -> Result<Appended<'_, S>, (J, NotAppended)> {
        if tenant.position() >= self.table.len() {
            return self.append_first(tenant, cost, job);
        }
        let lane = &mut self.table[tenant.position()];
        if lane.space <= 0 {
            let backlog_max = self.tiers.of(tenant).terms.limits.backlog_max;
            return Err((job, NotAppended::LaneFull { backlog_max }));
        }
        let (slot, stamp) = self.slab.insert(cost, lane.tail, job);
        let was_empty = lane.head == NIL;
        if was_empty {
            lane.head = slot;
        } else {
            self.slab.queued_mut(lane.tail).next = slot;
        }
        lane.tail = slot;
        lane.space -= 1;
        let arrival = self.slab.inserted();
        let becomes_eligible = was_empty && lane.slots > 0;
        let enlist = becomes_eligible.then_some((Head { cost, arrival }, &mut lane.state));
        Ok(Appended {
            slot,
            stamp,
            enlist,
        })
    }

    /// Appends the first job of a tenant without a lane.
    #[cold]
    #[inline(never)]
    fn append_first(
        &mut self,
        tenant: Tenant,
        cost: Cost,
        job: J,
    ) -> Result<Appended<'_, S>, (J, NotAppended)> {
        let limits = self.tiers.default_tier().terms.limits;
        match self.check(tenant) {
            Err(unknown) => Err((job, NotAppended::NoLane(unknown))),
            Ok(()) if limits.backlog_max == 0 => {
                Err((job, NotAppended::LaneFull { backlog_max: 0 }))
            }
            Ok(()) => {
                self.grow(tenant);
                self.append(tenant, cost, job)
            }
        }
    }

    /// Takes the first job of an eligible tenant into flight.
    #[inline(always)]
    pub(crate) fn pop(&mut self, tenant: Tenant) -> Popped<'_, S, J> {
        let lane = &mut self.table[tenant.position()];
        let Queued {
            job, cost, next, ..
        } = self.slab.remove(lane.head);
        lane.head = next;
        lane.space += 1;
        lane.slots -= 1;
        Popped {
            job,
            cost,
            standing: lane.standing(&self.slab),
            state: &mut lane.state,
        }
    }

    /// Ends a job in flight; gives the first job and the state of a tenant that became eligible.
    #[inline(always)]
    pub(crate) fn land(&mut self, tenant: Tenant) -> Option<(Head, &mut S)> {
        let lane = &mut self.table[tenant.position()];
        lane.slots += 1;
        if lane.slots == 1 && lane.head != NIL {
            Some((self.slab.head(lane.head), &mut lane.state))
        } else {
            None
        }
    }

    /// A tenant with a lane: how it stands, and its state.
    pub(crate) fn look_up(&mut self, tenant: Tenant) -> (Standing, &mut S) {
        let lane = &mut self.table[tenant.position()];
        (lane.standing(&self.slab), &mut lane.state)
    }

    /// How many jobs wait in all lanes.
    #[inline(always)]
    pub(crate) const fn len(&self) -> u32 {
        self.slab.len()
    }

    /// Gives memory back when few jobs are left of many. Says whether it did.
    #[inline(always)]
    pub(crate) fn sweep(&mut self) -> bool {
        let due = self.slab.sweep_due();
        if due {
            self.slab.sweep();
        }
        due
    }

    /// Takes a waiting job out of the middle, the front or the end of its lane.
    pub(crate) fn cut(
        &mut self,
        tenant: Tenant,
        slot: u32,
        stamp: u32,
    ) -> Option<(J, Change<'_, S>)> {
        let Queued { next, prev, .. } = *self
            .slab
            .get(slot)
            .filter(|queued| queued.stamp.get() == stamp)?;
        let lane = &mut self.table[tenant.position()];
        let before = lane.standing(&self.slab);
        let (is_head, is_tail) = (slot == lane.head, slot == lane.tail);
        if is_head {
            lane.head = next;
        } else {
            self.slab.queued_mut(prev).next = next;
        }
        if is_tail {
            lane.tail = prev;
        } else {
            self.slab.queued_mut(next).prev = prev;
        }
        lane.space += 1;
        let job = self.slab.remove(slot).job;
        let change = Change {
            before,
            after: lane.standing(&self.slab),
            state: &mut lane.state,
        };
        Some((job, change))
    }

    /// A lane that nobody has used, of the default tier.
    fn vacant(&self) -> Lane<S> {
        let tier = self.tiers.default_tier();
        Lane {
            head: NIL,
            tail: NIL,
            slots: tier.in_flight_max,
            space: tier.backlog_max,
            state: S::default(),
        }
    }

    /// Gives a tenant another tier. O(log tiers).
    pub(crate) fn change_tier(
        &mut self,
        tenant: Tenant,
        change: impl FnOnce(&mut Terms),
    ) -> Change<'_, S> {
        let lane = &mut self.table[tenant.position()];
        let before = lane.standing(&self.slab);
        let old = *self.tiers.of(tenant);
        let mut terms = old.terms;
        change(&mut terms);
        self.tiers.change(tenant, terms);
        let new = self.tiers.of(tenant);
        lane.slots = rebase(lane.slots, old.in_flight_max, new.in_flight_max);
        lane.space = rebase(lane.space, old.backlog_max, new.backlog_max);
        Change {
            before,
            after: lane.standing(&self.slab),
            state: &mut lane.state,
        }
    }

    /// Takes every waiting job of a tenant out, in order, and gives it the tier of one that nobody
    /// configured. O(backlog).
    pub(crate) fn vacate(&mut self, tenant: Tenant) -> (Vec<J>, Change<'_, S>) {
        let mut jobs = Vec::with_capacity(self.backlog(tenant));
        let lane = &mut self.table[tenant.position()];
        let before = lane.standing(&self.slab);
        while lane.head != NIL {
            let Queued { job, next, .. } = self.slab.remove(lane.head);
            lane.head = next;
            lane.space += 1;
            jobs.push(job);
        }
        let default = self.tiers.default_tier().terms;
        let change = self.change_tier(tenant, |terms| *terms = default);
        (jobs, Change { before, ..change })
    }

    /// Whether the tenant is as one never seen: nothing waiting, nothing in flight, the terms of a tenant
    /// that nobody configured, and the default state.
    pub(crate) fn is_vacant(&self, tenant: Tenant) -> bool {
        self.is_vacant_but_for(tenant, |state| *state == S::default())
    }

    /// The same, where the discipline says which states are as good as the default one.
    pub(crate) fn is_vacant_but_for(
        &self,
        tenant: Tenant,
        is_settled: impl FnOnce(&S) -> bool,
    ) -> bool {
        let default = self.tiers.default_tier();
        self.table.get(tenant.position()).is_none_or(|lane| {
            lane.head == NIL
                && lane.slots == default.in_flight_max
                && is_settled(&lane.state)
                && self.tiers.of(tenant).terms == default.terms
        })
    }

    /// A tenant was let go. Once that is true of half as many as there are lanes, drops the last lanes
    /// while they are vacant. So a lane dropped, and made again, is paid for by one that was let go.
    pub(crate) fn trim(&mut self) {
        self.let_go += 1;
        if 2 * self.let_go < self.table.len() {
            return;
        }
        let before = self.table.len();
        while !self.table.is_empty() && self.is_vacant(Tenant::at(self.table.len() - 1)) {
            self.table.pop();
        }
        if self.table.len() < before {
            self.let_go = 0;
            self.tiers.truncate(self.table.len());
        }
        if self.table.len() < self.table.capacity() / 2 {
            self.table
                .shrink_to(self.table.len() + self.table.len() / 8);
        }
    }

    pub(crate) fn in_flight(&self, tenant: Tenant) -> usize {
        let lane = self.table.get(tenant.position());
        lane.map_or(0, |lane| {
            used(self.tiers.of(tenant).in_flight_max, lane.slots)
        })
    }
}

impl<S, J> fmt::Debug for Lanes<S, J> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Lanes")
            .field("tenants", &self.table.len())
            .finish_non_exhaustive()
    }
}
