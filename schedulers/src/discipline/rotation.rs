//! Rotation: exactly the order of a rotating scan over all tenants, without the scan.
//!
//! The eligible tenants are the bits of a hierarchical bitmap, and the next one is the next bit set
//! at or after the pointer: the find-first-set idea of Eiffel (Saeed et al., NSDI 2019), applied to
//! handles in place of priorities.
//!
//! Push and take are O(log64 tenants): four words at a million. Turns of two tenants that stay
//! eligible differ by at most one, as the pointer passes each once a round.
//!
//! A tenant that wakes just ahead of the pointer is served at once, one that wakes just behind it
//! waits a round: on average half of what [`ActiveList`](super::ActiveList) makes it wait. Turns are
//! equal, work is not: where costs or weights differ, use
//! [`DeficitRoundRobin`](super::DeficitRoundRobin).

use super::Discipline;
use crate::bitmap::Bitmap;
use crate::{Cost, Head, LagMax, Settings, Standing, Tenant, Tenants};

/// One job a turn, in the order of the handles, found by bitmap.
#[derive(Clone, Debug)]
pub struct Rotation {
    /// The eligible tenants, exactly.
    eligible: Bitmap,
    /// Where the next search begins; it survives pushes and calls.
    pointer: usize,
}

impl Discipline for Rotation {
    type State = ();

    fn new(_settings: &Settings) -> Self {
        Self {
            eligible: Bitmap::default(),
            pointer: 0,
        }
    }

    fn lag_max(&self) -> Option<LagMax> {
        Some(LagMax::ONE_TURN)
    }

    #[inline(always)]
    fn enlist(&mut self, tenant: Tenant, _head: Head, _state: &mut ()) {
        self.eligible.set(tenant.position());
    }

    fn delist(&mut self, tenant: Tenant, _head: Head, _standing: Standing, _state: &mut ()) {
        self.eligible.clear(tenant.position());
    }

    #[inline(always)]
    fn select(&mut self, tenants: &mut impl Tenants<()>) -> Option<Tenant> {
        let next = self.eligible.first_from(self.pointer);
        let position = next.or_else(|| self.eligible.first_from(0))?;
        self.pointer = super::next_position(position, tenants.known());
        tenants.count_turns(Tenant::at(position), 1);
        Some(Tenant::at(position))
    }

    #[inline(always)]
    fn served(&mut self, tenant: Tenant, _cost: Cost, standing: Standing, _state: &mut ()) {
        if !standing.is_eligible() {
            self.eligible.clear(tenant.position());
        }
    }
}
