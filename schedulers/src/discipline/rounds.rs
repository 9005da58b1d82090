//! A discipline that also says how far it has come, so that several queues can be kept in step.

use std::marker::PhantomData;

use super::Discipline;
use super::clock::{Clock, InRounds};
use super::due::Due;
use crate::{Cost, Head, LagMax, Quantum, Settings, Standing, Tenant, Tenants, Weight};

/// Another discipline, whose tenants carry a clock each: its order is that of `D`, unchanged.
#[derive(Clone, Debug)]
pub struct Rounds<D> {
    discipline: D,
    /// The rounds in which the eligible tenants are due.
    due: Due,
    /// The round that all queues kept in step have reached: written by [`catch_up`](Self::catch_up).
    reached: u64,
    quantum: Quantum,
    /// The weight of the tenant selected last.
    weight: Weight,
}

/// What is kept of a tenant.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Timed<S, C> {
    state: S,
    clock: C,
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

    /// The bound between tenants of two queues that are kept in step.
    #[must_use]
    pub fn lag_max_in_step(&self) -> Option<LagMax> {
        self.discipline.lag_max().map(D::Clock::lag_max_in_step)
    }
}

impl<D: InRounds> Discipline for Rounds<D> {
    type State = Timed<D::State, D::Clock>;

    fn new(settings: &Settings) -> Self {
        Self {
            discipline: D::new(settings),
            due: Due::default(),
            reached: 0,
            quantum: settings.quantum,
            weight: Weight::ONE,
        }
    }

    fn lag_max(&self) -> Option<LagMax> {
        self.discipline.lag_max()
    }

    /// The tenant is due in the next round: others may have had their turn in this one. (And were it
    /// this one, a row of tenants that come and leave unserved could keep the round from ever ending.)
    #[inline(always)]
    fn enlist(&mut self, tenant: Tenant, head: Head, timed: &mut Self::State) {
        timed.clock.raise(self.reached.saturating_add(1));
        self.due.insert(timed.clock.round());
        self.discipline.enlist(tenant, head, &mut timed.state);
    }

    fn delist(&mut self, tenant: Tenant, head: Head, standing: Standing, timed: &mut Self::State) {
        self.due.remove(timed.clock.round());
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

    #[inline(always)]
    fn select(&mut self, tenants: &mut impl Tenants<Self::State>) -> Option<Tenant> {
        let tenant = self.discipline.select(&mut Untimed {
            timed: &mut *tenants,
            clock: PhantomData,
        })?;
        self.weight = tenants.weight(tenant);
        Some(tenant)
    }

    #[inline(always)]
    fn served(&mut self, tenant: Tenant, cost: Cost, standing: Standing, timed: &mut Self::State) {
        let was_due = timed.clock.round();
        timed.clock.serve(cost, self.quantum, self.weight);
        if standing.is_eligible() {
            self.move_on(was_due, timed.clock.round());
        } else {
            self.due.remove(was_due);
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
        let was_due = timed.clock.round();
        timed.clock.settle(charged, actual);
        if standing.is_eligible() {
            self.move_on(was_due, timed.clock.round());
        }
        self.discipline
            .settle(tenant, charged, actual, standing, &mut timed.state);
    }

    fn shrink(&mut self) {
        self.discipline.shrink();
    }
}

impl<D> Rounds<D> {
    #[inline(always)]
    fn move_on(&mut self, was_due: u64, is_due: u64) {
        if was_due != is_due {
            self.due.insert(is_due);
            self.due.remove(was_due);
        }
    }
}

/// All tenants, as the discipline within sees them: with its own state of each, and no clock.
struct Untimed<'a, T, C> {
    timed: &'a mut T,
    clock: PhantomData<C>,
}

impl<S, C: 'static, T: Tenants<Timed<S, C>>> Tenants<S> for Untimed<'_, T, C> {
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
}
