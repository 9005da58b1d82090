//! Keys over a queue with many owners.
//!
//! **Who holds a tenant.** A tenant is an `Arc` of its key and its handle. The map and the roster have
//! one each; every waiting job and every ticket has one more, and so has a call that works on the
//! tenant. It is let go only while nobody but map and roster has one.
//!
//! **Why a push cannot land in another tenant.** The danger is a push that has looked up a handle, while
//! somebody lets the tenant go and gives the handle to another key. But it looks up by cloning the `Arc`
//! under the read lock of its shard, and whoever lets go counts the clones under the write lock of the
//! same shard, where none can be added, and takes the key out of the map before it gives that lock back.
//! So either the clone is counted, and the tenant stays; or the push comes too late, finds no such key,
//! and makes it known anew. The handle is given out again only after that. An `Arc` is never the same as
//! that of a tenant let go before: this is the generation of a handle, and it cannot wrap.
//!
//! What is counted need not even be exact: the queue within lets go of nobody with a job waiting or in
//! flight, and its job ids and tickets do not outlive their jobs. The count is for the moment between
//! looking up and pushing.
//!
//! **Locks.** A guard of the map lives for a look-up, an insert or a removal. Under it run the key's own
//! `Hash` and `Eq`, which therefore must not call the queue, and
//! [`release`](SharedFairQueue::release) of the queue within; no callback, waker or drop of a job runs
//! under it. The roster has a lock of its own, for newcomers and the hand, under which no other is taken.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use dashmap::{DashMap, Entry};

use super::refusal::{KeyedRefusal, TooManyTenants};
use super::roster::{MOMENTS, Roster};
use crate::sync::Mutex;
use crate::{
    Cost, JobId, LagMax, Limits, Offer, Pushed, Refused, SharedFairQueue, Taken, Tenant, Ticket,
};

/// A shared fair queue whose tenants are keys `K`, over one of dense handles `Q`, whose jobs are
/// [`KeyedJob`]s. See the [module](crate::keyed) for keys, reclaim and costs; feature `keyed`.
///
/// Methods mean what those of [`FairQueue`](crate::FairQueue) mean.
///
/// ```
/// use schedulers::discipline::Rotation;
/// use schedulers::keyed::SharedKeyed;
/// use schedulers::{Cost, Locked, Settings, TenantQueue};
///
/// let queue = Locked::new(TenantQueue::<Rotation, _>::new(&Settings::default()));
/// let queue: SharedKeyed<String, _> = SharedKeyed::new(queue);
/// std::thread::scope(|scope| {
///     scope.spawn(|| queue.push("globex", Cost::UNIT, "a job").unwrap());
/// });
/// let taken = queue.take().unwrap();
/// assert_eq!((taken.ticket.key().as_str(), taken.job), ("globex", "a job"));
/// queue.complete(taken.ticket, Cost::UNIT);
/// ```
pub struct SharedKeyed<K, Q, S = RandomState> {
    /// Every tenant that can be found.
    tenants: DashMap<K, Arc<Known<K>>, S>,
    /// The same, and those that are about to be there, by handle.
    roster: Mutex<Roster<Arc<Known<K>>>>,
    queue: Q,
}

/// A tenant, from the time at which its key is first seen until it is let go.
#[derive(Debug)]
struct Known<K> {
    key: K,
    tenant: Tenant,
    /// About how often it had no job left.
    idle_moments: AtomicU32,
}

/// So many hold an idle tenant: the map and the roster.
const HELD_IDLE: usize = 2;
/// As many places are looked at under one lock of the roster.
const LOOKS_LOCKED: usize = 16;
/// As many tenants are visited under one lock of the roster.
const VISITS_LOCKED: usize = 64;

/// A job, with its tenant: what the queue under a [`SharedKeyed`] holds. One pointer more than the job.
#[derive(Debug)]
pub struct KeyedJob<K, J> {
    known: Arc<Known<K>>,
    job: J,
}

/// The right to complete one job, once, and whose job it is. See [`Ticket`].
#[derive(Debug)]
#[must_use = "give the ticket to `complete`, or its job stays in flight for ever"]
pub struct SharedKeyedTicket<K> {
    ticket: Ticket,
    known: Arc<Known<K>>,
}

