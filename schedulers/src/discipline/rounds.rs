//! A discipline that also says how far it has come, so that several queues can be kept in step.

use super::due::Due;
use super::{ActiveList, DeficitRoundRobin, Discipline, Rotation, ScanAll};
use crate::{Cost, Head, LagMax, Settings, Share, Standing, Tenant, Tenants, Weight};

/// A discipline that [counts](Tenants::count_turns) every turn it gives, and gives each tenant that
/// stays eligible one turn between any two of another.
pub trait InRounds: Discipline<State: Send> + Send {}

impl InRounds for ActiveList {}
impl InRounds for Rotation {}
impl InRounds for ScanAll {}
impl InRounds for DeficitRoundRobin {}

/// Another discipline, each of whose tenants carries a clock: the turns that it was given. The order
/// is that of `D`, unchanged.
///
/// A clock reads the round in which its tenant is due, and a turn moves it on to the next. 8 bytes for
/// each tenant, and O(1) for each turn.
#[derive(Clone, Debug)]
pub struct Rounds<D> {
    discipline: D,
    /// The clocks of the eligible tenants.
    due: Due,
    /// The round that all queues kept in step have reached: written by [`catch_up`](Self::catch_up).
    reached: u64,
}

/// What is kept of a tenant.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Timed<S> {
    state: S,
    clock: u64,
}

impl<D: InRounds> Rounds<D> {
    /// The round in which the first of the eligible tenants is due; `None` when there is none.
    #[inline(always)]
    #[must_use]
    pub fn due(&self) -> Option<u64> {
        self.due.first()
    }

    /// All queues kept in step have reached this round: who becomes eligible is due in the next.
    #[inline(always)]
    pub fn catch_up(&mut self, reached: u64) {
        self.reached = reached;
    }

    /// The bound between tenants of two queues that are kept in step, of which each has a clock that
    /// is at most two rounds ahead of the other's least.
    #[must_use]
    pub fn lag_max_in_step(&self) -> Option<LagMax> {
        let within = self.discipline.lag_max()?;
        let rounds = match within.share {
            Share::Turns => 4,
            // A turn may be under way, on either side.
            Share::Cost => 6,
        };
        Some(LagMax {
            fixed: rounds * within.fixed,
            jobs: 2 * within.jobs,
            ..within
        })
    }
}

impl<D: InRounds> Discipline for Rounds<D> {
    type State = Timed<D::State>;

    fn new(settings: &Settings) -> Self {
        Self {
            discipline: D::new(settings),
            due: Due::default(),
            reached: 0,
        }
    }

    fn lag_max(&self) -> Option<LagMax> {
        self.discipline.lag_max()
    }

    /// The tenant is due in the next round: others may have had their turn in this one. (And were it
    /// this one, a row of tenants that come and leave unserved could keep the round from ever ending.)
    #[inline(always)]
    fn enlist(&mut self, tenant: Tenant, head: Head, timed: &mut Self::State) {
        timed.clock = timed.clock.max(self.reached.saturating_add(1));
        self.due.insert(timed.clock);
        self.discipline.enlist(tenant, head, &mut timed.state);
    }

    fn delist(&mut self, tenant: Tenant, head: Head, standing: Standing, timed: &mut Self::State) {
        self.due.remove(timed.clock);
        self.discipline
            .delist(tenant, head, standing, &mut timed.state);
    }

    fn head_changed(&mut self, tenant: Tenant, from: Head, to: Head, timed: &mut Self::State) {
        self.discipline
            .head_changed(tenant, from, to, &mut timed.state);
    }

    fn reweighed(&mut self, tenant: Tenant, timed: &mut Self::State) {
        self.discipline.reweighed(tenant, &mut timed.state);
    }

    /// A clock that is not ahead of the next round says nothing: whoever is new is due in that round too.
    fn is_settled(&self, timed: &Self::State) -> bool {
        timed.clock <= self.reached.saturating_add(1) && self.discipline.is_settled(&timed.state)
    }

    fn keeps_place(&self, tenant: Tenant) -> bool {
        self.discipline.keeps_place(tenant)
    }

    #[inline(always)]
    fn select(&mut self, tenants: &mut impl Tenants<Self::State>) -> Option<Tenant> {
        self.discipline.select(&mut Untimed {
            timed: tenants,
            due: &mut self.due,
        })
    }

    #[inline(always)]
    fn served(&mut self, tenant: Tenant, cost: Cost, standing: Standing, timed: &mut Self::State) {
        if !standing.is_eligible() {
            self.due.remove(timed.clock);
        }
        self.discipline
            .served(tenant, cost, standing, &mut timed.state);
    }

    fn settle(
        &mut self,
        tenant: Tenant,
        charged: Cost,
        actual: Cost,
        standing: Standing,
        timed: &mut Self::State,
    ) {
        self.discipline
            .settle(tenant, charged, actual, standing, &mut timed.state);
    }

    fn shrink(&mut self) {
        self.discipline.shrink();
    }
}

/// All tenants, as the discipline within sees them: with its own state of each. Its turns are counted.
struct Untimed<'a, T> {
    timed: &'a mut T,
    due: &'a mut Due,
}

impl<S, T: Tenants<Timed<S>>> Tenants<S> for Untimed<'_, T> {
    #[inline(always)]
    fn known(&self) -> usize {
        self.timed.known()
    }

    #[inline(always)]
    fn tenants(&self) -> usize {
        self.timed.tenants()
    }

    #[inline(always)]
    fn is_eligible(&self, tenant: Tenant) -> bool {
        self.timed.is_eligible(tenant)
    }

    #[inline(always)]
    fn backlog(&self, tenant: Tenant) -> usize {
        self.timed.backlog(tenant)
    }

    #[inline(always)]
    fn weight(&self, tenant: Tenant) -> Weight {
        self.timed.weight(tenant)
    }

    #[inline(always)]
    fn state(&self, tenant: Tenant) -> &S {
        &self.timed.state(tenant).state
    }

    #[inline(always)]
    fn state_mut(&mut self, tenant: Tenant) -> &mut S {
        &mut self.timed.state_mut(tenant).state
    }

    #[inline(always)]
    fn count_turns(&mut self, tenant: Tenant, turns: u64) {
        let clock = &mut self.timed.state_mut(tenant).clock;
        let was_due = *clock;
        *clock = was_due.saturating_add(turns);
        // In this order, so that there is always one at least.
        self.due.insert(*clock);
        self.due.remove(was_due);
    }
}
