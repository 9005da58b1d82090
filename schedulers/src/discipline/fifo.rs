//! First in, first out: the oldest job among the first jobs of all eligible tenants.
//!
//! Without caps this is the plain queue that a burst makes everybody wait in, and the baseline of
//! every comparison. With a cap on jobs in flight it is the usual first remedy: the jobs of a tenant
//! at its cap are passed over, and not scanned, because only its first job stands in the order.
//!
//! An ordered set holds the arrival of each eligible tenant's first job. Push and take are O(log t)
//! in tenants with work, which is what per-tenant caps cost over a bare `VecDeque`.
//!
//! It promises no fairness: a tenant waits for everything that came before. Use it to know what
//! you gain by leaving it.

use std::collections::BTreeSet;

use super::Discipline;
use crate::{Cost, Head, LagMax, Lanes, Settings, Standing, Tenant};

/// Arrival order among the first jobs of eligible tenants.
#[derive(Clone, Debug)]
pub struct Fifo {
    /// When the first job of each eligible tenant arrived. No two arrivals are the same.
    heads: BTreeSet<(u64, Tenant)>,
}

impl Discipline for Fifo {
    type State = ();

    fn new(_settings: &Settings) -> Self {
        Self {
            heads: BTreeSet::new(),
        }
    }

    fn lag_max(&self) -> Option<LagMax> {
        None
    }

    fn enlist(&mut self, tenant: Tenant, head: Head, _state: &mut ()) {
        self.heads.insert((head.arrival, tenant));
    }

    fn delist(&mut self, tenant: Tenant, head: Head, _standing: Standing, _state: &mut ()) {
        self.heads.remove(&(head.arrival, tenant));
    }

    fn head_changed(&mut self, tenant: Tenant, from: Head, to: Head, _state: &mut ()) {
        self.heads.remove(&(from.arrival, tenant));
        self.heads.insert((to.arrival, tenant));
    }

    fn select<J>(&mut self, _lanes: &mut Lanes<(), J>) -> Option<Tenant> {
        let (_, tenant) = self.heads.pop_first()?;
        Some(tenant)
    }

    fn served(&mut self, tenant: Tenant, _cost: Cost, standing: Standing, _state: &mut ()) {
        if let Standing::Eligible(next) = standing {
            self.heads.insert((next.arrival, tenant));
        }
    }
}