impl<K> SharedKeyedTicket<K> {
    /// Whose job it is.
    #[must_use]
    pub fn key(&self) -> &K {
        &self.known.key
    }

    /// The cost given at the push.
    #[must_use]
    pub const fn cost(&self) -> Cost {
        self.ticket.cost()
    }
}

impl<K: Hash + Eq + Clone, Q> SharedKeyed<K, Q> {
    /// Keys over an empty queue, hashed with the standard library's [`RandomState`]: nobody can choose
    /// keys that collide.
    ///
    /// # Panics
    ///
    /// If the queue has jobs.
    #[must_use]
    pub fn new<J>(queue: Q) -> Self
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        Self::with_hasher(queue, RandomState::new())
    }
}

impl<K: Hash + Eq + Clone, Q, S: BuildHasher + Clone> SharedKeyed<K, Q, S> {
    /// Keys over an empty queue, hashed with a hasher of your choice: one of a fixed seed for
    /// measurements that repeat. Where keys come from outside, one that cannot be predicted.
    ///
    /// # Panics
    ///
    /// If the queue has jobs.
    #[must_use]
    pub fn with_hasher<J>(queue: Q, hasher: S) -> Self
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        assert!(queue.is_empty(), "keys are given to an empty queue");
        // No queue takes the largest handle, and its refusal says how many it takes.
        let unknown = queue.resume(Tenant::new(u32::MAX)).err();
        let tenants_max = unknown.map_or(u32::MAX, |unknown| unknown.tenants_max);
        Self {
            tenants: DashMap::with_hasher(hasher),
            roster: Mutex::new(Roster::new(tenants_max)),
            queue,
        }
    }

    /// See [`FairQueue::push`](crate::FairQueue::push). A key that is new is owned, by `to_owned`; one
    /// that is known is not.
    ///
    /// # Errors
    ///
    /// [`Refused`] gives the job back, unchanged, and says why.
    #[inline]
    pub fn push<J, B>(&self, key: &B, cost: Cost, job: J) -> Pushed<J, KeyedRefusal>
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
        K: Borrow<B>,
        B: Hash + Eq + ToOwned<Owned: Into<K>> + ?Sized,
    {
        let Offer { tenant, cost, job } = self.offer(key, cost, job);
        self.answer(self.queue.push(tenant, cost, job))
    }

    /// See [`FairQueue::take`](crate::FairQueue::take). Neither clones nor looks up the key.
    #[inline]
    pub fn take<J>(&self) -> Option<Taken<J, SharedKeyedTicket<K>>>
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        self.queue.take().map(with_key)
    }

    /// See [`FairQueue::complete`](crate::FairQueue::complete).
    ///
    /// # Panics
    ///
    /// If the ticket was issued by another queue.
    #[inline]
    pub fn complete<J>(&self, ticket: SharedKeyedTicket<K>, actual: Cost)
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        self.queue.complete(ticket.ticket, actual);
        self.ended(ticket.known);
    }

    /// See [`FairQueue::cancel`](crate::FairQueue::cancel).
    pub fn cancel<J>(&self, job: JobId) -> Option<J>
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        let KeyedJob { known, job } = self.queue.cancel(job)?;
        self.ended(known);
        Some(job)
    }

    /// See [`FairQueue::configure`](crate::FairQueue::configure). A tenant with limits of its own is
    /// known until it is [removed](Self::remove), or has the default limits again.
    ///
    /// # Errors
    ///
    /// [`TooManyTenants`] when the key is new and there is no room.
    pub fn configure<J, B>(&self, key: &B, limits: Limits) -> Result<(), TooManyTenants>
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
        K: Borrow<B>,
        B: Hash + Eq + ToOwned<Owned: Into<K>> + ?Sized,
    {
        let known = self.known(key);
        self.queue.configure(known.tenant, limits)?;
        Ok(())
    }

    /// See [`FairQueue::pause`](crate::FairQueue::pause). A paused tenant is known until it is resumed
    /// or removed.
    ///
    /// # Errors
    ///
    /// [`TooManyTenants`] when the key is new and there is no room.
    pub fn pause<J, B>(&self, key: &B) -> Result<(), TooManyTenants>
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
        K: Borrow<B>,
        B: Hash + Eq + ToOwned<Owned: Into<K>> + ?Sized,
    {
        let known = self.known(key);
        self.queue.pause(known.tenant)?;
        Ok(())
    }

    /// See [`FairQueue::resume`](crate::FairQueue::resume). Nothing is to be done for a tenant that is
    /// not known.
    pub fn resume<J, B>(&self, key: &B)
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
        K: Borrow<B>,
        B: Hash + Eq + ?Sized,
    {
        if let Some(known) = self.find(key) {
            let resumed = self.queue.resume(known.tenant);
            debug_assert_eq!(resumed, Ok(()), "a known handle is below the maximum");
        }
    }

    /// See [`FairQueue::remove`](crate::FairQueue::remove).
    pub fn remove<J, B>(&self, key: &B) -> Vec<J>
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
        K: Borrow<B>,
        B: Hash + Eq + ?Sized,
    {
        let Some(known) = self.find(key) else {
            return Vec::new();
        };
        let removed = self.queue.remove(known.tenant);
        let jobs = removed.into_iter().map(|removed| removed.job).collect();
        self.let_go(&known);
        jobs
    }

    /// See [`FairQueue::release`](crate::FairQueue::release): forgets a tenant now that would be
    /// reclaimed sooner or later. One on which another thread works meanwhile is kept.
    pub fn release<J, B>(&self, key: &B) -> bool
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
        K: Borrow<B>,
        B: Hash + Eq + ?Sized,
    {
        let known = self.find(key);
        known.is_none_or(|known| self.let_go(&known))
    }

    /// See [`FairQueue::close`](crate::FairQueue::close).
    pub fn close<J>(&self)
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        self.queue.close();
    }

    /// See [`FairQueue::close_and_reclaim`](crate::FairQueue::close_and_reclaim). Clones the key for
    /// each job.
    pub fn close_and_reclaim<J>(&self) -> Vec<(K, J)>
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        let reclaimed = self.queue.close_and_reclaim().into_iter();
        let with_keys = reclaimed.map(|(_, KeyedJob { known, job })| (known.key.clone(), job));
        let reclaimed = with_keys.collect();
        self.for_each_known(|known| {
            self.let_go(known);
        });
        reclaimed
    }

    /// See [`FairQueue::is_closed`](crate::FairQueue::is_closed).
    pub fn is_closed<J>(&self) -> bool
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        self.queue.is_closed()
    }

    /// See [`FairQueue::backlog`](crate::FairQueue::backlog).
    pub fn backlog<J, B>(&self, key: &B) -> usize
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
        K: Borrow<B>,
        B: Hash + Eq + ?Sized,
    {
        let known = self.find(key);
        known.map_or(0, |known| self.queue.backlog(known.tenant))
    }

    /// See [`FairQueue::in_flight`](crate::FairQueue::in_flight).
    pub fn in_flight<J, B>(&self, key: &B) -> usize
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
        K: Borrow<B>,
        B: Hash + Eq + ?Sized,
    {
        let known = self.find(key);
        known.map_or(0, |known| self.queue.in_flight(known.tenant))
    }

    /// See [`FairQueue::len`](crate::FairQueue::len).
    pub fn len<J>(&self) -> usize
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        self.queue.len()
    }

    /// Whether no job waits.
    pub fn is_empty<J>(&self) -> bool
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        self.queue.is_empty()
    }

    /// See [`FairQueue::lag_max`](crate::FairQueue::lag_max).
    pub fn lag_max<J>(&self) -> Option<LagMax>
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        self.queue.lag_max()
    }

    /// See [`FairQueue::take_batch`](crate::FairQueue::take_batch).
    pub fn take_batch<J>(
        &self,
        max: usize,
        taken: &mut Vec<Taken<J, SharedKeyedTicket<K>>>,
    ) -> usize
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        let mut batch = Vec::new();
        let jobs = self.queue.take_batch(max, &mut batch);
        taken.extend(batch.into_iter().map(with_key));
        jobs
    }

    /// See [`FairQueue::push_batch`](crate::FairQueue::push_batch). Pushes of other threads may come
    /// between.
    pub fn push_batch<J>(
        &self,
        offers: &mut Vec<Offer<J, K>>,
        pushed: &mut Vec<Pushed<J, KeyedRefusal>>,
    ) where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        let offers = offers.drain(..);
        let mut batch: Vec<_> = offers
            .map(|Offer { tenant, cost, job }| self.offer(&tenant, cost, job))
            .collect();
        let mut answers = Vec::with_capacity(batch.len());
        self.queue.push_batch(&mut batch, &mut answers);
        pushed.extend(answers.into_iter().map(|answer| self.answer(answer)));
    }

    /// See [`FairQueue::complete_batch`](crate::FairQueue::complete_batch).
    ///
    /// # Panics
    ///
    /// If one of the tickets was issued by another queue; those before it are completed.
    pub fn complete_batch<J>(&self, done: &mut Vec<(SharedKeyedTicket<K>, Cost)>)
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        let split = |(SharedKeyedTicket { ticket, known }, actual)| ((ticket, actual), known);
        let (mut batch, tenants): (Vec<_>, Vec<_>) = done.drain(..).map(split).unzip();
        self.queue.complete_batch(&mut batch);
        for known in tenants {
            self.ended(known);
        }
    }

    /// Calls `visit` with the key of every tenant that is known all the while, and perhaps with those of
    /// tenants that come or go meanwhile. No lock is held during the call: it may use the queue, and
    /// remove the tenant visited. For what is known, see [`Keyed::keys`](super::Keyed::keys).
    pub fn for_each_key(&self, mut visit: impl FnMut(&K)) {
        self.for_each_known(|known| visit(&known.key));
    }

    fn find<B>(&self, key: &B) -> Option<Arc<Known<K>>>
    where
        K: Borrow<B>,
        B: Hash + Eq + ?Sized,
    {
        let known = self.tenants.get(key);
        known.map(|known| Arc::clone(&known))
    }

    /// The tenant of a key. Where there is no room for a new one, one whose handle the queue refuses.
    fn known<J, B>(&self, key: &B) -> Arc<Known<K>>
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
        K: Borrow<B>,
        B: Hash + Eq + ToOwned<Owned: Into<K>> + ?Sized,
    {
        self.find(key)
            .unwrap_or_else(|| self.admit(key.to_owned().into()))
    }

    /// A job with its tenant.
    fn offer<J, B>(&self, key: &B, cost: Cost, job: J) -> Offer<KeyedJob<K, J>>
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
        K: Borrow<B>,
        B: Hash + Eq + ToOwned<Owned: Into<K>> + ?Sized,
    {
        let known = self.known(key);
        Offer {
            tenant: known.tenant,
            cost,
            job: KeyedJob { known, job },
        }
    }

    /// What the queue's answer is to the one who pushed. A newcomer that is refused is not known.
    fn answer<J>(&self, pushed: Pushed<KeyedJob<K, J>>) -> Pushed<J, KeyedRefusal>
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        pushed.map_err(|Refused { job, refusal }| {
            let KeyedJob { known, job } = job;
            self.let_go(&known);
            Refused {
                job,
                refusal: KeyedRefusal::new(refusal),
            }
        })
    }

    /// Makes a new key known, unless another thread was first.
    #[cold]
    #[inline(never)]
    fn admit<J>(&self, key: K) -> Arc<Known<K>>
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        self.reclaim();
        let settled = self.settle(&key).or_else(|| {
            self.make_room();
            self.settle(&key)
        });
        let Some(newcomer) = settled else {
            let refused = Tenant::new(self.roster.lock().tenants_max());
            return Arc::new(Known::new(key, refused));
        };
        // In the roster first, so that whoever finds it in the map finds it held by both.
        let earlier = match self.tenants.entry(key) {
            Entry::Vacant(vacant) => {
                vacant.insert(Arc::clone(&newcomer));
                None
            }
            Entry::Occupied(occupied) => Some(Arc::clone(occupied.get())),
        };
        let Some(earlier) = earlier else {
            return newcomer;
        };
        self.roster.lock().vacate(newcomer.tenant);
        earlier
    }

    /// Gives a newcomer a handle, if one is free.
    fn settle(&self, key: &K) -> Option<Arc<Known<K>>> {
        let mut roster = self.roster.lock();
        let tenant = roster.free()?;
        let newcomer = Arc::new(Known::new(key.clone(), tenant));
        roster.settle(tenant, Arc::clone(&newcomer));
        Some(newcomer)
    }

    /// Looks for a tenant that can be let go, no handle being free.
    fn make_room<J>(&self)
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        let looks = self.roster.lock().looks_for_room();
        for _ in 0..looks.div_ceil(LOOKS_LOCKED) {
            if self.look(LOOKS_LOCKED).1 > 0 {
                return;
            }
        }
    }

    /// A job of the tenant ended, one way or the other.
    fn ended<J>(&self, known: Arc<Known<K>>)
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        let seems_idle = Arc::strong_count(&known) <= HELD_IDLE + 1;
        let is_due = seems_idle && known.idle_moment().is_multiple_of(MOMENTS);
        drop(known);
        if is_due {
            self.reclaim();
        }
    }

    /// Looks at some tenants, and lets those go that can be.
    #[cold]
    #[inline(never)]
    fn reclaim<J>(&self)
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        let looks = self.roster.lock().looks();
        if looks > 0 {
            let (busy, _) = self.look(looks);
            self.roster.lock().looked(looks, busy);
        }
    }

    /// Moves the hand over so many places: how many tenants there are kept, and how many let go.
    fn look<J>(&self, looks: usize) -> (usize, usize)
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        let mut seen = 0;
        let mut idle = Vec::new();
        let mut roster = self.roster.lock();
        for _ in 0..looks {
            if let Some(known) = roster.look().and_then(|tenant| roster.get(tenant)) {
                seen += 1;
                if Arc::strong_count(known) == HELD_IDLE {
                    idle.push(Arc::clone(known));
                }
            }
        }
        drop(roster);
        let gone = idle.iter().filter(|known| self.let_go(known)).count();
        (seen - gone, gone)
    }

    /// Forgets a tenant that only the caller holds beside the map and the roster, if that changes
    /// nothing, and says whether it did.
    fn let_go<J>(&self, known: &Arc<Known<K>>) -> bool
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        let is_idle = || Arc::strong_count(known) == HELD_IDLE + 1;
        if !is_idle() {
            return false;
        }
        let forgotten = self.tenants.remove_if(&known.key, |_, found| {
            Arc::ptr_eq(found, known) && is_idle() && self.queue.release(known.tenant)
        });
        if forgotten.is_none() {
            return false;
        }
        let mut roster = self.roster.lock();
        let vacated = roster.vacate(known.tenant);
        let shrinks = roster.shrinks();
        drop(roster);
        drop(vacated);
        if shrinks {
            self.tenants.shrink_to_fit();
        }
        true
    }

    fn for_each_known(&self, mut visit: impl FnMut(&Arc<Known<K>>)) {
        let mut next = 0;
        loop {
            let batch: Vec<Arc<Known<K>>> = {
                let roster = self.roster.lock();
                let batch = roster.iter_from(next).take(VISITS_LOCKED);
                batch.map(|(_, known)| Arc::clone(known)).collect()
            };
            let Some(last) = batch.last() else {
                return;
            };
            next = last.tenant.position() + 1;
            for known in batch {
                visit(&known);
            }
        }
    }
}

fn with_key<K, J>(taken: Taken<KeyedJob<K, J>>) -> Taken<J, SharedKeyedTicket<K>> {
    let Taken { job, ticket } = taken;
    let KeyedJob { known, job } = job;
    Taken {
        job,
        ticket: SharedKeyedTicket { ticket, known },
    }
}

impl<K> Known<K> {
    const fn new(key: K, tenant: Tenant) -> Self {
        Self {
            key,
            tenant,
            idle_moments: AtomicU32::new(0),
        }
    }

    /// One more idle moment: how many there were before. Relaxed, and not one step: it orders nothing,
    /// and a moment that two threads count as one is none the worse.
    fn idle_moment(&self) -> u32 {
        let moments = self.idle_moments.load(Ordering::Relaxed);
        let next = moments.wrapping_add(1);
        self.idle_moments.store(next, Ordering::Relaxed);
        moments
    }
}

impl<K, Q: fmt::Debug, S> fmt::Debug for SharedKeyed<K, Q, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SharedKeyed")
            .field("tenants", &self.roster.lock().tenants())
            .field("queue", &self.queue)
            .finish_non_exhaustive()
    }
}
