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

mod calls;
mod known;
#[cfg(feature = "waiting")]
mod waiting;

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::Arc;

use dashmap::DashMap;

use known::Known;

use super::refusal::KeyedRefusal;
use super::roster::Roster;
use crate::sync::Mutex;
use crate::{Cost, JobId, Offer, Pushed, Refused, SharedFairQueue, Taken, Tenant, Ticket};

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
        self.queue.take().map(KeyedJob::taken)
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
}

impl<K, J> KeyedJob<K, J> {
    /// The tenant goes from the job to the ticket.
    fn taken(taken: Taken<Self>) -> Taken<J, SharedKeyedTicket<K>> {
        let Taken { job, ticket } = taken;
        let Self { known, job } = job;
        Taken {
            job,
            ticket: SharedKeyedTicket { ticket, known },
        }
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
