//! Scan all: a pointer rotates over every known tenant and stops at the next one with work.
//!
//! This is the queue that people write by hand: a list of tenants, an index, a loop. It is kept as
//! the honest baseline.
//!
//! Push is O(1); take is O(tenants known), working or not, so ten thousand idle tenants make every
//! take slow. Turns of two tenants that stay eligible differ by at most one: the pointer passes each
//! once a round. Use [`Rotation`](super::Rotation): the same order, without the scan.

use super::Discipline;
use crate::{Cost, Head, LagMax, Settings, Standing, Tenant, Tenants};

/// One job a turn, in the order of the handles, found by looking at each.
#[derive(Clone, Debug)]
pub struct ScanAll {
    /// Where the next scan begins; it survives pushes and calls.
    pointer: usize,
}

impl Discipline for ScanAll {
    type State = ();

    fn new(_settings: &Settings) -> Self {
        Self { pointer: 0 }
    }

    fn lag_max(&self) -> Option<LagMax> {
        Some(LagMax::ONE_TURN)
    }

    fn enlist(&mut self, _tenant: Tenant, _head: Head, _state: &mut ()) {}

    fn delist(&mut self, _tenant: Tenant, _head: Head, _standing: Standing, _state: &mut ()) {}

    fn select(&mut self, tenants: &mut impl Tenants<()>) -> Option<Tenant> {
        let end = tenants.tenants();
        let start = self.pointer.min(end);
        let position = (start..end)
            .chain(0..start)
            .find(|&position| tenants.is_eligible(Tenant::at(position)))?;
        self.pointer = super::next_position(position, tenants.known());
        tenants.count_turns(Tenant::at(position), 1);
        Some(Tenant::at(position))
    }

    fn served(&mut self, _tenant: Tenant, _cost: Cost, _standing: Standing, _state: &mut ()) {}
}
