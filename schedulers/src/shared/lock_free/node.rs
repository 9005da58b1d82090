//! A node: a job in its lane, and how it leaves.

use std::mem::MaybeUninit;

use crate::sync::UnsafeCell;
use crate::sync::sequential::{AtomicU32, AtomicU64};

/// The state of a node, in one word: a stamp that tells its jobs apart, one after the other, and a
/// phase. Waiting, cancelling, cancelled, and then vacated and passed in either order; and free.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct State {
    pub(super) stamp: u32,
    pub(super) phase: Phase,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// No job.
    Free,
    /// The job can be taken; it is taken by whoever moves the gate past it.
    Waiting,
    /// Somebody wants to cancel it. It may still be taken by one who did not see that, if the gate
    /// has not changed since.
    Cancelling,
    /// It is cancelled, and belongs to the one who does that.
    Cancelled,
    /// It is cancelled and gone; the gate has still to pass its node.
    Vacated,
    /// It is cancelled, the gate has passed, and the one who cancels still has to fetch it.
    Passed,
}

impl State {
    #[inline]
    pub(super) const fn new(stamp: u32, phase: Phase) -> Self {
        Self { stamp, phase }
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation)] // the halves
    pub(super) const fn from_word(word: u64) -> Self {
        let phase = match word as u32 {
            0 => Phase::Free,
            1 => Phase::Waiting,
            2 => Phase::Cancelling,
            3 => Phase::Cancelled,
            4 => Phase::Vacated,
            _ => Phase::Passed,
        };
        Self {
            stamp: (word >> 32) as u32,
            phase,
        }
    }

    #[inline]
    pub(super) const fn word(self) -> u64 {
        (self.stamp as u64) << 32 | self.phase as u64
    }
}

/// Names a node in one of its lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Link {
    pub(super) node: u32,
    /// The stamp of that life, or, in a lane's hint, the number of the job.
    pub(super) stamp: u32,
}

impl Link {
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // the halves
    pub(super) const fn from_word(word: u64) -> Self {
        Self {
            node: (word >> 32) as u32,
            stamp: word as u32,
        }
    }

    #[inline]
    pub(super) const fn word(self) -> u64 {
        (self.node as u64) << 32 | self.stamp as u64
    }
}

/// A job, and its place in a lane. All but the job may be read by anybody at any time; whether what
/// was read meant something is decided by the gate of the lane.
pub(super) struct Node<J> {
    /// A [`State`].
    pub(super) state: AtomicU64,
    /// A [`Link`] to the job behind, written by whoever pushed that one, at some time after: a hint.
    pub(super) newer: AtomicU64,
    /// The node of the job before it: written before it is pushed, and true until that job leaves.
    /// In a free node, the next free one of its chunk.
    pub(super) older: AtomicU32,
    /// The tenant, written before the push, as are the two below.
    pub(super) tenant: AtomicU32,
    /// The number of the job in its lane.
    pub(super) number: AtomicU32,
    pub(super) cost: AtomicU32,
    /// Written by whoever has got the node from the pool and has not yet pushed it; moved out by
    /// whoever took or cancelled the job.
    pub(super) job: UnsafeCell<MaybeUninit<J>>,
}

impl<J> Node<J> {
    pub(super) fn vacant(older: u32) -> Self {
        Self {
            state: AtomicU64::new(State::new(0, Phase::Free).word()),
            newer: AtomicU64::new(0),
            older: AtomicU32::new(older),
            tenant: AtomicU32::new(0),
            number: AtomicU32::new(0),
            cost: AtomicU32::new(0),
            job: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }
}
