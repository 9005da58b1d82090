//! A fair queue without a lock: any thread may serve any tenant, and none ever waits for another.
//!
//! **The idea.** A turn is no possession. Designs that pass a token for each tenant through a ring let
//! its holder own the tenant's lane: if that thread is taken off its core, the tenant's jobs are
//! hidden, and a `take` can only spin, or say `None` though there is work. Here a tree of bits says
//! which tenants may be eligible ([`bitmap`]), a cursor whose turn it is, and whoever moves the cursor
//! past a tenant takes from its lane; a thread that rests after that hides nothing, as the tenant's bit
//! stays set and its next turn comes round. All that decides whether a tenant may be served is two words
//! of its lane, changed by compare-exchange ([`gate`]); jobs are linked so that any thread can append
//! and take ([`lane`]), in nodes from chunks ([`pool`]). A tenant that is not eligible costs a take
//! nothing: it is found once, and its bit is lowered.
//!
//! **Origin.** The order is the rotating scan's, as in [`Rotation`](crate::discipline::Rotation); with
//! costs, M. Shreedhar and G. Varghese's deficit round-robin (SIGCOMM 1995). Lanes follow M. Michael
//! and M. Scott's queue (PODC 1996), with the links the other way round, as in E. Ladan-Mozes and
//! N. Shavit's optimistic queue (DISC 2004). Freeing is by epochs (K. Fraser, 2004; crossbeam's). The
//! tree is our own; what it is to do is that of a SNZI (F. Ellen et al., PODC 2007).
//!
//! **Cost.** Push, take, complete: O(log32 of `tenants_max`) at worst, in a steady state two, two and one
//! compare-exchanges, and one more for the epoch in a push or take; one in each for the node. Batches
//! pin the epoch once. `len` is O(jobs / 256) unless `backlog_max` limits the queue, which costs two
//! more exchanges of one word for each job. `cancel` is O(1) amortised: the job comes back at once, and
//! its node (not the job) when the jobs ahead of it in the lane have gone.
//!
//! **Bounds.** [`Turns`]: turns of tenants that stay eligible differ by at most one, as the cursor goes
//! round; [`Deficits`]: as the discipline of that name. That is when turns are counted as they are
//! given; a thread that rests between its turn and its job is late by that job, so with `t` threads in
//! the middle of a take, add `t` jobs. In flight never exceeds the cap, which is at most 2^20 - 1, the
//! most jobs of one tenant in flight. A tenant's `backlog_max` may be exceeded by a job for each thread
//! that is just passing a cancelled one. Two `configure`s of one tenant at once may leave the cap of
//! one, and the weight and backlog limit of the other.
//!
//! **Why it is linearizable.** A push takes effect with the exchange of the tail, a take with that of the
//! gate, a completion, pause, resume with theirs, a change of the cap with the step of it that changes
//! the gate; a cancel when its mark is sure ([`lane`]). Of those that make a tenant eligible, one that
//! has not returned may also be put off until somebody depends on it. A take that answers `None` takes
//! effect when it read the root at zero: by the promise of [`bitmap`], whatever was eligible at that
//! instant was made so by calls that had not returned, and that nobody had depended on; they come
//! after. Each job is taken by whoever moved the gate past it, and by nobody else, in the order of the
//! tail.
//!
//! **No operation waits** for a thread that rests. Every loop here ends unless another thread has
//! changed the word in between; steps that others may have left undone (a bit not yet raised, a mark not
//! yet sure, a cap half changed, a segment half freed, a hint not yet written) are done again, undone,
//! or gone round by whoever comes upon them. Memory that a resting thread may look at is not freed
//! until it goes on.
//!
//! All that is counted is counted modulo some power of two, and compared for equality: a thread would
//! have to rest through exactly 2^32 jobs of a tenant, 2^31 raises of a word, or 2^8 changes of
//! a tenant's cap or pause that leave everything else as it was, to be deceived.
//!
//! **When not to use it.** With one thread, or where the queue is not what threads contend for:
//! [`Locked`](crate::Locked) costs less for each job, and much less in batches. Where nobody minds that
//! a thread which is taken off its core keeps the others waiting.
#![allow(unsafe_code)] // the one module that may: each block says who guarantees what

mod bitmap;
mod deficits;
mod gate;
mod lane;
mod node;
mod paged;
mod policy;
mod pool;
mod table;
mod turns;

use std::fmt;
use std::mem::MaybeUninit;

