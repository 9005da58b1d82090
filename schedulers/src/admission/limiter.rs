//! A bucket for each tenant, shared by all threads.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::atomic::{AtomicIsize, Ordering};
use std::time::Duration;

use dashmap::DashMap;
use parking_lot::RwLock;

use super::bucket::{Bucket, Verdict, femtotokens, nanoseconds};
use super::plan::{Plan, UnknownTier};
use super::rate::RateLimit;
use super::tiers::{LimitNumber, Limits, TierNumber, Tiers};
use crate::Cost;

/// So many buckets appear at least before anybody looks whether some are full again.
const NEW_MIN: usize = 1_024;

/// A rate limit for each tenant by its tier.
///
/// `check` is one lookup and some arithmetic under the lock of one shard of the map; no guard leaves
/// this type, and no code of the caller's runs under one. A tenant's bucket appears with its first
/// request, and costs its key and 24 bytes, beside the room that a hash map keeps free. It is dropped when it is as full as that of a tenant
/// never seen, so forgetting it changes nothing: all are looked through whenever as many have
/// appeared as were left the last time, which is amortised O(1), or when [`reclaim`](Self::reclaim)
/// is called.
///
/// The default hasher is keyed at random, so chosen keys cannot collide.
pub struct Limiter<K, S = RandomState> {
    buckets: DashMap<K, Account, S>,
    /// The tenants that are not of the default tier.
    assigned: DashMap<K, TierNumber, S>,
    limits: Limits,
    tiers: RwLock<Tiers>,
    /// How many buckets may still appear before all are looked through; negative while they are.
    new_max: AtomicIsize,
}

/// A tenant's bucket, and what it is held to: so a request looks in one place.
#[derive(Clone, Copy, Debug)]
struct Account {
    bucket: Bucket,
    limit: LimitNumber,
}

const _: () = assert!(size_of::<Account>() == 24, "as the documentation says");

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
            limits: Limits::of(&plan),
            tiers: RwLock::new(Tiers::new(plan)),
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
        let (femtotokens, now_ns) = (femtotokens(cost), nanoseconds(now));
        if let Some(mut account) = self.buckets.get_mut(tenant) {
            let limit = self.limits.get(account.limit);
            let spent = account.bucket.spend(&limit, femtotokens, now_ns);
            drop(account);
            return spent.verdict(&limit);
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
            account.bucket.give_back(cost);
        }
    }

    /// Whole tokens that the tenant has left, and its limit.
    pub fn remaining<Q>(&self, tenant: &Q, now: Duration) -> (u32, RateLimit)
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let remaining = |account: &Account| {
            let limit = self.limits.get(account.limit);
            (account.bucket.remaining(&limit, now), limit)
        };
        if let Some(account) = self.buckets.get(tenant) {
            return remaining(&account);
        }
        let tiers = self.tiers.read();
        remaining(&self.unseen(&tiers, tenant, now))
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
        let tier = tiers.number(tier)?;
        let account = self.buckets.entry(tenant.to_owned());
        let mut account = account.or_insert_with(|| self.unseen(&tiers, tenant, now));
        // Under the lock of the bucket, so that of two threads that assign, one is the last in both.
        self.assigned.insert(tenant.to_owned(), tier);
        let (old, new) = (account.limit, tiers.in_force(tier));
        let limits = [old, new].map(|number| self.limits.get(number));
        account.bucket.change(&limits[0], &limits[1], now);
        account.limit = new;
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
        let tier = tiers.number(tier)?;
        let before = tiers.in_force(tier);
        let (after, old) = (before.other(), self.limits.get(before));
        let mut unseen = tiers.unseen(tier, &old, now);
        unseen.change(&old, &limit, now);
        self.limits.set(after, limit);
        tiers.change(tier, limit, unseen);
        for mut account in self.buckets.iter_mut() {
            if account.limit == before {
                account.bucket.change(&old, &limit, now);
                account.limit = after;
            }
        }
        Ok(())
    }

    /// Drops the buckets of tenants that have all their tokens. O(buckets).
    pub fn reclaim(&self, now: Duration) {
        // Read before the shards are locked, in the order in which `change` locks them.
        let tiers = self.tiers.read();
        self.buckets.retain(|tenant, account| {
            let unseen = self.unseen(&tiers, tenant, now);
            let limit = self.limits.get(account.limit);
            let refilled = account.bucket.refilled(&limit, now);
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
        self.tiers.read().plan().clone()
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
        // Another thread may have been first: then its bucket is the one.
        let account = self.buckets.entry(tenant.to_owned());
        let mut account = account.or_insert_with(|| self.unseen(&tiers, tenant, now));
        let limit = self.limits.get(account.limit);
        account.bucket.check(&limit, cost, now)
    }

    /// The account of a tenant that has none. Buckets are locked before tiers of tenants, everywhere.
    fn unseen<Q>(&self, tiers: &Tiers, tenant: &Q, now: Duration) -> Account
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let assigned = self.assigned.get(tenant).map(|tier| *tier);
        let tier = assigned.unwrap_or(tiers.default());
        let number = tiers.in_force(tier);
        let bucket = tiers.unseen(tier, &self.limits.get(number), now);
        Account {
            bucket,
            limit: number,
        }
    }
}

impl<K, S> fmt::Debug for Limiter<K, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Limiter").finish_non_exhaustive()
    }
}
