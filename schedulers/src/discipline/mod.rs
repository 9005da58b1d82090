//! Policy: who is next, one algorithm a file.
//!
//! A discipline is told when a tenant becomes eligible and when it ceases to be, is asked whose turn
//! it is, and is told what the turn cost. It never sees a job. To add one, write its file and give
//! it a line in the registry ([`for_each_scheduler!`](crate::for_each_scheduler)).

mod active_list;
mod deficit_round_robin;
mod due;
mod fifo;
mod ring;
mod rotation;
mod rounds;
mod scan_all;

use std::fmt::Debug;

pub use active_list::ActiveList;
pub use deficit_round_robin::DeficitRoundRobin;
pub use fifo::Fifo;
pub use rotation::Rotation;
pub use rounds::{InRounds, Rounds, Timed};
pub use scan_all::ScanAll;

use crate::{Cost, Head, LagMax, Settings, Standing, Tenant, Tenants};

/// The position behind this one, going round all that are known.
#[inline(always)]
const fn next_position(position: usize, known: usize) -> usize {
    if position + 1 < known {
        position + 1
    } else {
        0
    }
}

/// An algorithm that decides whose turn it is.
///
/// The queue keeps two promises: it calls [`enlist`](Self::enlist) and [`delist`](Self::delist) only
/// when a tenant's eligibility really changed, and calls [`served`](Self::served) right after
/// [`select`](Self::select), for the tenant selected. Each call hands over the state of its tenant.
pub trait Discipline: Debug + Sized {
    /// What the discipline keeps of each tenant, inline in its lane. The default is that of a tenant
    /// nobody has heard of, and a lane in that state may be dropped.
    type State: Copy + Default + PartialEq + Debug;

    /// A discipline without tenants.
    fn new(settings: &Settings) -> Self;

    /// The fairness bound that the algorithm guarantees; `None` where it promises nothing.
    fn lag_max(&self) -> Option<LagMax>;

    /// The tenant became eligible, with this first job: by a push, a completion below its cap, a
    /// resume, a configure.
    fn enlist(&mut self, tenant: Tenant, head: Head, state: &mut Self::State);

    /// The tenant, whose first job was `head`, ceased to be eligible other than by being served: by a
    /// cancel, a pause, a configure. `standing` is how it stands now.
    fn delist(&mut self, tenant: Tenant, head: Head, standing: Standing, state: &mut Self::State);

    /// A cancel took the first job of the tenant, which stays eligible with the one behind it.
    fn head_changed(&mut self, tenant: Tenant, from: Head, to: Head, state: &mut Self::State) {
        let _ = (tenant, from, to, state);
    }

    /// The weight of the tenant has changed, and nothing else: what it earned by the old one and has
    /// not used is not its due.
    fn reweighed(&mut self, tenant: Tenant, state: &mut Self::State) {
        let _ = (tenant, state);
    }

    /// Whether this state, of a tenant without jobs, is as good as the default one: it owes nothing and is
    /// owed nothing.
    fn is_settled(&self, state: &Self::State) -> bool {
        *state == Self::State::default()
    }

    /// Whether a tenant that is not eligible still has a place in the order, to which it would come
    /// back. Who has its handle next must not find that place taken for it.
    fn keeps_place(&self, tenant: Tenant) -> bool {
        let _ = tenant;
        false
    }

    /// Takes the eligible tenant whose turn it is out of the order; `None` only when none is eligible.
    fn select(&mut self, tenants: &mut impl Tenants<Self::State>) -> Option<Tenant>;

    /// The selected tenant was served a job of this cost. If it is still eligible, it belongs back in
    /// the order.
    fn served(&mut self, tenant: Tenant, cost: Cost, standing: Standing, state: &mut Self::State);

    /// A job charged `charged` when it was served has cost `actual`, another amount. Its slot is not
    /// yet free.
    fn settle(
        &mut self,
        tenant: Tenant,
        charged: Cost,
        actual: Cost,
        standing: Standing,
        state: &mut Self::State,
    ) {
        let _ = (tenant, charged, actual, standing, state);
    }

    /// The queue has given memory back; tables of the discipline's own may follow.
    fn shrink(&mut self) {}
}
