//! What is called now and then: a tenant's terms, counters, batches and the end.

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};

use super::{KeyedJob, SharedKeyed, SharedKeyedTicket};
use crate::keyed::{KeyedRefusal, TooManyTenants};
use crate::{Cost, LagMax, Limits, Offer, Pushed, SharedFairQueue, Taken};

impl<K: Hash + Eq + Clone, Q, S: BuildHasher + Clone> SharedKeyed<K, Q, S> {
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
        taken.extend(batch.into_iter().map(KeyedJob::taken));
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
    /// remove the tenant visited. For what is known, see [`Keyed::keys`](crate::keyed::Keyed::keys).
    pub fn for_each_key(&self, mut visit: impl FnMut(&K)) {
        self.for_each_known(|known| visit(&known.key));
    }
}
