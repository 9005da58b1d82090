//! The operations, each under a guard of its caller.

use std::mem::MaybeUninit;

use super::lane::{Appended, Lane};
use super::node::{Link, Phase, State};
use super::policy::{Left, Policy, Turn};
use super::pool::NODES_MAX;
use super::pop::Pop;
use super::{LockFree, Served};
use crate::sync::epoch::{Guard, pin};
use crate::sync::sequential::Ordering;
use crate::{Cost, JobId, Offer, Pushed, Refusal, Refused, Taken, Tenant, Ticket, UnknownTenant};

/// Jobs that `remove` moves out under one guard.
const WITHDRAWN_AT_ONCE: usize = 256;

impl<P: Policy, J> LockFree<P, J> {
    pub(super) const fn check(&self, tenant: Tenant) -> Result<(), UnknownTenant> {
        let tenants_max = self.tenants_max;
        if tenant.index() < tenants_max {
            Ok(())
        } else {
            Err(UnknownTenant {
                tenant,
                tenants_max,
            })
        }
    }

    pub(super) fn is_shut(&self) -> bool {
        self.closed.load(Ordering::SeqCst) != 0
    }

    const fn is_limited(&self) -> bool {
        self.backlog_max < NODES_MAX
    }

    /// Counts a job in, unless there is no room for it.
    #[inline]
    fn count_in(&self) -> bool {
        if !self.is_limited() {
            return true;
        }
        let mut len = self.len.load(Ordering::SeqCst);
        while len < self.backlog_max {
            match self
                .len
                .compare_exchange(len, len + 1, Ordering::SeqCst, Ordering::SeqCst)
            {
                Ok(_) => return true,
                Err(other) => len = other,
            }
        }
        false
    }

    #[inline]
    fn count_out(&self) {
        if self.is_limited() {
            self.len.fetch_sub(1, Ordering::SeqCst);
        }
    }

    pub(super) fn count(&self) -> usize {
        if self.is_limited() {
            return self.len.load(Ordering::SeqCst) as usize;
        }
        self.pool.jobs(&pin())
    }

    /// Why the push would be refused now, if it would.
    #[inline]
    fn refusal(&self, tenant: Tenant, guard: &Guard) -> Option<Refusal> {
        if self.is_shut() {
            return Some(Refusal::Closed);
        }
        if self.is_limited() && self.len.load(Ordering::SeqCst) >= self.backlog_max {
            return Some(self.full());
        }
        if let Err(unknown) = self.check(tenant) {
            return Some(Refusal::UnknownTenant(unknown));
        }
        let reached = match self.table.lane(tenant, guard) {
            Some(lane) => lane.backlog_reached(),
            None => (self.table.limits().backlog_max == 0).then_some(0),
        };
        reached.map(|backlog_max| Refusal::TenantFull {
            tenant,
            backlog_max,
        })
    }

    const fn full(&self) -> Refusal {
        Refusal::QueueFull {
            backlog_max: self.backlog_max,
        }
    }

    #[inline]
    pub(super) fn push_pinned(&self, offer: Offer<J>, guard: &Guard) -> Pushed<J> {
        let Offer { tenant, cost, job } = offer;
        if let Some(refusal) = self.refusal(tenant, guard) {
            return Err(Refused { job, refusal });
        }
        if !self.count_in() {
            return Err(Refused {
                job,
                refusal: self.full(),
            });
        }
        let Some((number, stamp, node)) = self.pool.allocate(guard) else {
            self.count_out();
            return Err(Refused {
                job,
                refusal: self.full(),
            });
        };
        let link = Link {
            node: number,
            stamp,
        };
        // Relaxed, and the job: published by the exchange of the tail.
        node.tenant.store(tenant.index(), Ordering::Relaxed);
        node.cost.store(cost.units(), Ordering::Relaxed);
        // SAFETY: the node is this thread's alone until it is pushed.
        node.job
            .with_mut(|place| unsafe { *place = MaybeUninit::new(job) });
        let waiting = State::new(stamp, Phase::Waiting);
        node.state.store(waiting.word(), Ordering::Release);
        loop {
            let lane = self.table.lane_or_make(tenant, guard);
            match lane.append(&self.pool, link, node, guard) {
                Appended::Yes => {
                    self.announce(tenant, lane);
                    break;
                }
                Appended::Sealed => {
                    self.table.keep(tenant, lane, guard);
                }
                Appended::Full { backlog_max } => {
                    // SAFETY: written above, and the node was not pushed.
                    let job = node.job.with_mut(|place| unsafe {
                        std::mem::replace(&mut *place, MaybeUninit::uninit()).assume_init()
                    });
                    self.pool.free(number, node, guard);
                    self.count_out();
                    let refusal = Refusal::TenantFull {
                        tenant,
                        backlog_max,
                    };
                    return Err(Refused { job, refusal });
                }
            }
        }
        let id = self.identity.name(tenant, number, stamp);
        // Closed meanwhile: whoever reclaims may have passed this lane already.
        if self.is_shut()
            && let Some(job) = self.cancel_pinned(id, guard)
        {
            return Err(Refused {
                job,
                refusal: Refusal::Closed,
            });
        }
        Ok(id)
    }

