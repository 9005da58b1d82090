//! What a policy decides: whose turn it is, and for how long.

use super::LockFree;
use super::lane::Lane;
use crate::sync::epoch::Guard;
use crate::{Cost, LagMax, Settings, Taken, Tenant, Ticket};

/// The turn, in one word: where it is, whether it goes on, and how many there were.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Turn {
    /// The tenant at it, or the first that may have the next one.
    pub(super) position: u32,
    /// Whether that tenant has begun its turn.
    pub(super) is_begun: bool,
    /// Counts changes, so that nobody takes one turn for another.
    pub(super) count: u32,
}

/// The mark of a turn that was begun, beyond all positions.
const BEGUN: u32 = 1 << 31;

impl Turn {
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // the halves
    pub(super) const fn from_word(word: u64) -> Self {
        let low = word as u32;
        Self {
            position: low & !BEGUN,
            is_begun: low & BEGUN != 0,
            count: (word >> 32) as u32,
        }
    }

    #[inline]
    pub(super) const fn word(self) -> u64 {
        let mark = if self.is_begun { BEGUN } else { 0 };
        (self.count as u64) << 32 | (self.position | mark) as u64
    }

    /// The turn after this one, of this tenant.
    #[inline]
    pub(super) const fn begin(self, tenant: Tenant) -> Self {
        Self {
            position: tenant.index(),
            is_begun: true,
            count: self.count.wrapping_add(1),
        }
    }

    /// No turn, and the next one for whoever is behind this tenant.
    #[inline]
    pub(super) const fn pass(self, tenant: Tenant) -> Self {
        Self {
            position: tenant.index() + 1,
            is_begun: false,
            count: self.count.wrapping_add(1),
        }
    }
}

/// How a tenant stands when a job of it was taken.
#[derive(Clone, Copy, Debug)]
pub struct Left {
    /// Whether a job waits.
    pub(super) has_more: bool,
    /// Whether it is below its cap, and not paused.
    pub(super) is_open: bool,
}

/// How turns are given. Sealed: [`Turns`](super::Turns) and [`Deficits`](super::Deficits).
#[allow(private_interfaces, unused_variables, missing_docs)]
pub trait Policy: Sized + Send + Sync {
    fn new(settings: &Settings) -> Self;

    fn lag_max(&self) -> LagMax;

    /// The next job. `None` only if there was an instant at which nobody was eligible.
    fn take<J>(&self, queue: &LockFree<Self, J>, guard: &Guard) -> Option<Taken<J>>;

    /// A job of this cost was taken, and so the tenant stands now.
    fn served<J>(
        &self,
        queue: &LockFree<Self, J>,
        tenant: Tenant,
        lane: &Lane,
        (cost, left): (Cost, Left),
        guard: &Guard,
    ) {
    }

    /// A job has cost another amount than was charged, and has not landed yet.
    fn settle<J>(&self, queue: &LockFree<Self, J>, lane: &Lane, ticket: &Ticket, actual: Cost) {}

    /// The tenant has no job left, other than by a take.
    fn idle(&self, lane: &Lane) {}

    /// The tenant was paused, or is at its cap.
    fn parked<J>(&self, queue: &LockFree<Self, J>, tenant: Tenant, lane: &Lane, guard: &Guard) {}

    /// The tenant has another weight.
    fn reweighed<J>(&self, queue: &LockFree<Self, J>, tenant: Tenant, lane: &Lane, guard: &Guard) {}
}
