//! Keys over a queue with one owner.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, Hash, RandomState};

use super::refusal::{KeyedRefusal, TooManyTenants};
use super::roster::{MOMENTS, Roster};
use crate::{
    Cost, FairQueue, JobId, LagMax, Limits, Offer, Pushed, Refused, Taken, Tenant, Ticket,
};

/// A fair queue whose tenants are keys `K`, over one of dense handles `Q`. See the
/// [module](crate::keyed) for keys, reclaim and costs.
///
/// Methods mean what those of [`FairQueue`] mean.
///
/// ```
/// use schedulers::discipline::Rotation;
/// use schedulers::keyed::Keyed;
/// use schedulers::{Cost, Settings, TenantQueue};
///
/// let queue = TenantQueue::<Rotation, _>::new(&Settings::default());
/// let mut queue: Keyed<String, _> = Keyed::new(queue);
/// queue.push("globex", Cost::UNIT, "a job")?;
/// let taken = queue.take().unwrap();
/// assert_eq!((taken.ticket.key().as_str(), taken.job), ("globex", "a job"));
/// queue.complete(taken.ticket, Cost::UNIT);
/// # Ok::<(), schedulers::Refused<&str, schedulers::keyed::KeyedRefusal>>(())
/// ```
pub struct Keyed<K, Q, S = RandomState> {
    /// The handle of every key in the roster.
    tenants: HashMap<K, Tenant, S>,
    roster: Roster<Place<K>>,
    queue: Q,
}

/// A tenant.
#[derive(Debug)]
struct Place<K> {
    key: K,
    /// How many of its jobs wait or are in flight.
    jobs: u32,
    /// How often it had none left, modulo 2^32.
    idle_moments: u32,
}

/// The right to complete one job, once, and whose job it is. See [`Ticket`].
#[derive(PartialEq, Eq, Debug)]
#[must_use = "give the ticket to `complete`, or its job stays in flight for ever"]
pub struct KeyedTicket<K> {
    ticket: Ticket,
    key: K,
}

impl<K> KeyedTicket<K> {
    /// Whose job it is.
    pub const fn key(&self) -> &K {
        &self.key
    }

    /// The cost given at the push.
    pub const fn cost(&self) -> Cost {
        self.ticket.cost()
    }
}

impl<K: Hash + Eq + Clone, Q> Keyed<K, Q> {
    /// Keys over an empty queue, hashed with the standard library's [`RandomState`]: nobody can choose
    /// keys that collide.
    ///
    /// # Panics
    ///
    /// If the queue has jobs.
    #[must_use]
    pub fn new<J>(queue: Q) -> Self
    where
        Q: FairQueue<J>,
    {
        Self::with_hasher(queue, RandomState::new())
    }
}

impl<K: Hash + Eq + Clone, Q, S: BuildHasher> Keyed<K, Q, S> {
    /// Keys over an empty queue, hashed with a hasher of your choice: one of a fixed seed for
    /// measurements that repeat. Where keys come from outside, one that cannot be predicted.
    ///
    /// # Panics
    ///
    /// If the queue has jobs.
    #[must_use]
    pub fn with_hasher<J>(mut queue: Q, hasher: S) -> Self
    where
        Q: FairQueue<J>,
    {
        assert!(queue.is_empty(), "keys are given to an empty queue");
        // No queue takes the largest handle, and its refusal says how many it takes.
        let unknown = queue.resume(Tenant::new(u32::MAX));
        Self {
            tenants: HashMap::with_hasher(hasher),
            roster: Roster::new(
                unknown
                    .err()
                    .map_or(u32::MAX, |unknown| unknown.tenants_max),
            ),
            queue,
        }
    }

    /// See [`FairQueue::push`]. A key that is new is owned, by `to_owned`; one that is known is not.
    ///
    /// # Errors
    ///
    /// [`Refused`] gives the job back, unchanged, and says why.
    #[inline(always)]
    pub fn push<J, B>(&mut self, key: &B, cost: Cost, job: J) -> Pushed<J, KeyedRefusal>
    where
        Q: FairQueue<J>,
        K: Borrow<B>,
        B: Hash + Eq + ToOwned<Owned: Into<K>> + ?Sized,
    {
        let Some(&tenant) = self.tenants.get(key) else {
            return self.push_first(key, cost, job);
        };
        let id = self.queue.push(tenant, cost, job).map_err(refused)?;
        self.place(tenant).jobs += 1;
        Ok(id)
    }