    /// Makes sure that takes find the tenant, if it is eligible.
    #[inline]
    pub(super) fn announce(&self, tenant: Tenant, lane: &Lane) {
        if let Some(gate) = lane.untold() {
            self.eligible.raise(tenant.position());
            lane.tell(gate);
        }
    }

    /// The tenant was found not to be eligible: takes need not look there until it is again.
    #[cold]
    #[inline(never)]
    pub(super) fn retract(&self, tenant: Tenant, guard: &Guard) {
        if let Some(lane) = self.table.lane(tenant, guard) {
            lane.forget_told();
        }
        self.eligible.lower(tenant.position(), || {
            let lane = self.table.lane(tenant, guard);
            lane.is_none_or(Lane::is_idle_untold)
        });
    }

    /// Whose turn it is, if it goes on, and who comes then.
    #[inline]
    pub(super) fn turn(&self) -> Turn {
        Turn::from_word(self.cursor.load(Ordering::SeqCst))
    }

    /// Ends one turn and begins another, unless somebody was first.
    #[inline]
    pub(super) fn exchange_turn(&self, from: Turn, to: Turn) -> bool {
        // SeqCst: a turn is given once, whoever else looks for one.
        self.cursor
            .compare_exchange(from.word(), to.word(), Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }

    /// Takes a job of this tenant, if it is eligible and can pay.
    #[inline]
    pub(super) fn serve(
        &self,
        tenant: Tenant,
        can_pay: impl Fn(&Lane, Cost) -> bool,
        guard: &Guard,
    ) -> Served<J> {
        let Some(lane) = self.table.lane(tenant, guard) else {
            self.retract(tenant, guard);
            return Served::Idle;
        };
        match lane.pop(&self.pool, tenant, |cost| can_pay(lane, cost), guard) {
            Pop::Job(popped) => {
                if popped.is_untold {
                    self.announce(tenant, lane);
                }
                self.count_out();
                let left = Left {
                    has_more: popped.has_more,
                    is_open: popped.is_open,
                };
                self.policy
                    .served(self, tenant, lane, (popped.cost, left), guard);
                let ticket = self.identity.issue_in(lane.era(), tenant, popped.cost);
                Served::Job(Taken {
                    job: popped.job,
                    ticket,
                })
            }
            Pop::Short => Served::Short,
            Pop::Idle => {
                self.retract(tenant, guard);
                Served::Idle
            }
        }
    }

    #[inline]
    pub(super) fn land(&self, ticket: &Ticket, actual: Cost) {
        assert!(
            self.identity.issued(ticket),
            "a ticket must be completed at the queue that issued it"
        );
        let lane = self.table.lane_in_flight(ticket);
        if actual != ticket.cost() && ticket.era() == lane.era() {
            self.policy.settle(self, lane, ticket, actual);
        }
        if lane.land() {
            // Without telling the lane, which may be freed by now: the next push tells it.
            self.eligible.raise(ticket.tenant().position());
        }
    }

    pub(super) fn cancel_pinned(&self, job: JobId, guard: &Guard) -> Option<J> {
        let (number, stamp) = self.identity.locate(job)?;
        let tenant = job.tenant();
        let node = self.pool.node(number, guard)?;
        let lane = self.table.lane(tenant, guard)?;
        let link = Link {
            node: number,
            stamp,
        };
        let cancelled = lane.cancel(&self.pool, link, node, guard)?;
        self.count_out();
        lane.sweep(&self.pool, tenant, guard);
        if lane.backlog() == 0 {
            self.policy.idle(lane);
        }
        Some(cancelled)
    }

    /// Moves some waiting jobs of a tenant out, if their number is below this. Says whether there may
    /// be more.
    pub(super) fn withdraw_some(&self, tenant: Tenant, end: u32, jobs: &mut Vec<J>) -> bool {
        // Anew each time: under one guard, none of the memory could be given back.
        let guard = pin();
        let Some(lane) = self.table.lane(tenant, &guard) else {
            return false;
        };
        for _ in 0..WITHDRAWN_AT_ONCE {
            let Some(job) = lane.withdraw(&self.pool, tenant, end, &guard) else {
                return false;
            };
            self.count_out();
            jobs.push(job);
        }
        true
    }

    /// Gives a tenant the limits of one that nobody configured, and lets its lane be freed. Says
    /// whether memory was given back.
    pub(super) fn forget(&self, tenant: Tenant) -> bool {
        let guard = pin();
        let Some(lane) = self.table.lane(tenant, &guard) else {
            return false;
        };
        lane.sweep(&self.pool, tenant, &guard);
        lane.begin_era();
        lane.account.store(0, Ordering::SeqCst);
        lane.configure(self.table.limits());
        lane.set_paused(false);
        self.announce(tenant, lane);
        self.table.removed(tenant, &guard)
    }

    /// Changes a lane, and makes sure that the change is not lost with it.
    pub(super) fn change(&self, tenant: Tenant, change: impl Fn(&Lane, &Guard)) {
        let guard = pin();
        loop {
            let lane = self.table.lane_or_make(tenant, &guard);
            change(lane, &guard);
            if self.table.keep(tenant, lane, &guard) {
                self.announce(tenant, lane);
                return;
            }
        }
    }
}
