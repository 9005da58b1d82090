//! First in, first out: the oldest job among the first jobs of all eligible tenants.
//!
//! Without caps this is the plain queue that a burst makes everybody wait in, and the baseline of
//! every comparison. With a cap on jobs in flight it is the usual first remedy: the jobs of a tenant
//! at its cap are passed over, and not scanned, because only its first job stands in the order.
//!
//! An ordered set holds the arrival of each eligible tenant's first job. Push and take are O(log t)
//! in tenants with work, and allocate a node of the set now and then, which is what per-tenant caps cost
//! over a bare `VecDeque`.
//!
//! It promises no fairness: a tenant waits for everything that came before. Use it to know what
//! you gain by leaving it. A job that was parked while 2^32 others came counts as one of those.

use std::collections::BTreeSet;
use std::fmt;

use super::Discipline;
use crate::{Cost, Head, LagMax, Settings, Standing, Tenant, Tenants};

/// Arrival order among the first jobs of eligible tenants.
#[derive(Clone)]
pub struct Fifo {
    /// Each eligible tenant, by the arrival of its first job.
    order: BTreeSet<(u64, Tenant)>,
}

/// Where an eligible tenant stands in the order.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Place {
    /// The arrival of the job that was its first when it was put there; 0 while it is in no place.
    arrival: u64,
}

impl fmt::Debug for Fifo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Fifo of {} tenants with work", self.order.len())
    }
}

impl Fifo {
    fn insert(&mut self, tenant: Tenant, head: Head, place: &mut Place) {
        place.arrival = head.arrival;
        self.order.insert((head.arrival, tenant));
    }

    fn remove(&mut self, tenant: Tenant, place: &mut Place) {
        self.order.remove(&(place.arrival, tenant));
        *place = Place::default();
    }
}

impl Discipline for Fifo {
    type State = Place;

    fn new(_settings: &Settings) -> Self {
        Self {
            order: BTreeSet::new(),
        }
    }

    fn lag_max(&self) -> Option<LagMax> {
        None
    }

    fn enlist(&mut self, tenant: Tenant, head: Head, place: &mut Place) {
        self.insert(tenant, head, place);
    }

    fn delist(&mut self, tenant: Tenant, _head: Head, _standing: Standing, place: &mut Place) {
        self.remove(tenant, place);
    }

    fn head_changed(&mut self, tenant: Tenant, _from: Head, to: Head, place: &mut Place) {
        self.remove(tenant, place);
        self.insert(tenant, to, place);
    }

    fn select(&mut self, _tenants: &mut impl Tenants<Place>) -> Option<Tenant> {
        let (_, tenant) = self.order.pop_first()?;
        Some(tenant)
    }

    fn served(&mut self, tenant: Tenant, _cost: Cost, standing: Standing, place: &mut Place) {
        match standing {
            Standing::Eligible(head) => self.insert(tenant, head, place),
            Standing::Parked(_) | Standing::Idle => *place = Place::default(),
        }
    }
}
