//! A lane: one tenant's jobs in order, its counters, and what its operations report.

use std::num::NonZeroU32;

use crate::slab::{NIL, Slab};
use crate::{Cost, UnknownTenant};

/// What a discipline may know of a tenant's first waiting job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head {
    /// Its cost, as given at the push.
    pub cost: Cost,
    /// How many jobs the queue had accepted when this one was the last of them. Exact while fewer
    /// than 2^32 came after it.
    pub arrival: u64,
}

/// How a tenant stands after something happened to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It can be served, and this is its first job.
    Eligible(Head),
    /// It has jobs, this one first, but is at its cap or paused.
    Parked(Head),
    /// It has no job waiting.
    Idle,
}

impl Standing {
    /// Whether the tenant can be served.
    #[inline(always)]
    #[must_use]
    pub const fn is_eligible(self) -> bool {
        matches!(self, Self::Eligible(_))
    }
}

/// One tenant: 16 bytes and the discipline's state.
///
/// The two counters count down from the limits, so that the hot paths compare with zero and need
/// not read the limits at all. They are negative while a limit was lowered below what it limits.
#[derive(Clone, Copy)]
pub(crate) struct Lane<S> {
    /// The slot of the first job, or [`NIL`].
    pub(crate) head: u32,
    /// The slot of the last job; meaningless without a first.
    pub(crate) tail: u32,
    /// How many more jobs may be in flight: `in_flight_max` less those that are.
    pub(crate) slots: i32,
    /// How many more jobs may wait: `backlog_max` less those that do.
    pub(crate) space: i32,
    /// Written by the discipline alone.
    pub(crate) state: S,
}

impl<S> Lane<S> {
    /// How the tenant stands. Whether it is eligible does not depend on what is read of its first
    /// job, and nothing can panic, so a discipline that does not look at the job does not pay for it.
    #[inline(always)]
    pub(crate) fn standing<J>(&self, slab: &Slab<J>) -> Standing {
        if self.head == NIL {
            return Standing::Idle;
        }
        let head = slab.head(self.head);
        if self.slots > 0 {
            Standing::Eligible(head)
        } else {
            Standing::Parked(head)
        }
    }
}

/// How much of a limit is used, given what is left of it.
pub(crate) fn used(limit: i32, left: i32) -> usize {
    usize::try_from(i64::from(limit) - i64::from(left))
        .expect("nothing is used less than not at all")
}

/// What is left of a limit, once it has changed.
pub(crate) fn rebase(left: i32, old: i32, new: i32) -> i32 {
    let left = i64::from(left) - i64::from(old) + i64::from(new);
    i32::try_from(left).expect("limits, and what they limit, are counted in 31 bits")
}

/// A job that left its lane by a take.
pub(crate) struct Popped<'a, S, J> {
    pub(crate) job: J,
    pub(crate) cost: Cost,
    pub(crate) standing: Standing,
    pub(crate) state: &'a mut S,
}

/// A job that has joined a lane.
pub(crate) struct Appended<'a, S> {
    pub(crate) slot: u32,
    pub(crate) stamp: NonZeroU32,
    /// The job and the tenant's state, where this made the tenant eligible.
    pub(crate) enlist: Option<(Head, &'a mut S)>,
}

/// A tenant whose standing an operation may have changed.
pub(crate) struct Change<'a, S> {
    pub(crate) before: Standing,
    pub(crate) after: Standing,
    pub(crate) state: &'a mut S,
}

/// Why a job did not join a lane.
#[derive(Clone, Copy)]
pub(crate) enum NotAppended {
    NoLane(UnknownTenant),
    LaneFull { backlog_max: u32 },
}
