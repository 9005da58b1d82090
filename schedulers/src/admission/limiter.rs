//! A bucket for each tenant, shared by all threads.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::atomic::{AtomicIsize, Ordering};
use std::time::Duration;

use dashmap::DashMap;
use parking_lot::RwLock;

use super::bucket::{Bucket, Verdict};
use super::plan::{Plan, UnknownTier};
use super::rate::RateLimit;
use crate::Cost;

/// So many buckets appear at least before anybody looks whether some are full again.
const NEW_MIN: usize = 1_024;

/// A rate limit for each tenant by its tier.
///
/// `check` is one lookup and some arithmetic under the lock of one shard of the map; no guard leaves
/// this type, and no code of the caller's runs under one. A tenant's bucket appears with its first
/// request, and costs its key and 32 bytes. It is dropped when it is as full as that of a tenant
/// never seen, so forgetting it changes nothing: all are looked through whenever as many have
/// appeared as were left the last time, which is amortised O(1), or when [`reclaim`](Self::reclaim)
/// is called.
///
/// The default hasher is keyed at random, so chosen keys cannot collide.
pub struct Limiter<K, S = RandomState> {
    buckets: DashMap<K, Account, S>,
    /// The tenants that are not of the default tier.
    assigned: DashMap<K, String, S>,
    tiers: RwLock<Tiers>,
    /// How many buckets may still appear before all are looked through; negative while they are.
    new_max: AtomicIsize,
}

/// A tenant's bucket, and what it is held to: so a request looks in one place.
#[derive(Clone, Copy, Debug)]
struct Account {
    bucket: Bucket,
    limit: RateLimit,
}

/// The plan, and for each tier the bucket of a tenant never seen.
struct Tiers {
    plan: Plan,
    /// Only of tiers that were changed: until then such a bucket is full.
    unseen: Vec<(String, Bucket)>,
}

impl Tiers {
    /// The bucket of a tenant of this tier that has none.
    fn unseen(&self, tier: &str, limit: &RateLimit, now: Duration) -> Bucket {
        let changed = self.unseen.iter().find(|(name, _)| name == tier);
        changed.map_or_else(
            || Bucket::full(limit, now),
            |(_, bucket)| bucket.refilled(limit, now),
        )
    }
}

impl<K: Hash + Eq + Clone> Limiter<K> {
    /// No tenant yet, and every tenant on the default tier.
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        Self::with_hasher(plan, RandomState::new())
    }
}

impl<K: Hash + Eq + Clone, S: BuildHasher + Clone> Limiter<K, S> {
    /// The same with a hasher of the caller's, such as one with a fixed seed for a benchmark.
    #[must_use]
    pub fn with_hasher(plan: Plan, hasher: S) -> Self {
        Self {
            buckets: DashMap::with_hasher(hasher.clone()),
            assigned: DashMap::with_hasher(hasher),
            tiers: RwLock::new(Tiers {
                plan,
                unseen: Vec::new(),
            }),
            new_max: AtomicIsize::new(NEW_MIN.cast_signed()),
        }
    }

