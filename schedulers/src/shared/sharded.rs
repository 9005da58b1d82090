//! Several locks, each round a queue of its own, kept in step round by round.
//!
//! Tenants are spread over *shards*; each operation locks the one shard of its tenant, so threads that
//! serve different shards do not wait for each other. What is hard about it is fairness: a shard with
//! one tenant must not earn what a shard with a thousand earns. Sharing by the number or the weight of
//! a shard's tenants drifts without bound when tenants come and go unserved. Here shards are kept in
//! step by the turns they *gave*: each tenant carries a clock of its turns ([`Rounds`]), a shard is
//! *due* in the round in which the first of its eligible tenants is, and a take serves only shards
//! that are due in the round that all have reached. In each round a shard gives each of its eligible
//! tenants one turn: so its share is theirs, whoever they are, by weight where turns are.
//!
//! The idea is that of start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996), one level up and
//! in whole rounds, which is what makes it cheap: the round is one shared word, read by all and written
//! once a round, and a shard publishes its own when it changes.
//!
//! **Cost.** A take looks at the published rounds from its thread's first shard on, and locks the
//! first that is due: O(1) while that shard has turns left in the round, O(shards) at a change. All
//! else locks one shard. A thread that finds a lock held tries the next shard that is due, and begins
//! there from then on, so that threads spread out; with no contention the order of jobs is always
//! the same.
//!
//! **Fairness.** Within a shard, the discipline's own bound. Between shards: the clock of an eligible
//! tenant is never behind the round `g` that all have reached, as `g` moves on only when nobody
//! eligible is due in it. And a turn never takes a clock beyond `g + 2`. For a turn is given while some
//! tenant `k` of that shard is due in `g`, and between two turns of another, `k` has one. Who was
//! eligible before `k` was, at most at `g' + 2` when `k` became so in round `g'` with a clock of
//! `g' + 1` at least, has had since then at most one turn more than `k`, whose clock now reads `g`. Who
//! became eligible after `k` began at most one ahead of the round, and has had at most one turn more
//! than `k` since. So two clocks, each within two turns of the same round at both ends of a window, move
//! apart by at most four turns in it; six where a turn is a quantum of cost, as on either side one may
//! be under way, and two jobs, as a turn is given until somebody can pay. With nobody
//! coming or going it is two. [`lag_max`](SharedFairQueue::lag_max) says so. With several threads, each
//! take that another thread has under way may add a turn.
//!
//! A tenant that wakes is due in the next round at the latest, so it waits for at most two turns of
//! each of the others. One that was idle, or alone in its shard, has earned nothing: it is due no
//! earlier than the round after the one that all have reached, and not before its own clock.
//!
//! **None.** One word has a bit for each shard with an eligible tenant, written under the shard's lock.
//! A take gives `None` only after it has read 0 there: at that instant nothing was eligible in any
//! shard. So no push behind a scan is missed, as there is no scan to be behind.
//!
//! **Closing.** Every push looks, under its shard's lock, whether the queue is closed; `close` says so
//! once and then takes each lock once, so that no push is still under way when it returns.
//! `is_closed` waits in the same way: closed and empty means that nothing will come.

//!
//! **Locks.** No thread holds two locks at a time, and none calls a waker or a caller's code while it
//! holds one; so there is no order of locks to keep. (Dropping a job is the caller's own affair: no
//! job is dropped here.)
//!
//! **Memory.** As the queues within, with 8 bytes more for each tenant; each keeps up to 40 KiB when it is
//! empty again.
//!
//! **The limit of the whole queue** is one word that every push and take writes, if there is a limit; a push
//! that is being tried counts against it.
//!
//! **When not to use it.** With one or two threads and few tenants, [`Locked`](super::Locked) does less.
//!
//! [`Rounds`]: crate::discipline::Rounds

use std::fmt;

use crossbeam_utils::CachePadded;

use super::due_shards::DueShards;
use super::gate::Gate;
use super::paced::Paced;
use super::placement::Shards;
use super::room::Room;
use super::under_lock::Shard;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::{
    Cost, FairQueue, JobId, LagMax, Limits, Offer, Pushed, Refusal, Refused, Settings,
    SharedFairQueue, Taken, Tenant, Ticket, UnknownTenant,
};

