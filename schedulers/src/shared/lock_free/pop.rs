//! How jobs leave the front of a lane: one compare-exchange of the gate.

use std::mem::MaybeUninit;

use super::lane::{Front, Lane};
use super::node::{Node, Phase};
use super::pool::Pool;
use crate::sync::epoch::Guard;
use crate::sync::sequential::Ordering;
use crate::{Cost, Tenant};

/// What a take finds in a lane.
pub(super) enum Pop<J> {
    /// A job, which is in flight now.
    Job(Popped<J>),
    /// A job that its tenant cannot pay for.
    Short,
    /// There was an instant at which the tenant was not eligible.
    Idle,
}

/// A job that has left its lane into flight.
pub(super) struct Popped<J> {
    pub(super) job: J,
    pub(super) cost: Cost,
    /// Whether the tenant can still be served, and its bit may not be set.
    pub(super) is_untold: bool,
    /// Whether a job waits.
    pub(super) has_more: bool,
    /// Whether the tenant is below its cap, and not paused.
    pub(super) is_open: bool,
}

impl Lane {
    /// Takes the first job into flight, if the tenant is eligible and can pay for it.
    #[inline]
    pub(super) fn pop<J>(
        &self,
        pool: &Pool<J>,
        tenant: Tenant,
        can_pay: impl Fn(Cost) -> bool,
        guard: &Guard,
    ) -> Pop<J> {
        loop {
            let gate = self.gate();
            if !gate.is_open() {
                return Pop::Idle;
            }
            match self.front(pool, gate, guard) {
                Front::Empty => return Pop::Idle,
                Front::Changed => {}
                Front::Job(number, node, state) if state.phase == Phase::Waiting => {
                    // Relaxed: written before the push that `front` has seen.
                    if !can_pay(Cost::new(node.cost.load(Ordering::Relaxed))) {
                        if self.gate() == gate {
                            return Pop::Short;
                        }
                        continue;
                    }
                    let taken = gate.taken();
                    if self.exchange_gate(gate, taken) {
                        self.hint_next(pool, tenant, (gate.first(), node), guard);
                        let (job, cost) = Self::unload(node);
                        pool.free(number, node, guard);
                        let has_more = self.tail().next != taken.first();
                        return Pop::Job(Popped {
                            job,
                            cost,
                            is_untold: has_more && taken.is_open() && !taken.is_told(),
                            has_more,
                            is_open: taken.is_open(),
                        });
                    }
                }
                Front::Job(number, node, state) => {
                    self.pass_cancelled(pool, tenant, gate, (number, node, state), guard);
                }
            }
        }
    }

    /// The cost of the first job, if one waits.
    pub(super) fn first_cost<J>(
        &self,
        pool: &Pool<J>,
        tenant: Tenant,
        guard: &Guard,
    ) -> Option<Cost> {
        self.sweep(pool, tenant, guard);
        match self.front(pool, self.gate(), guard) {
            // Relaxed: as in `pop`. The job may leave at any time: this is for the account.
            Front::Job(_, node, _) => Some(Cost::new(node.cost.load(Ordering::Relaxed))),
            Front::Empty | Front::Changed => None,
        }
    }

    /// Takes the first job out, whether or not the tenant is eligible, if its number is below this.
    pub(super) fn withdraw<J>(
        &self,
        pool: &Pool<J>,
        tenant: Tenant,
        end: u32,
        guard: &Guard,
    ) -> Option<J> {
        loop {
            let gate = self.gate();
            #[allow(clippy::cast_possible_wrap)] // jobs before the end, or after
            if end.wrapping_sub(gate.first()) as i32 <= 0 {
                return None;
            }
            match self.front(pool, gate, guard) {
                Front::Empty => return None,
                Front::Changed => {}
                Front::Job(number, node, state) if state.phase == Phase::Waiting => {
                    if self.exchange_gate(gate, gate.passed()) {
                        self.hint_next(pool, tenant, (gate.first(), node), guard);
                        let (job, _) = Self::unload(node);
                        pool.free(number, node, guard);
                        return Some(job);
                    }
                }
                Front::Job(number, node, state) => {
                    self.pass_cancelled(pool, tenant, gate, (number, node, state), guard);
                }
            }
        }
    }

    /// The job of a node that the caller has taken, and its cost.
    #[inline]
    pub(super) fn unload<J>(node: &Node<J>) -> (J, Cost) {
        // SAFETY: the caller moved the gate past the node, or it cancelled its job: either is done by
        // one only. The job was written before the node was pushed, and read after that was seen.
        let job = node.job.with_mut(|job| unsafe {
            std::mem::replace(&mut *job, MaybeUninit::uninit()).assume_init()
        });
        // Relaxed: as the job.
        (job, Cost::new(node.cost.load(Ordering::Relaxed)))
    }
}
