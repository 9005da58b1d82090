//! A lane: one tenant's jobs in order, which any thread may append to and take from.
//!
//! Jobs are numbered. The tail (one word: the last node, and the number of the next job) grows by one
//! compare-exchange, and each node names the *older* one, written before: so from the tail, every
//! job that waits can be reached, by anybody, at any time. A take needs the oldest. It is found by
//! two hints that are written late, and are checked rather than trusted: the lane's, which names the
//! first job by its number, and each node's, which names the *newer* one. Where both fail, because a
//! thread rests between a step and its hint, the take walks from the tail: O(backlog), once.
//!
//! A take is one compare-exchange of the gate, which holds the number of the first job: nobody can
//! have taken, passed or cancelled that job, if the gate is as it was. Cancelling marks the node
//! first; if the job is then the first of its lane, it changes the gate (so that a take which has not
//! seen the mark fails), and is sure. A take that comes upon a marked node helps.

use super::gate::{Caps, Gate, SLOTS_MAX, Tail};
use super::node::{Link, Node, State};
use super::pool::Pool;
use super::terms::SEAL;
use crate::sync::epoch::Guard;
use crate::sync::sequential::{AtomicI64, AtomicU32, AtomicU64, Ordering};
use crate::{Limits, Tenant};

/// Names no job that waits: the last number of all, of which a lane begins at the other end.
const NO_HINT: Link = Link {
    node: 0,
    stamp: u32::MAX,
};

/// One tenant, on a cache line of its own.
#[repr(align(64))]
pub(super) struct Lane {
    /// A [`Gate`].
    gate: AtomicU64,
    /// A [`Tail`].
    tail: AtomicU64,
    /// A [`Link`] to the first job, by its number; a hint.
    oldest: AtomicU64,
    /// [`Caps`].
    pub(super) caps: AtomicU64,
    /// Changed by `configure` alone, as is the weight.
    pub(super) backlog_max: AtomicU32,
    pub(super) weight: AtomicU32,
    /// How many nodes are of cancelled jobs; as it wraps, the sign counts.
    pub(super) cancelled: AtomicU32,
    /// How often a tenant of this handle was removed with jobs in flight.
    pub(super) era: AtomicU32,
    /// Of the policy.
    pub(super) account: AtomicI64,
}

/// How a push to a lane ends.
pub(super) enum Appended {
    /// With a job in the lane.
    Yes,
    /// The tenant has as many jobs as it may.
    Full { backlog_max: u32 },
    /// The lane is about to be freed.
    Sealed,
}

/// What holds at the front of a lane.
pub(super) enum Front<'a, J> {
    /// This job waits, if the gate is still the same.
    Job(u32, &'a Node<J>, State),
    /// There is none.
    Empty,
    /// The gate has changed.
    Changed,
}

pub(super) fn cap(limits: &Limits) -> u32 {
    limits.in_flight_max.min(SLOTS_MAX)
}

impl Lane {
    pub(super) fn new(limits: &Limits) -> Self {
        let cap = cap(limits);
        Self {
            gate: AtomicU64::new(Gate::new(0, cap).word()),
            tail: AtomicU64::new(Tail { node: 0, next: 0 }.word()),
            oldest: AtomicU64::new(NO_HINT.word()),
            caps: AtomicU64::new(Caps::new(cap).word()),
            backlog_max: AtomicU32::new(limits.backlog_max),
            weight: AtomicU32::new(limits.weight.get()),
            cancelled: AtomicU32::new(0),
            era: AtomicU32::new(0),
            account: AtomicI64::new(0),
        }
    }

    // SeqCst, in the four below: every argument about this lane and the bitmap's is in terms of one
    // order of all reads and exchanges of gates, tails and words.

    #[inline]
    pub(super) fn gate(&self) -> Gate {
        Gate::from_word(self.gate.load(Ordering::SeqCst))
    }

    #[inline]
    pub(super) fn tail(&self) -> Tail {
        Tail::from_word(self.tail.load(Ordering::SeqCst))
    }