use self::bitmap::Bitmap;
pub use self::deficits::Deficits;
use self::lane::{Appended, Lane, Pop};
use self::node::{Link, Phase, State};
use self::policy::{Left, Policy, Turn};
use self::pool::{NODES_MAX, Pool};
use self::table::Table;
pub use self::turns::Turns;
use crate::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::sync::epoch::{Guard, free_now, pin};
use crate::{
    Cost, Identity, JobId, LagMax, Limits, Offer, Pushed, Refusal, Refused, Settings,
    SharedFairQueue, Taken, Tenant, Ticket, UnknownTenant,
};

/// Handles from this one on are refused whatever the settings say.
const TENANTS_MAX: u32 = 1 << 30;

/// Jobs that `remove` moves out under one guard.
const WITHDRAWN_AT_ONCE: usize = 256;

/// What serving a tenant gives.
enum Served<J> {
    Job(Taken<J>),
    /// It cannot pay for its first job.
    Short,
    /// It is not eligible.
    Idle,
}

/// A lock-free fair queue of jobs `J`, under the policy `P`: [`Turns`] or [`Deficits`].
///
/// ```
/// use schedulers::{Cost, LockFree, Settings, SharedFairQueue, Tenant, Turns};
///
/// let queue = LockFree::<Turns, _>::new(&Settings::default());
/// std::thread::scope(|scope| {
///     scope.spawn(|| queue.push(Tenant::new(0), Cost::UNIT, "job").unwrap());
/// });
/// let taken = queue.take().unwrap();
/// queue.complete(taken.ticket, Cost::UNIT);
/// ```
///
/// **Memory.** 64 bytes for each tenant, in segments of 128, each freed when all of its tenants were
/// [removed](SharedFairQueue::remove) and have no job in flight; a quarter of a byte for each handle
/// up to the largest ever seen. For each waiting job, the job and 32 bytes, in chunks of 256 jobs, each
/// freed when none of its jobs waits, but for two.
pub struct LockFree<P, J> {
    policy: P,
    table: Table,
    pool: Pool<J>,
    /// Which tenants may be eligible.
    eligible: Bitmap,
    /// Whose turn it is next, and in the high half how many turns there were.
    cursor: AtomicU64,
    /// How many jobs wait, those just being pushed included, where that is limited; or 0, as two more
    /// exchanges for each job, of one word for all threads, would be a waste otherwise.
    len: AtomicU32,
    closed: AtomicU32,
    backlog_max: u32,
    tenants_max: u32,
    identity: Identity,
}