/// Owned queues behind a lock each, as one [`SharedFairQueue`].
///
/// ```
/// use schedulers::discipline::{ActiveList, Rounds};
/// use schedulers::{Cost, Settings, Sharded, SharedFairQueue, Tenant, TenantQueue};
///
/// let queue = Sharded::<TenantQueue<Rounds<ActiveList>, _>>::new(&Settings::default(), TenantQueue::new);
/// std::thread::scope(|scope| {
///     scope.spawn(|| queue.push(Tenant::new(0), Cost::UNIT, "a job").unwrap());
///     scope.spawn(|| queue.push(Tenant::new(1), Cost::UNIT, "a job").unwrap());
/// });
/// while let Some(taken) = queue.take() {
///     queue.complete(taken.ticket, Cost::UNIT);
/// }
/// ```
pub struct Sharded<Q> {
    pub(super) placement: Shards,
    pub(super) tenants_max: u32,
    pub(super) gate: Gate,
    pub(super) room: Room,
    pub(super) due: DueShards,
    pub(super) shards: Box<[CachePadded<Shard<Q>>]>,
}

impl<Q: Paced> Sharded<Q> {
    /// As many shards as suit the machine, each round a queue that `new` makes from its settings.
    pub fn new(settings: &Settings, new: impl Fn(&Settings) -> Q) -> Self {
        Self::with_shards(settings, Shards::of_machine(), new)
    }

    /// So many shards.
    pub fn with_shards(settings: &Settings, shards: Shards, new: impl Fn(&Settings) -> Q) -> Self {
        let own = Settings {
            tenants_max: shards.tenants_each(settings.tenants_max),
            backlog_max: u32::MAX,
            ..*settings
        };
        let shard = |_| {
            CachePadded::new(Shard {
                queue: Mutex::new(new(&own)),
                len: AtomicUsize::new(0),
            })
        };
        Self {
            placement: shards,
            tenants_max: settings.tenants_max,
            gate: Gate::new(),
            room: Room::new(settings.backlog_max),
            due: DueShards::new(shards),
            shards: (0..shards.count()).map(shard).collect(),
        }
    }

    /// Who pushes where: an error for a handle at or beyond the maximum.
    fn place(&self, tenant: Tenant) -> Result<(usize, Tenant), UnknownTenant> {
        if tenant.index() < self.tenants_max {
            Ok(self.placement.place(tenant))
        } else {
            Err(self.unknown(tenant))
        }
    }

    const fn unknown(&self, tenant: Tenant) -> UnknownTenant {
        UnknownTenant {
            tenant,
            tenants_max: self.tenants_max,
        }
    }
}

impl<J: Send, Q: FairQueue<J> + Paced + Send> SharedFairQueue<J> for Sharded<Q> {
    fn push(&self, tenant: Tenant, cost: Cost, job: J) -> Result<JobId, Refused<J>> {
        if self.gate.is_shut() || !self.room.enter(1) {
            let refusal = self.refusal_of_all();
            return Err(Refused { job, refusal });
        }
        let pushed = match self.place(tenant) {
            Ok((shard, local)) => self.with(shard, |queue| {
                self.push_locked(queue, local, Offer { tenant, cost, job })
            }),
            Err(unknown) => Err(Refused {
                job,
                refusal: Refusal::UnknownTenant(unknown),
            }),
        };
        if pushed.is_err() {
            self.room.leave(1);
        }
        pushed
    }

    fn take(&self) -> Option<Taken<J>> {
        let mut only = None;
        self.take_up_to(1, |taken| only = Some(taken));
        only
    }

    fn complete(&self, ticket: Ticket, actual: Cost) {
        let (shard, local) = self.placement.place(ticket.tenant());
        self.with(shard, |queue| queue.complete(ticket.of(local), actual));
    }

    fn cancel(&self, job: JobId) -> Option<J> {
        let (shard, local) = self.placement.place(job.tenant());
        let cancelled = self.with(shard, |queue| queue.cancel(job.of(local)));
        self.room.leave(usize::from(cancelled.is_some()));
        cancelled
    }

    fn configure(&self, tenant: Tenant, limits: Limits) -> Result<(), UnknownTenant> {
        let (shard, local) = self.place(tenant)?;
        self.with(shard, |queue| queue.configure(local, limits))
            .map_err(|_| self.unknown(tenant))
    }

    fn pause(&self, tenant: Tenant) -> Result<(), UnknownTenant> {
        let (shard, local) = self.place(tenant)?;
        self.with(shard, |queue| queue.pause(local))
            .map_err(|_| self.unknown(tenant))
    }

    fn resume(&self, tenant: Tenant) -> Result<(), UnknownTenant> {
        let (shard, local) = self.place(tenant)?;
        self.with(shard, |queue| queue.resume(local))
            .map_err(|_| self.unknown(tenant))
    }

    fn remove(&self, tenant: Tenant) -> Vec<J> {
        let (shard, local) = self.placement.place(tenant);
        let jobs = self.with(shard, |queue| queue.remove(local));
        self.room.leave(jobs.len());
        jobs
    }

    fn release(&self, tenant: Tenant) -> bool {
        let (shard, local) = self.placement.place(tenant);
        self.with(shard, |queue| queue.release(local))
    }

