//! The tiers of a limiter while it runs: which limit is in force for whom, and since when.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use super::bucket::Bucket;
use super::plan::{Plan, UnknownTier};
use super::rate::{Rate, RateLimit};

/// A tier by its place among the names of the plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TierNumber(u32);

/// The limit that a bucket is held to, by its place in [`Limits`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LimitNumber(u32);

impl LimitNumber {
    const fn first_of(tier: TierNumber) -> Self {
        Self(2 * tier.0)
    }

    /// The other one of the same tier.
    pub(super) const fn other(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// Two limits for each tier: the one in force, and a place for the next.
///
/// So a bucket needs to keep but a number, and a request reads its limit without a lock of its own: it
/// holds that of the bucket. Whoever changes a tier writes the place that no bucket refers to, and then
/// moves every bucket over under its lock. That lock is the partner of each access here, so all of them
/// are relaxed: a bucket that was seen with a number was moved to it after the limit was written.
#[derive(Debug)]
pub(super) struct Limits(Box<[Limit]>);

#[derive(Default, Debug)]
struct Limit {
    burst: AtomicU32,
    micro_per_second: AtomicU64,
    inverse: AtomicU64,
}

impl Limits {
    pub(super) fn of(plan: &Plan) -> Self {
        let limits = Self(
            (0..2 * plan.tiers().count())
                .map(|_| Limit::default())
                .collect(),
        );
        for (tier, (_, limit)) in (0..).zip(plan.tiers()) {
            limits.set(LimitNumber::first_of(TierNumber(tier)), limit);
        }
        limits
    }

    /// To be read under the lock of a bucket that has this number, or of the tiers.
    #[inline(always)]
    pub(super) fn get(&self, number: LimitNumber) -> RateLimit {
        let limit = &self.0[number.0 as usize];
        RateLimit {
            burst: limit.burst.load(Ordering::Relaxed),
            rate: Rate::from_parts(
                [&limit.micro_per_second, &limit.inverse].map(|part| part.load(Ordering::Relaxed)),
            ),
        }
    }

    /// No bucket may have this number.
    pub(super) fn set(&self, number: LimitNumber, limit: RateLimit) {
        let place = &self.0[number.0 as usize];
        place.burst.store(limit.burst, Ordering::Relaxed);
        let [micro_per_second, inverse] = limit.rate.parts();
        place
            .micro_per_second
            .store(micro_per_second, Ordering::Relaxed);
        place.inverse.store(inverse, Ordering::Relaxed);
    }
}

/// The plan, and for each tier what a tenant never seen has.
#[derive(Debug)]
pub(super) struct Tiers {
    plan: Plan,
    default: TierNumber,
    /// By number, and so by name.
    by_number: Vec<Tier>,
}

#[derive(Debug)]
struct Tier {
    name: String,
    in_force: LimitNumber,
    /// The bucket of a tenant never seen, since the tier was changed: until then it is full.
    unseen: Option<Bucket>,
}

impl Tiers {
    pub(super) fn new(plan: Plan) -> Self {
        let names = (0..).map(TierNumber).zip(plan.tiers());
        let tiers = names.map(|(number, (name, _))| Tier {
            name: name.to_owned(),
            in_force: LimitNumber::first_of(number),
            unseen: None,
        });
        let mut started = Self {
            by_number: tiers.collect(),
            default: TierNumber(0),
            plan,
        };
        let default = started.number(started.plan.default_tier());
        started.default = default.expect("a plan has its default tier");
        started
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The tier of a tenant that was assigned none.
    pub(super) fn default(&self) -> TierNumber {
        self.default
    }

    /// The tier of this name.
    pub(super) fn number(&self, name: &str) -> Result<TierNumber, UnknownTier> {
        self.plan.known(name)?;
        let found = self
            .by_number
            .binary_search_by(|tier| tier.name.as_str().cmp(name));
        let place = found.expect("the tiers of the plan, in its order");
        Ok(TierNumber(
            u32::try_from(place).expect("counted in 32 bits"),
        ))
    }

    pub(super) fn in_force(&self, tier: TierNumber) -> LimitNumber {
        self.by_number[tier.0 as usize].in_force
    }

    /// The bucket of a tenant of this tier that has none.
    pub(super) fn unseen(&self, tier: TierNumber, limit: &RateLimit, now: Duration) -> Bucket {
        self.by_number[tier.0 as usize]
            .unseen
            .map_or_else(|| Bucket::full(now), |bucket| bucket.refilled(limit, now))
    }

    /// Puts the other limit of a tier in force, which is this one.
    pub(super) fn change(&mut self, tier: TierNumber, limit: RateLimit, unseen: Bucket) {
        let Tier {
            name,
            in_force,
            unseen: known,
        } = &mut self.by_number[tier.0 as usize];
        self.plan.set(name, limit);
        (*in_force, *known) = (in_force.other(), Some(unseen));
    }
}