    #[inline]
    pub(super) fn exchange_gate(&self, from: Gate, to: Gate) -> bool {
        self.gate
            .compare_exchange(from.word(), to.word(), Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }

    #[inline]
    pub(super) fn exchange_tail(&self, from: Tail, to: Tail) -> bool {
        self.tail
            .compare_exchange(from.word(), to.word(), Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }

    /// Whether the tenant can be served.
    #[inline]
    pub(super) fn is_eligible(&self) -> bool {
        // The tail is read after the gate, and only grows: where both agree, the lane was empty when
        // the gate was read.
        let gate = self.gate();
        gate.is_open() && self.tail().next != gate.first()
    }

    /// Changes the gate, and gives what it was and is.
    pub(super) fn change_gate(&self, change: impl Fn(Gate) -> Gate) -> (Gate, Gate) {
        let mut seen = self.gate();
        loop {
            let changed = change(seen);
            if self.exchange_gate(seen, changed) {
                return (seen, changed);
            }
            seen = self.gate();
        }
    }

    /// Whether somebody who has just made the tenant eligible, or found it so, has to raise its bit.
    /// Gives the gate to be told then.
    #[inline]
    pub(super) fn untold(&self) -> Option<Gate> {
        let gate = self.gate();
        let is_untold = !gate.is_told() && gate.is_open() && self.tail().next != gate.first();
        is_untold.then_some(gate)
    }

    /// The bit was raised after the gate was read: nobody need do so again, while it is the same.
    #[inline]
    pub(super) fn tell(&self, gate: Gate) {
        self.exchange_gate(gate, gate.with_told(true));
    }

    /// Whoever makes the tenant eligible from now on raises its bit.
    pub(super) fn forget_told(&self) {
        if self.gate().is_told() {
            self.change_gate(|gate| gate.with_told(false));
        }
    }

    /// Whether the bit may be lowered: the tenant is not eligible, and whoever makes it so will raise it.
    pub(super) fn is_idle_untold(&self) -> bool {
        // As in `is_eligible`, of one gate.
        let gate = self.gate();
        let may_be_served = gate.is_open() && self.tail().next != gate.first();
        !gate.is_told() && !may_be_served
    }

    /// How many jobs wait, given the gate and the tail.
    #[inline]
    #[allow(clippy::cast_possible_wrap, clippy::cast_sign_loss)] // fewer jobs than 2^27, counted modulo 2^32
    fn waiting(&self, gate: Gate, tail: Tail) -> u32 {
        let waiting = tail.next.wrapping_sub(gate.first()) as i32;
        let cancelled = self.cancelled.load(Ordering::SeqCst) as i32;
        waiting.saturating_sub(cancelled.max(0)).max(0) as u32
    }

    /// How many jobs wait. Those that are just passed, or cancelled, may be counted or not.
    pub(super) fn backlog(&self) -> u32 {
        loop {
            let (gate, tail) = (self.gate(), self.tail());
            let waiting = self.waiting(gate, tail);
            if self.gate() == gate && self.tail() == tail {
                return waiting;
            }
        }
    }

    /// The number of the next job to be pushed.
    pub(super) fn end(&self) -> u32 {
        self.tail().next
    }

    /// The limit of the backlog, if it is reached.
    #[inline]
    pub(super) fn backlog_reached(&self) -> Option<u32> {
        let backlog_max = self.backlog_max.load(Ordering::SeqCst);
        (backlog_max != u32::MAX && self.backlog() >= backlog_max).then_some(backlog_max)
    }

    /// Appends a job that its node already holds.
    #[inline]
    pub(super) fn append<J>(
        &self,
        pool: &Pool<J>,
        link: Link,
        node: &Node<J>,
        guard: &Guard,
    ) -> Appended {
        let backlog_max = self.backlog_max.load(Ordering::SeqCst);
        loop {
            let gate = self.gate();
            let tail = self.tail();
            if tail.node & SEAL != 0 {
                return Appended::Sealed;
            }
            if backlog_max != u32::MAX && self.waiting(gate, tail) >= backlog_max {
                return Appended::Full { backlog_max };
            }
            // Relaxed: published by the exchange.
            node.older.store(tail.node, Ordering::Relaxed);
            // Release pairs with the acquire in `cancel`: who reads it sees that an earlier life of the
            // node is over.
            node.number.store(tail.next, Ordering::Release);
            let appended = Tail {
                node: link.node,
                next: tail.next.wrapping_add(1),
            };
            if !self.exchange_tail(tail, appended) {
                continue;
            }
            if tail.next == self.gate().first() {
                // The first job, or one that is gone by now: the hint says its number.
                self.hint(link.node, tail.next);
            } else if let Some(older) = pool.node(tail.node, guard) {
                // Perhaps another job's by now: whoever reads the hint looks at both ends.
                older.newer.store(link.word(), Ordering::Release);
            }
            return Appended::Yes;
        }
    }

    /// Release pairs with the acquire in `front`.
    #[inline]
    fn hint(&self, node: u32, number: u32) {
        let link = Link {
            node,
            stamp: number,
        };
        self.oldest.store(link.word(), Ordering::Release);
    }

    /// The first job, as long as the gate stays as it is.
    #[inline]
    pub(super) fn front<'a, J>(
        &self,
        pool: &'a Pool<J>,
        gate: Gate,
        guard: &'a Guard,
    ) -> Front<'a, J> {
        let tail = self.tail();
        if tail.next == gate.first() {
            return Front::Empty;
        }
        // Acquire pairs with the release in `hint`.
        let hint = Link::from_word(self.oldest.load(Ordering::Acquire));
        let number = if hint.stamp == gate.first() {
            hint.node
        } else {
            match Self::walk(pool, tail, gate.first(), guard) {
                Some(number) => number,
                None => return Front::Changed,
            }
        };
        match pool.node(number, guard) {
            // SeqCst pairs with the mark in `cancel`.
            Some(node) => {
                let state = State::from_word(node.state.load(Ordering::SeqCst));
                Front::Job(number, node, state)
            }
            None => Front::Changed,
        }
    }

