//! What the provider behind the workers allows: one bucket for all tenants, behind the queue.

use std::time::Duration;

use parking_lot::Mutex;

use super::bucket::{Bucket, Verdict};
use super::rate::{Rate, RateLimit};
use crate::Cost;

/// A rate that no worker may go beyond, whoever the tenant: the quota of an upstream service.
///
/// It stands behind the fair queue: a worker asks it *before* it takes a job, so that the jobs wait in
/// the queue, where they are served fairly, and not in the workers' hands.
#[derive(Debug)]
pub struct Ceiling {
    limit: RateLimit,
    bucket: Mutex<Bucket>,
}

impl Ceiling {
    /// A ceiling whose burst is unused.
    #[must_use]
    pub fn new(limit: RateLimit, now: Duration) -> Self {
        Self {
            limit,
            bucket: Mutex::new(Bucket::full(now)),
        }
    }

    /// May a worker send so much now? If not, how long until it may.
    pub fn check(&self, cost: Cost, now: Duration) -> Verdict {
        self.bucket.lock().check(&self.limit, cost, now)
    }

    /// Gives back what was not sent after all: the take found no job, or the job cost less.
    pub fn give_back(&self, cost: Cost) {
        self.bucket.lock().give_back(cost);
    }

    /// The sum of the tenants' rates against the ceiling's: above it, tenants that all use what they
    /// were promised wait in the queue without end.
    pub fn promised(&self, rates: impl IntoIterator<Item = Rate>) -> Promised {
        let sum = rates.into_iter().fold(Rate::ZERO, Rate::saturating_add);
        Promised {
            sum,
            ceiling: self.limit.rate,
        }
    }
}

/// What tenants were promised together, and what there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Promised {
    /// The sum of the tenants' rates.
    pub sum: Rate,
    /// What the provider allows.
    pub ceiling: Rate,
}

impl Promised {
    /// Whether all promises can be kept at once.
    #[must_use]
    pub fn can_be_kept(&self) -> bool {
        self.sum <= self.ceiling
    }

    /// How many times the ceiling was promised: 1 is all of it. Infinite for a ceiling of zero.
    #[must_use]
    pub fn times(&self) -> f64 {
        self.sum.tokens_per_second() / self.ceiling.tokens_per_second()
    }
}