    /// Pushes for a tenant that is not known. If that is refused, it stays so.
    #[cold]
    #[inline(never)]
    fn push_first<J, B>(&mut self, key: &B, cost: Cost, job: J) -> Pushed<J, KeyedRefusal>
    where
        Q: FairQueue<J>,
        B: ToOwned<Owned: Into<K>> + ?Sized,
    {
        let room = self.make_room();
        // Without room, a handle that the queue refuses, unless it has another reason that comes first.
        let tenant = room.unwrap_or_else(|| Tenant::new(self.roster.tenants_max()));
        let id = self.queue.push(tenant, cost, job).map_err(refused)?;
        self.settle(tenant, key, 1);
        Ok(id)
    }

    /// See [`FairQueue::take`]. The ticket has a clone of the key.
    #[inline(always)]
    pub fn take<J>(&mut self) -> Option<Taken<J, KeyedTicket<K>>>
    where
        Q: FairQueue<J>,
    {
        let Taken { job, ticket } = self.queue.take()?;
        let key = self.place(ticket.tenant()).key.clone();
        let ticket = KeyedTicket { ticket, key };
        Some(Taken { job, ticket })
    }

    /// See [`FairQueue::complete`].
    ///
    /// # Panics
    ///
    /// If the ticket was issued by another queue.
    #[inline(always)]
    pub fn complete<J>(&mut self, ticket: KeyedTicket<K>, actual: Cost)
    where
        Q: FairQueue<J>,
    {
        let tenant = ticket.ticket.tenant();
        self.queue.complete(ticket.ticket, actual);
        self.ended(tenant, 1);
    }

    /// See [`FairQueue::cancel`].
    pub fn cancel<J>(&mut self, job: JobId) -> Option<J>
    where
        Q: FairQueue<J>,
    {
        let cancelled = self.queue.cancel(job)?;
        self.ended(job.tenant(), 1);
        Some(cancelled)
    }

    /// See [`FairQueue::configure`]. A tenant with limits of its own is known until it is
    /// [removed](Self::remove), or has the default limits again.
    ///
    /// # Errors
    ///
    /// [`TooManyTenants`] when the key is new and there is no room.
    pub fn configure<J, B>(&mut self, key: &B, limits: Limits) -> Result<(), TooManyTenants>
    where
        Q: FairQueue<J>,
        K: Borrow<B>,
        B: Hash + Eq + ToOwned<Owned: Into<K>> + ?Sized,
    {
        let tenant = self.known(key)?;
        self.queue.configure(tenant, limits).map_err(Into::into)
    }

    /// See [`FairQueue::pause`]. A paused tenant is known until it is resumed or removed.
    ///
    /// # Errors
    ///
    /// [`TooManyTenants`] when the key is new and there is no room.
    pub fn pause<J, B>(&mut self, key: &B) -> Result<(), TooManyTenants>
    where
        Q: FairQueue<J>,
        K: Borrow<B>,
        B: Hash + Eq + ToOwned<Owned: Into<K>> + ?Sized,
    {
        let tenant = self.known(key)?;
        self.queue.pause(tenant).map_err(Into::into)
    }

    /// See [`FairQueue::resume`]. Nothing is to be done for a tenant that is not known.
    pub fn resume<J, B>(&mut self, key: &B)
    where
        Q: FairQueue<J>,
        K: Borrow<B>,
        B: Hash + Eq + ?Sized,
    {
        if let Some(&tenant) = self.tenants.get(key) {
            let resumed = self.queue.resume(tenant);
            debug_assert_eq!(resumed, Ok(()), "a known handle is below the maximum");
        }
    }