    /// From the tail to the job of this number. What comes out is right if the gate has not changed:
    /// then every job on the way still waits. `None` if it has changed.
    #[cold]
    #[inline(never)]
    fn walk<J>(pool: &Pool<J>, tail: Tail, first: u32, guard: &Guard) -> Option<u32> {
        let mut node = tail.node;
        for _ in 1..tail.next.wrapping_sub(first) {
            // Acquire: pairs with the exchange of the tail by which the node was pushed.
            node = pool.node(node, guard)?.older.load(Ordering::Acquire);
        }
        Some(node)
    }

    /// The job of the number after this node's: of the tenant, and in the life that the hint names.
    #[inline]
    fn newer<J>(
        pool: &Pool<J>,
        tenant: Tenant,
        number: u32,
        node: &Node<J>,
        guard: &Guard,
    ) -> Option<u32> {
        // Acquire pairs with the release in `append`.
        let link = Link::from_word(node.newer.load(Ordering::Acquire));
        let newer = pool.node(link.node, guard)?;
        // Relaxed: what a node says of itself was written before the hint that names this life of it.
        let is_next = newer.number.load(Ordering::Relaxed) == number.wrapping_add(1)
            && newer.tenant.load(Ordering::Relaxed) == tenant.index()
            && State::from_word(newer.state.load(Ordering::Acquire)).stamp == link.stamp;
        is_next.then_some(link.node)
    }

    /// The gate has moved past a node, by the caller: writes the hint to the next.
    #[inline]
    pub(super) fn hint_next<J>(
        &self,
        pool: &Pool<J>,
        tenant: Tenant,
        left: (u32, &Node<J>),
        guard: &Guard,
    ) {
        let (number, node) = left;
        if let Some(next) = Self::newer(pool, tenant, number, node, guard) {
            self.hint(next, number.wrapping_add(1));
        }
    }

    /// A job in flight has ended. Says whether that may have made the tenant eligible, and its bit may
    /// not be set.
    #[inline]
    pub(super) fn land(&self) -> bool {
        let (before, after) = self.change_gate(Gate::landed);
        !before.is_open() && after.is_open() && !after.is_told()
    }
}
