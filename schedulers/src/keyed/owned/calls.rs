//! What is called now and then: a tenant's terms, counters, batches and the end.

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};

use super::{Keyed, KeyedTicket};
use crate::keyed::{KeyedRefusal, TooManyTenants};
use crate::{Cost, FairQueue, LagMax, Limits, Offer, Pushed, Taken, Tenant};

impl<K: Hash + Eq + Clone, Q, S: BuildHasher> Keyed<K, Q, S> {
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
}

/// Jobs are counted in 32 bits.
fn count(jobs: usize) -> u32 {
    u32::try_from(jobs).expect("no queue holds as many jobs")
}