    /// See [`FairQueue::remove`].
    pub fn remove<J, B>(&mut self, key: &B) -> Vec<J>
    where
        Q: FairQueue<J>,
        K: Borrow<B>,
        B: Hash + Eq + ?Sized,
    {
        let Some(&tenant) = self.tenants.get(key) else {
            return Vec::new();
        };
        let jobs = self.queue.remove(tenant);
        self.place(tenant).jobs -= count(jobs.len());
        self.let_go(tenant);
        jobs
    }

    /// See [`FairQueue::release`]: forgets a tenant now that would be reclaimed sooner or later.
    pub fn release<J, B>(&mut self, key: &B) -> bool
    where
        Q: FairQueue<J>,
        K: Borrow<B>,
        B: Hash + Eq + ?Sized,
    {
        let tenant = self.tenants.get(key).copied();
        tenant.is_none_or(|tenant| self.let_go(tenant))
    }

    /// See [`FairQueue::close`].
    pub fn close<J>(&mut self)
    where
        Q: FairQueue<J>,
    {
        self.queue.close();
    }

    /// See [`FairQueue::close_and_reclaim`]. Clones the key for each job.
    pub fn close_and_reclaim<J>(&mut self) -> Vec<(K, J)>
    where
        Q: FairQueue<J>,
    {
        let mut reclaimed = Vec::with_capacity(self.queue.len());
        for (tenant, job) in self.queue.close_and_reclaim() {
            let place = self.place(tenant);
            place.jobs -= 1;
            reclaimed.push((place.key.clone(), job));
        }
        let known: Vec<Tenant> = self.roster.iter_from(0).map(|(tenant, _)| tenant).collect();
        for tenant in known {
            self.let_go(tenant);
        }
        reclaimed
    }

    /// See [`FairQueue::is_closed`].
    pub fn is_closed<J>(&self) -> bool
    where
        Q: FairQueue<J>,
    {
        self.queue.is_closed()
    }

    /// See [`FairQueue::backlog`].
    pub fn backlog<J, B>(&self, key: &B) -> usize
    where
        Q: FairQueue<J>,
        K: Borrow<B>,
        B: Hash + Eq + ?Sized,
    {
        let tenant = self.tenants.get(key);
        tenant.map_or(0, |&tenant| self.queue.backlog(tenant))
    }

    /// See [`FairQueue::in_flight`].
    pub fn in_flight<J, B>(&self, key: &B) -> usize
    where
        Q: FairQueue<J>,
        K: Borrow<B>,
        B: Hash + Eq + ?Sized,
    {
        let tenant = self.tenants.get(key);
        tenant.map_or(0, |&tenant| self.queue.in_flight(tenant))
    }

    /// See [`FairQueue::len`].
    pub fn len<J>(&self) -> usize
    where
        Q: FairQueue<J>,
    {
        self.queue.len()
    }

    /// Whether no job waits.
    pub fn is_empty<J>(&self) -> bool
    where
        Q: FairQueue<J>,
    {
        self.queue.is_empty()
    }

    /// See [`FairQueue::lag_max`].
    pub fn lag_max<J>(&self) -> Option<LagMax>
    where
        Q: FairQueue<J>,
    {
        self.queue.lag_max()
    }

    /// See [`FairQueue::take_batch`].
    pub fn take_batch<J>(&mut self, max: usize, taken: &mut Vec<Taken<J, KeyedTicket<K>>>) -> usize
    where
        Q: FairQueue<J>,
    {
        let before = taken.len();
        taken.extend(std::iter::from_fn(|| self.take()).take(max));
        taken.len() - before
    }

    /// See [`FairQueue::push_batch`].
    pub fn push_batch<J>(
        &mut self,
        offers: &mut Vec<Offer<J, K>>,
        pushed: &mut Vec<Pushed<J, KeyedRefusal>>,
    ) where
        Q: FairQueue<J>,
    {
        let push = |offer: Offer<J, K>| self.push(&offer.tenant, offer.cost, offer.job);
        pushed.extend(offers.drain(..).map(push));
    }

    /// See [`FairQueue::complete_batch`].
    ///
    /// # Panics
    ///
    /// If one of the tickets was issued by another queue; those before it are completed.
    pub fn complete_batch<J>(&mut self, done: &mut Vec<(KeyedTicket<K>, Cost)>)
    where
        Q: FairQueue<J>,
    {
        for (ticket, actual) in done.drain(..) {
            self.complete(ticket, actual);
        }
    }