    /// May this tenant make a request of this cost now? Time counts from any fixed instant.
    ///
    /// The key is cloned only if the tenant has no bucket.
    #[inline]
    pub fn check<Q>(&self, tenant: &Q, cost: Cost, now: Duration) -> Verdict
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        if let Some(mut account) = self.buckets.get_mut(tenant) {
            let Account { bucket, limit } = account.value_mut();
            return bucket.check(limit, cost, now);
        }
        self.check_unseen(tenant, cost, now)
    }

    /// Gives back what an admitted request cost, as it was refused farther on.
    pub fn give_back<Q>(&self, tenant: &Q, cost: Cost)
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        // Without a bucket the tenant has all its tokens.
        if let Some(mut account) = self.buckets.get_mut(tenant) {
            let Account { bucket, limit } = account.value_mut();
            bucket.give_back(limit, cost);
        }
    }

    /// Whole tokens that the tenant has left, and its limit.
    pub fn remaining<Q>(&self, tenant: &Q, now: Duration) -> (u32, RateLimit)
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let account = self.buckets.get(tenant).map(|account| *account);
        let Account { bucket, limit } = account.unwrap_or_else(|| self.unseen(tenant, now));
        (bucket.remaining(&limit, now), limit)
    }

    /// Moves a tenant to another tier at once. It keeps its tokens, up to the new burst.
    ///
    /// # Errors
    ///
    /// [`UnknownTier`] when the plan has no such tier.
    pub fn assign<Q>(&self, tenant: &Q, tier: &str, now: Duration) -> Result<(), UnknownTier>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        // The lock is held to the end: a change of the tier meanwhile would miss this tenant.
        let tiers = self.tiers.read();
        let limit = tiers.plan.known(tier)?;
        let before = self.unseen_in(&tiers, tenant, now);
        self.assigned.insert(tenant.to_owned(), tier.to_owned());
        let mut account = self.buckets.entry(tenant.to_owned()).or_insert(before);
        let Account { bucket, limit: old } = account.value_mut();
        bucket.change(old, &limit, now);
        *old = limit;
        Ok(())
    }

    /// Changes what a tier may ask, for its tenants too, those never seen among them: they keep
    /// their tokens, up to the new burst. O(tenants); each shard of the map is locked in turn.
    ///
    /// # Errors
    ///
    /// [`UnknownTier`] when the plan has no such tier.
    pub fn change(&self, tier: &str, limit: RateLimit, now: Duration) -> Result<(), UnknownTier> {
        let mut tiers = self.tiers.write();
        let old = tiers.plan.known(tier)?;
        let mut unseen = tiers.unseen(tier, &old, now);
        unseen.change(&old, &limit, now);
        tiers.plan.set(tier, limit)?;
        tiers.unseen.retain(|(name, _)| name != tier);
        tiers.unseen.push((tier.to_owned(), unseen));
        for mut entry in self.buckets.iter_mut() {
            let (tenant, Account { bucket, limit: own }) = entry.pair_mut();
            if self.with_tier_of(&tiers, tenant, |own| own == tier) {
                bucket.change(own, &limit, now);
                *own = limit;
            }
        }
        Ok(())
    }

    /// Drops the buckets of tenants that have all their tokens. O(buckets).
    pub fn reclaim(&self, now: Duration) {
        // Read before the shards are locked, in the order in which `change` locks them.
        let tiers = self.tiers.read();
        self.buckets.retain(|tenant, account| {
            let unseen = self.unseen_in(&tiers, tenant, now);
            let refilled = account.bucket.refilled(&account.limit, now);
            !refilled.holds_as_much_as(&unseen.bucket)
        });
        self.buckets.shrink_to_fit();
        let new_max = self.buckets.len().max(NEW_MIN).cast_signed();
        // Relaxed, with no partner: when to look again is a hint.
        self.new_max.store(new_max, Ordering::Relaxed);
    }

    /// How many tenants have a bucket.
    #[must_use]
    pub fn buckets(&self) -> usize {
        self.buckets.len()
    }

    /// The plan as it is now.
    #[must_use]
    pub fn plan(&self) -> Plan {
        self.tiers.read().plan.clone()
    }

    #[cold]
    fn check_unseen<Q>(&self, tenant: &Q, cost: Cost, now: Duration) -> Verdict
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        // Relaxed, with no partner: one thread sees the 1, and only it looks through the buckets.
        if self.new_max.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.reclaim(now);
        }
        let tiers = self.tiers.read();
        let unseen = self.unseen_in(&tiers, tenant, now);
        // Another thread may have been first: then its bucket is the one.
        let mut account = self.buckets.entry(tenant.to_owned()).or_insert(unseen);
        let Account { bucket, limit } = account.value_mut();
        bucket.check(limit, cost, now)
    }

    fn unseen<Q>(&self, tenant: &Q, now: Duration) -> Account
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.unseen_in(&self.tiers.read(), tenant, now)
    }

    /// The account of a tenant that has none.
    fn unseen_in<Q>(&self, tiers: &Tiers, tenant: &Q, now: Duration) -> Account
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.with_tier_of(tiers, tenant, |tier| {
            let limit = tiers
                .plan
                .tier(tier)
                .expect("a tenant is of a tier of the plan");
            let bucket = tiers.unseen(tier, &limit, now);
            Account { bucket, limit }
        })
    }

    /// Does something with the name of a tenant's tier. Nothing of the caller's own runs in here.
    fn with_tier_of<Q, T>(&self, tiers: &Tiers, tenant: &Q, look: impl FnOnce(&str) -> T) -> T
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        match self.assigned.get(tenant) {
            Some(tier) => look(&tier),
            None => look(tiers.plan.default_tier()),
        }
    }
}

impl<K, S> fmt::Debug for Limiter<K, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Limiter").finish_non_exhaustive()
    }
}