impl<P: Policy, J> LockFree<P, J> {
    /// An empty queue.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let tenants_max = settings.tenants_max.min(TENANTS_MAX);
        Self {
            policy: P::new(settings),
            table: Table::new(tenants_max, settings.limits),
            pool: Pool::new(),
            eligible: Bitmap::new(tenants_max as usize),
            cursor: AtomicU64::new(0),
            len: AtomicU32::new(0),
            closed: AtomicU32::new(0),
            backlog_max: settings.backlog_max.min(NODES_MAX),
            tenants_max,
            identity: Identity::new(),
        }
    }

    const fn check(&self, tenant: Tenant) -> Result<(), UnknownTenant> {
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

    fn is_shut(&self) -> bool {
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

    fn count(&self) -> usize {
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
    fn push_pinned(&self, offer: Offer<J>, guard: &Guard) -> Pushed<J> {
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
    fn announce(&self, tenant: Tenant, lane: &Lane) {
        if let Some(gate) = lane.untold() {
            self.eligible.raise(tenant.position());
            lane.tell(gate);
        }
    }

    /// The tenant was found not to be eligible: takes need not look there until it is again.
    #[cold]
    #[inline(never)]
    fn retract(&self, tenant: Tenant, guard: &Guard) {
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
    fn turn(&self) -> Turn {
        Turn::from_word(self.cursor.load(Ordering::SeqCst))
    }

    /// Ends one turn and begins another, unless somebody was first.
    #[inline]
    fn exchange_turn(&self, from: Turn, to: Turn) -> bool {
        // SeqCst: a turn is given once, whoever else looks for one.
        self.cursor
            .compare_exchange(from.word(), to.word(), Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }

    /// Takes a job of this tenant, if it is eligible and can pay.
    #[inline]
    fn serve(
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
    fn land(&self, ticket: &Ticket, actual: Cost) {
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

    fn cancel_pinned(&self, job: JobId, guard: &Guard) -> Option<J> {
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
    fn withdraw_some(&self, tenant: Tenant, end: u32, jobs: &mut Vec<J>) -> bool {
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
    fn forget(&self, tenant: Tenant) -> bool {
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
    fn change(&self, tenant: Tenant, change: impl Fn(&Lane, &Guard)) {
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

impl<P: Policy, J: Send> SharedFairQueue<J> for LockFree<P, J> {
    fn push(&self, tenant: Tenant, cost: Cost, job: J) -> Result<JobId, Refused<J>> {
        self.push_pinned(Offer { tenant, cost, job }, &pin())
    }

    fn take(&self) -> Option<Taken<J>> {
        self.policy.take(self, &pin())
    }

    fn complete(&self, ticket: Ticket, actual: Cost) {
        self.land(&ticket, actual);
    }

    fn cancel(&self, job: JobId) -> Option<J> {
        self.cancel_pinned(job, &pin())
    }

    fn configure(&self, tenant: Tenant, limits: Limits) -> Result<(), UnknownTenant> {
        self.check(tenant)?;
        self.change(tenant, |lane, guard| {
            let is_reweighed = lane.configure(&limits);
            if is_reweighed {
                self.policy.reweighed(self, tenant, lane, guard);
            }
            if !lane.gate().is_open() {
                self.policy.parked(self, tenant, lane, guard);
            }
        });
        Ok(())
    }

    fn pause(&self, tenant: Tenant) -> Result<(), UnknownTenant> {
        self.check(tenant)?;
        self.change(tenant, |lane, guard| {
            lane.set_paused(true);
            self.policy.parked(self, tenant, lane, guard);
        });
        Ok(())
    }

    fn resume(&self, tenant: Tenant) -> Result<(), UnknownTenant> {
        self.check(tenant)?;
        let guard = pin();
        if let Some(lane) = self.table.lane(tenant, &guard) {
            lane.set_paused(false);
            self.announce(tenant, lane);
        }
        Ok(())
    }

    fn remove(&self, tenant: Tenant) -> Vec<J> {
        let mut jobs = Vec::with_capacity(SharedFairQueue::<J>::backlog(self, tenant));
        // Those that are there now, as others may go on pushing.
        let end = self.table.lane(tenant, &pin()).map_or(0, Lane::end);
        while self.withdraw_some(tenant, end, &mut jobs) {}
        if self.forget(tenant) {
            free_now();
        }
        jobs
    }

    fn close(&self) {
        self.closed.store(1, Ordering::SeqCst);
    }

    fn close_and_reclaim(&self) -> Vec<(Tenant, J)> {
        self.close();
        let mut reclaimed = Vec::with_capacity(self.len());
        for tenant in self.table.tenants() {
            let jobs = self.remove(tenant);
            reclaimed.extend(jobs.into_iter().map(|job| (tenant, job)));
        }
        reclaimed
    }

    fn is_closed(&self) -> bool {
        self.is_shut()
    }

    fn backlog(&self, tenant: Tenant) -> usize {
        let guard = pin();
        let lane = self.table.lane(tenant, &guard);
        lane.map_or(0, |lane| lane.backlog() as usize)
    }

    fn in_flight(&self, tenant: Tenant) -> usize {
        let guard = pin();
        let lane = self.table.lane(tenant, &guard);
        lane.map_or(0, Lane::in_flight)
    }

    fn len(&self) -> usize {
        self.count()
    }

    fn lag_max(&self) -> Option<LagMax> {
        Some(self.policy.lag_max())
    }

    fn take_batch(&self, max: usize, taken: &mut Vec<Taken<J>>) -> usize {
        let (guard, before) = (pin(), taken.len());
        taken.extend(std::iter::from_fn(|| self.policy.take(self, &guard)).take(max));
        taken.len() - before
    }

    fn push_batch(&self, offers: &mut Vec<Offer<J>>, pushed: &mut Vec<Pushed<J>>) {
        let guard = pin();
        pushed.extend(
            offers
                .drain(..)
                .map(|offer| self.push_pinned(offer, &guard)),
        );
    }

    fn complete_batch(&self, done: &mut Vec<(Ticket, Cost)>) {
        for (ticket, actual) in done.drain(..) {
            self.land(&ticket, actual);
        }
    }
}

impl<P, J> Drop for LockFree<P, J> {
    fn drop(&mut self) {
        let guard = pin();
        for tenant in self.table.tenants() {
            if let Some(lane) = self.table.lane(tenant, &guard) {
                while let Some(job) = lane.withdraw(&self.pool, tenant, lane.end(), &guard) {
                    drop(job);
                }
            }
        }
    }
}

// SAFETY: a job is moved in by one thread and out by one thread, whoever that is, and never shared.
unsafe impl<P: Sync, J: Send> Sync for LockFree<P, J> {}
// SAFETY: all else in it is atomic, and owned by it.
unsafe impl<P: Send, J: Send> Send for LockFree<P, J> {}

impl<P, J> fmt::Debug for LockFree<P, J> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("LockFree")
            .field("cursor", &self.cursor.load(Ordering::Relaxed))
            .field("closed", &(self.closed.load(Ordering::Relaxed) != 0))
            .finish_non_exhaustive()
    }
}
