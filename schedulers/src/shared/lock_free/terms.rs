//! What a tenant is entitled to, as its lane keeps it; and whether the lane is used at all.

use super::gate::{Caps, Tail};
use super::lane::{Lane, cap};
use crate::sync::sequential::Ordering;
use crate::{Limits, Weight};

/// A tail whose node is this, and the number of an attempt to free the lane, is sealed: no job can be
/// pushed, see [`super::table`]. No node has such an index.
pub(super) const SEAL: u32 = 1 << 31;

impl Lane {
    pub(super) fn set_paused(&self, paused: bool) {
        self.change_gate(|gate| gate.with_paused(paused).touched());
    }

    /// Changes what the tenant is entitled to, and says whether its weight is another.
    pub(super) fn configure(&self, limits: &Limits) -> bool {
        self.backlog_max.store(limits.backlog_max, Ordering::SeqCst);
        let weight = limits.weight.get();
        let is_reweighed = self.weight.swap(weight, Ordering::SeqCst) != weight;
        loop {
            let seen = self.settled_caps();
            let proposed = seen.propose(cap(limits));
            if self.exchange_caps(seen, proposed) {
                self.settle_caps(proposed);
                return is_reweighed;
            }
        }
    }

    fn exchange_caps(&self, from: Caps, to: Caps) -> bool {
        // SeqCst, as for the gate.
        self.caps
            .compare_exchange(from.word(), to.word(), Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }

    fn caps(&self) -> Caps {
        Caps::from_word(self.caps.load(Ordering::SeqCst))
    }

    /// The caps, once no change is under way: takes one that is to its end.
    fn settled_caps(&self) -> Caps {
        loop {
            let caps = self.caps();
            if !caps.is_pending() {
                return caps;
            }
            self.settle_caps(caps);
        }
    }

    fn settle_caps(&self, caps: Caps) {
        loop {
            let gate = self.gate();
            if gate.parity() == caps.parity() {
                break;
            }
            if self.caps() != caps {
                return; // somebody has taken it to its end
            }
            let recapped = gate.recapped(caps.current(), caps.proposed());
            self.exchange_gate(gate, recapped);
        }
        self.exchange_caps(caps, caps.settled());
    }

    pub(super) fn in_flight(&self) -> usize {
        loop {
            let caps = self.settled_caps();
            let slots = i64::from(self.gate().slots());
            if self.caps() == caps {
                return usize::try_from(i64::from(caps.current()) - slots).unwrap_or(0);
            }
        }
    }

    #[inline]
    pub(super) fn weight(&self) -> Weight {
        Weight::new(self.weight.load(Ordering::Relaxed)).unwrap_or(Weight::ONE)
    }

    /// Tells the jobs of a tenant from those of earlier ones of the same handle.
    #[inline]
    pub(super) fn era(&self) -> u32 {
        self.era.load(Ordering::Relaxed)
    }

    pub(super) fn begin_era(&self) {
        self.era.fetch_add(1, Ordering::SeqCst);
    }

    /// Keeps every push out, for this attempt to free the lane, if no job waits and no later attempt
    /// has done so.
    pub(super) fn seal(&self, attempt: u32) -> bool {
        let tail = self.tail();
        let sealed = Tail {
            node: SEAL | attempt,
            next: tail.next,
        };
        let is_later = tail.node & SEAL != 0 && is_before(attempt, tail.node & !SEAL);
        let is_empty = tail.next == self.gate().first();
        is_empty && !is_later && (tail == sealed || self.exchange_tail(tail, sealed))
    }

    /// The tail, if it is sealed.
    pub(super) fn sealed(&self) -> Option<Tail> {
        let tail = self.tail();
        (tail.node & SEAL != 0).then_some(tail)
    }

    /// Lets pushes in again, if the seal is still this one.
    pub(super) fn unseal(&self, sealed: Tail) {
        let unsealed = Tail {
            node: 0,
            next: sealed.next,
        };
        self.exchange_tail(sealed, unsealed);
    }

    /// Whether nothing would be lost with the lane: it is as one that nobody has used.
    pub(super) fn is_vacant(&self, limits: &Limits) -> bool {
        let (caps, gate) = (self.settled_caps(), self.gate());
        caps.current() == cap(limits)
            && i64::from(gate.slots()) == i64::from(cap(limits))
            && !gate.is_paused()
            && self.backlog_max.load(Ordering::SeqCst) == limits.backlog_max
            && self.weight.load(Ordering::SeqCst) == limits.weight.get()
            && self.account.load(Ordering::SeqCst) == 0
    }
}

/// Whether one attempt is before another, counted in 31 bits.
const fn is_before(one: u32, other: u32) -> bool {
    other.wrapping_sub(one) << 1 < 1 << 31 && one != other
}
