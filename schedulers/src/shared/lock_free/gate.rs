//! The gate of a lane: all that decides whether a tenant may be served, but whether it has jobs, in
//! one word; and the tail, which with the gate says that.
//!
//! A lane numbers its jobs, modulo 2^32. The tail counts those pushed, the gate those that have left:
//! while the two differ, there are jobs, and the one whose number is in the gate is the first.
//! Whoever changes the gate from a value that it has read knows that nothing happened in between to
//! the order of jobs, the slots or the pause; so a take is one compare-exchange of the gate.

/// The most jobs of one tenant in flight, and so the largest cap that means anything.
pub(super) const SLOTS_MAX: u32 = (1 << 20) - 1;

/// What is read and exchanged at once. From the low end: 32 bits of `first`, 8 of `tag`, 1 of
/// `parity`, 1 of `told`, 1 of `paused`, and 21, with sign, of `slots`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Gate(u64);

const TAG: u64 = 1 << 32;
const TAG_BITS: u64 = 0xff << 32;
const PARITY: u64 = 1 << 40;
const TOLD: u64 = 1 << 41;
const PAUSED: u64 = 1 << 42;
const SLOT: u64 = 1 << 43;

impl Gate {
    /// Nothing has left, nobody was told.
    pub(super) const fn new(first: u32, slots: u32) -> Self {
        Self(first as u64 | (slots as u64 * SLOT))
    }

    #[inline]
    pub(super) const fn from_word(word: u64) -> Self {
        Self(word)
    }

    #[inline]
    pub(super) const fn word(self) -> u64 {
        self.0
    }

    /// The number of the first job that has not left.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // the low half
    pub(super) const fn first(self) -> u32 {
        self.0 as u32
    }

    /// How many more jobs may be in flight: negative while a cap was lowered below what is.
    #[inline]
    #[allow(clippy::cast_possible_wrap, clippy::cast_possible_truncation)] // 21 bits
    pub(super) const fn slots(self) -> i32 {
        (self.0 as i64 >> SLOT.trailing_zeros()) as i32
    }

    /// Whether a job could be taken now, if there is one.
    #[inline]
    pub(super) const fn is_open(self) -> bool {
        self.slots() > 0 && self.0 & PAUSED == 0
    }

    /// Whether the bitmap has been told since the tenant is eligible.
    #[inline]
    pub(super) const fn is_told(self) -> bool {
        self.0 & TOLD != 0
    }

    #[inline]
    pub(super) const fn is_paused(self) -> bool {
        self.0 & PAUSED != 0
    }

    /// Turns over with each change of the cap.
    #[inline]
    pub(super) const fn parity(self) -> bool {
        self.0 & PARITY != 0
    }

    /// The first job has left, into flight.
    #[inline]
    pub(super) const fn taken(self) -> Self {
        Self(self.passed().0.wrapping_sub(SLOT))
    }

    /// The first job has left, by another way.
    #[inline]
    pub(super) const fn passed(self) -> Self {
        let first = self.first().wrapping_add(1);
        Self(self.0 & !(u32::MAX as u64) | first as u64)
    }

    /// A job in flight has landed.
    #[inline]
    pub(super) const fn landed(self) -> Self {
        Self(self.0.wrapping_add(SLOT))
    }

    /// The same in another word, so that whoever has read this one cannot exchange it.
    #[inline]
    pub(super) const fn touched(self) -> Self {
        Self(self.0 & !TAG_BITS | self.0.wrapping_add(TAG) & TAG_BITS)
    }

    pub(super) const fn with_told(self, told: bool) -> Self {
        Self(if told { self.0 | TOLD } else { self.0 & !TOLD })
    }

    pub(super) const fn with_paused(self, paused: bool) -> Self {
        Self(if paused {
            self.0 | PAUSED
        } else {
            self.0 & !PAUSED
        })
    }

    /// Another cap holds, in another word.
    pub(super) const fn recapped(self, from: u32, to: u32) -> Self {
        let moved = (to as u64).wrapping_sub(from as u64).wrapping_mul(SLOT);
        Self((self.0 ^ PARITY).wrapping_add(moved)).touched()
    }
}

/// The last job pushed, and how many were: the node is meaningless when all of them have left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tail {
    pub(super) node: u32,
    /// How many jobs were pushed, and so the number of the next one.
    pub(super) next: u32,
}

impl Tail {
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // the halves
    pub(super) const fn from_word(word: u64) -> Self {
        Self {
            node: (word >> 32) as u32,
            next: word as u32,
        }
    }

    #[inline]
    pub(super) const fn word(self) -> u64 {
        (self.node as u64) << 32 | self.next as u64
    }
}

/// A cap, and the one that is to take its place, until the gate has it.
///
/// A change is three steps that anybody can take further: the proposal here, the slots and the parity
/// in the gate, and the end here. So the gate knows only slots, and still two changes at once do not
/// add up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Caps(u64);

const CAP_BITS: u64 = (1 << 20) - 1;
const PROPOSED_SHIFT: u32 = 20;
const CAPS_PARITY: u64 = 1 << 40;
const CAPS_PENDING: u64 = 1 << 41;
const CAPS_VERSION: u64 = 1 << 42;

impl Caps {
    pub(super) const fn new(cap: u32) -> Self {
        Self(cap as u64)
    }

    #[inline]
    pub(super) const fn from_word(word: u64) -> Self {
        Self(word)
    }

    #[inline]
    pub(super) const fn word(self) -> u64 {
        self.0
    }

    /// The cap that holds, or held until now.
    #[allow(clippy::cast_possible_truncation)] // 20 bits
    pub(super) const fn current(self) -> u32 {
        (self.0 & CAP_BITS) as u32
    }

    #[allow(clippy::cast_possible_truncation)] // 20 bits
    pub(super) const fn proposed(self) -> u32 {
        (self.0 >> PROPOSED_SHIFT & CAP_BITS) as u32
    }

    pub(super) const fn is_pending(self) -> bool {
        self.0 & CAPS_PENDING != 0
    }

    /// The parity of the gate once it has the cap proposed.
    pub(super) const fn parity(self) -> bool {
        self.0 & CAPS_PARITY != 0
    }

    pub(super) const fn propose(self, cap: u32) -> Self {
        let kept = self.0 & !(CAP_BITS << PROPOSED_SHIFT) | (cap as u64) << PROPOSED_SHIFT;
        Self((kept ^ CAPS_PARITY) | CAPS_PENDING)
    }

    pub(super) const fn settled(self) -> Self {
        let kept = self.0 & !CAP_BITS & !CAPS_PENDING | self.proposed() as u64;
        Self(kept.wrapping_add(CAPS_VERSION))
    }
}
