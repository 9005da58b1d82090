//! The active list: tenants with work stand in a ring, and each turn serves one job.
//!
//! The idea is Nagle's (RFC 970, 1985: "On Packet Switches With Infinite Storage") without a scan:
//! a tenant joins at the tail when it becomes eligible, is served one job when it comes to the
//! front, and rejoins at the tail if it still is.
//!
//! Push and take are O(1). Over any stretch in which two tenants stay eligible, their turns differ
//! by at most one: between two turns of one tenant, every other tenant in the ring has exactly one.
//!
//! The order is not that of a rotating scan: a tenant that wakes waits for all that are in the ring,
//! the noisy one among them, where a scan may pass by it at once. [`Rotation`](super::Rotation) has
//! the scan's order. Turns are equal, work is not: where costs or weights differ, use
//! [`DeficitRoundRobin`](super::DeficitRoundRobin).

use super::Discipline;
use super::ring::Ring;
use crate::{Cost, Head, LagMax, Settings, Standing, Tenant, Tenants};

/// One job a turn, in a ring of the tenants with work.
#[derive(Clone, Debug)]
pub struct ActiveList {
    ring: Ring,
}

impl Discipline for ActiveList {
    type State = ();

    fn new(_settings: &Settings) -> Self {
        Self { ring: Ring::new() }
    }

    fn lag_max(&self) -> Option<LagMax> {
        Some(LagMax::ONE_TURN)
    }

    #[inline(always)]
    fn enlist(&mut self, tenant: Tenant, _head: Head, _state: &mut ()) {
        self.ring.join(tenant);
    }

    fn delist(&mut self, tenant: Tenant, _head: Head, _standing: Standing, _state: &mut ()) {
        self.ring.mark(tenant);
    }

    fn keeps_place(&self, tenant: Tenant) -> bool {
        self.ring.is_marked(tenant)
    }

    #[inline(always)]
    fn select(&mut self, tenants: &mut impl Tenants<()>) -> Option<Tenant> {
        let tenant = self.ring.pop()?;
        tenants.count_turns(tenant, 1);
        Some(tenant)
    }

    #[inline(always)]
    fn served(&mut self, tenant: Tenant, _cost: Cost, standing: Standing, _state: &mut ()) {
        if standing.is_eligible() {
            self.ring.append(tenant);
        }
    }

    fn shrink(&mut self) {
        self.ring.shrink();
    }
}
