//! Cancelling: a job in the middle of a lane is marked, and its node passed when its turn comes.
//!
//! The mark alone does not decide: a take that has read the gate before may still win the job. So if the
//! job is the first of its lane, the gate is touched after the mark, which makes every such take fail;
//! and if it is not, whoever takes it will read the gate later, and see the mark. From then on the cancel
//! is sure, and the job belongs to the one who cancels. A take that comes upon a mark at the front makes
//! it sure in the same way, and passes the node. The node is freed by the later of the two: who fetches
//! the job, and who moves the gate past it.

use super::gate::Gate;
use super::lane::{Front, Lane};
use super::node::{Link, Node, Phase, State};
use super::pool::Pool;
use crate::Tenant;
use crate::sync::epoch::Guard;
use crate::sync::sequential::Ordering;

impl Lane {
    /// Takes a step to get the gate past a node whose job is marked, or cancelled.
    #[cold]
    #[inline(never)]
    pub(super) fn pass_cancelled<J>(
        &self,
        pool: &Pool<J>,
        tenant: Tenant,
        gate: Gate,
        first: (u32, &Node<J>, State),
        guard: &Guard,
    ) {
        let (number, node, state) = first;
        let with = |phase| State::new(state.stamp, phase).word();
        let mark = |from, to| {
            // SeqCst pairs with the reads in `front` and `cancel`.
            node.state
                .compare_exchange(with(from), with(to), Ordering::SeqCst, Ordering::SeqCst)
                .is_ok()
        };
        match state.phase {
            Phase::Cancelling => {
                // With another gate, nobody can take the job who has not seen the mark: it is sure.
                if self.exchange_gate(gate, gate.touched()) {
                    mark(Phase::Cancelling, Phase::Cancelled);
                }
            }
            Phase::Cancelled | Phase::Vacated => {
                if self.exchange_gate(gate, gate.passed()) {
                    self.cancelled.fetch_sub(1, Ordering::SeqCst);
                    self.hint_next(pool, tenant, (gate.first(), node), guard);
                    if !mark(Phase::Cancelled, Phase::Passed) {
                        // The job was fetched: who comes last frees the node.
                        pool.free_cancelled(number, node, guard);
                    }
                }
            }
            // Of another life of the node: the gate has changed.
            Phase::Free | Phase::Waiting | Phase::Passed => {}
        }
    }

    /// Cancels the job of this node in this life. `None` if it has left, or is being cancelled.
    pub(super) fn cancel<J>(
        &self,
        pool: &Pool<J>,
        link: Link,
        node: &Node<J>,
        guard: &Guard,
    ) -> Option<J> {
        let with = |phase| State::new(link.stamp, phase).word();
        let state = || node.state.load(Ordering::SeqCst);
        let mark = |from, to| {
            // SeqCst pairs with the reads in `front` and `pass_cancelled`.
            node.state
                .compare_exchange(with(from), with(to), Ordering::SeqCst, Ordering::SeqCst)
                .is_ok()
        };
        if !mark(Phase::Waiting, Phase::Cancelling) {
            return None;
        }
        // Acquire pairs with the release in `append`.
        let number = node.number.load(Ordering::Acquire);
        if State::from_word(state()).stamp != link.stamp {
            return None; // taken, and the number may be another job's
        }
        loop {
            let gate = self.gate();
            #[allow(clippy::cast_possible_wrap)] // jobs ahead of it, or behind
            let ahead = number.wrapping_sub(gate.first()) as i32;
            if ahead < 0 {
                // The gate has passed it: by a take, unless somebody made the cancel sure before.
                let seen = state();
                if seen != with(Phase::Cancelled) && seen != with(Phase::Passed) {
                    return None;
                }
                break;
            }
            // Further back, whoever takes it will have read the gate after the mark.
            if ahead > 0 || self.exchange_gate(gate, gate.touched()) {
                mark(Phase::Cancelling, Phase::Cancelled);
                break;
            }
        }
        self.cancelled.fetch_add(1, Ordering::SeqCst);
        pool.cancelled();
        let (job, _) = Self::unload(node);
        if !mark(Phase::Cancelled, Phase::Vacated) {
            // The gate has passed: who comes last frees the node.
            pool.free_cancelled(link.node, node, guard);
        }
        Some(job)
    }

    /// Moves the gate past cancelled jobs at the front, so that their memory can be used again.
    pub(super) fn sweep<J>(&self, pool: &Pool<J>, tenant: Tenant, guard: &Guard) {
        loop {
            let gate = self.gate();
            match self.front(pool, gate, guard) {
                Front::Job(number, node, state) if state.phase != Phase::Waiting => {
                    self.pass_cancelled(pool, tenant, gate, (number, node, state), guard);
                }
                Front::Changed => {}
                Front::Empty | Front::Job(..) => return,
            }
        }
    }
}