    /// The tenants known: those with jobs, limits, a pause or a debt, and some that are idle.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &K> {
        self.tenants.keys()
    }

    #[inline(always)]
    fn place(&mut self, tenant: Tenant) -> &mut Place<K> {
        let place = self.roster.get_mut(tenant);
        place.expect("a tenant with jobs is in the roster")
    }

    /// The handle of a key, known or not so far.
    fn known<J, B>(&mut self, key: &B) -> Result<Tenant, TooManyTenants>
    where
        Q: FairQueue<J>,
        K: Borrow<B>,
        B: Hash + Eq + ToOwned<Owned: Into<K>> + ?Sized,
    {
        if let Some(&tenant) = self.tenants.get(key) {
            return Ok(tenant);
        }
        let tenants_max = self.roster.tenants_max();
        let tenant = self.make_room().ok_or(TooManyTenants { tenants_max })?;
        self.settle(tenant, key, 0);
        Ok(tenant)
    }

    fn settle<B: ToOwned<Owned: Into<K>> + ?Sized>(&mut self, tenant: Tenant, key: &B, jobs: u32) {
        let key: K = key.to_owned().into();
        let place = Place {
            key: key.clone(),
            jobs,
            idle_moments: 0,
        };
        self.roster.settle(tenant, place);
        self.tenants.insert(key, tenant);
    }

    /// A handle for a newcomer, who moves the hand.
    fn make_room<J>(&mut self) -> Option<Tenant>
    where
        Q: FairQueue<J>,
    {
        self.reclaim();
        let free = self.roster.free();
        free.or_else(|| {
            let looks = self.roster.looks_for_room();
            (0..looks).find(|_| {
                let looked_at = self.roster.look();
                looked_at.is_some_and(|tenant| self.let_go(tenant))
            })?;
            self.roster.free()
        })
    }

    /// Jobs of a tenant ended.
    #[inline(always)]
    fn ended<J>(&mut self, tenant: Tenant, jobs: u32)
    where
        Q: FairQueue<J>,
    {
        let place = self.place(tenant);
        place.jobs -= jobs;
        if place.jobs == 0 {
            place.idle_moments = place.idle_moments.wrapping_add(1);
            if place.idle_moments % MOMENTS == 1 {
                self.reclaim();
            }
        }
    }

    /// Looks at some tenants, and lets those go that can be.
    #[cold]
    #[inline(never)]
    fn reclaim<J>(&mut self)
    where
        Q: FairQueue<J>,
    {
        let looks = self.roster.looks();
        let mut busy = 0;
        for _ in 0..looks {
            if let Some(tenant) = self.roster.look()
                && !self.let_go(tenant)
            {
                busy += 1;
            }
        }
        self.roster.looked(looks, busy);
    }

    /// Forgets a tenant if that changes nothing, and says whether it did.
    fn let_go<J>(&mut self, tenant: Tenant) -> bool
    where
        Q: FairQueue<J>,
    {
        let is_idle = self.roster.get(tenant).is_some_and(|place| place.jobs == 0);
        if !is_idle || !self.queue.release(tenant) {
            return false;
        }
        if let Some(place) = self.roster.vacate(tenant) {
            self.tenants.remove(&place.key);
        }
        if self.roster.shrinks() {
            self.tenants.shrink_to_fit();
        }
        true
    }
}

fn refused<J>(refused: Refused<J>) -> Refused<J, KeyedRefusal> {
    Refused {
        job: refused.job,
        refusal: KeyedRefusal::new(refused.refusal),
    }
}

/// Jobs are counted in 32 bits.
fn count(jobs: usize) -> u32 {
    u32::try_from(jobs).expect("no queue holds as many jobs")
}

impl<K, Q: fmt::Debug, S> fmt::Debug for Keyed<K, Q, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Keyed")
            .field("tenants", &self.roster.tenants())
            .field("queue", &self.queue)
            .finish_non_exhaustive()
    }
}