    /// Atomic: from the moment at which the first push is refused as closed, no push is accepted.
    fn close(&self) {
        self.gate.shut(|| {
            for shard in &self.shards {
                drop(shard.queue.lock());
            }
        });
    }

    fn close_and_reclaim(&self) -> Vec<(Tenant, J)> {
        self.close();
        let mut reclaimed = Vec::new();
        for shard in 0..self.shards.len() {
            let own = self.with(shard, FairQueue::close_and_reclaim);
            self.room.leave(own.len());
            let with_tenant = |(local, job)| (self.placement.tenant(shard, local), job);
            reclaimed.extend(own.into_iter().map(with_tenant));
        }
        // Stable: each tenant's jobs stay in order.
        reclaimed.sort_by_key(|&(tenant, _)| tenant);
        reclaimed
    }

    fn is_closed(&self) -> bool {
        if self.gate.is_shut() {
            // A close may be under way, and pushes that came before it: wait for these.
            SharedFairQueue::<J>::close(self);
        }
        self.gate.is_shut()
    }

    fn backlog(&self, tenant: Tenant) -> usize {
        let (shard, local) = self.placement.place(tenant);
        self.shards[shard].queue.lock().backlog(local)
    }

    fn in_flight(&self, tenant: Tenant) -> usize {
        let (shard, local) = self.placement.place(tenant);
        self.shards[shard].queue.lock().in_flight(local)
    }

    /// The sum over the shards, one after the other: never more than pushes were begun, and exact while
    /// nobody pushes or takes.
    fn len(&self) -> usize {
        let len = |shard: &CachePadded<Shard<Q>>| shard.len.load(Ordering::Relaxed);
        self.shards.iter().map(len).sum()
    }

    fn lag_max(&self) -> Option<LagMax> {
        let queue = self.shards[0].queue.lock();
        if self.shards.len() == 1 {
            queue.lag_max()
        } else {
            queue.lag_max_in_step()
        }
    }

    /// From each shard that is due as many as it is due for, under one lock.
    fn take_batch(&self, max: usize, taken: &mut Vec<Taken<J>>) -> usize {
        self.take_up_to(max, |one| taken.push(one))
    }

    /// Shard by shard, each under one lock, where there is room for all.
    fn push_batch(&self, offers: &mut Vec<Offer<J>>, pushed: &mut Vec<Pushed<J>>) {
        let count = offers.len();
        if self.gate.is_shut() || !self.room.enter(count) {
            let push = |offer: Offer<J>| self.push(offer.tenant, offer.cost, offer.job);
            pushed.extend(offers.drain(..).map(push));
            return;
        }
        let mut answers: Vec<Option<Pushed<J>>> = Vec::new();
        answers.resize_with(count, || None);
        let mut offers: Vec<Option<Offer<J>>> = offers.drain(..).map(Some).collect();
        for first in 0..count {
            let Some(offer) = offers[first].take() else {
                continue;
            };
            let (shard, local) = match self.place(offer.tenant) {
                Ok(place) => place,
                Err(unknown) => {
                    answers[first] = Some(Err(Refused {
                        job: offer.job,
                        refusal: Refusal::UnknownTenant(unknown),
                    }));
                    continue;
                }
            };
            self.with(shard, |queue| {
                answers[first] = Some(self.push_locked(queue, local, offer));
                for next in first + 1..count {
                    let place = offers[next].as_ref().map(|offer| self.place(offer.tenant));
                    if let Some(Ok((other, local))) = place
                        && other == shard
                        && let Some(offer) = offers[next].take()
                    {
                        answers[next] = Some(self.push_locked(queue, local, offer));
                    }
                }
            });
        }
        let mut refused = 0;
        let answers = answers.into_iter().flatten();
        pushed.extend(answers.inspect(|answer| refused += usize::from(answer.is_err())));
        self.room.leave(refused);
    }

    /// Tickets that follow each other and belong to one shard, as those of a batch of takes do, under
    /// one lock.
    fn complete_batch(&self, done: &mut Vec<(Ticket, Cost)>) {
        let mut done = done.drain(..).peekable();
        while let Some((ticket, actual)) = done.next() {
            let (shard, local) = self.placement.place(ticket.tenant());
            self.with(shard, |queue| {
                queue.complete(ticket.of(local), actual);
                let belongs =
                    |(ticket, _): &(Ticket, Cost)| self.placement.place(ticket.tenant()).0 == shard;
                while let Some((ticket, actual)) = done.next_if(belongs) {
                    let (_, local) = self.placement.place(ticket.tenant());
                    queue.complete(ticket.of(local), actual);
                }
            });
        }
    }
}

impl<Q> fmt::Debug for Sharded<Q> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Sharded")
            .field("shards", &self.shards.len())
            .field("due", &self.due)
            .finish_non_exhaustive()
    }
}
