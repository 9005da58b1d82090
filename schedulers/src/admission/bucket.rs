//! One token bucket, in whole numbers.

use std::time::Duration;

use super::rate::{RateLimit, SECOND_NS, TOKEN_MICRO, time_to_gain};
use crate::Cost;

/// What a bucket says to a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "a request that was not admitted must not be served"]
pub enum Verdict {
    /// The tokens are spent: serve it.
    Admitted {
        /// Whole tokens left.
        remaining: u32,
    },
    /// Not now. Nothing was spent.
    Refused {
        /// How long to wait. A request of the same cost passes then, if nobody else spends before it.
        retry_after: Duration,
    },
    /// Not ever: it costs more than the bucket can hold. Nothing was spent.
    AboveBurst {
        /// The most that a request may cost.
        burst: u32,
    },
    /// Not ever: the tokens are spent, and at rate zero none come back.
    Exhausted,
}

impl Verdict {
    /// Whether the request may be served.
    #[must_use]
    pub const fn is_admitted(&self) -> bool {
        matches!(self, Self::Admitted { .. })
    }

    /// How long to wait before trying again: zero when admitted, `None` when it will never pass.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Admitted { .. } => Some(Duration::ZERO),
            Self::Refused { retry_after } => Some(*retry_after),
            Self::AboveBurst { .. } | Self::Exhausted => None,
        }
    }
}

/// What came of spending, before it is put in words.
#[derive(Clone, Copy, Debug)]
pub(super) enum Spent {
    /// Millionths of a token left.
    Left(u64),
    /// Nothing was spent.
    Short {
        /// Millionths of a token that are missing.
        missing_micro: u64,
        /// Billionths of a millionth that are there already.
        remainder: u32,
        /// How far the clock stands before the latest time seen: first it has to come there.
        behind_ns: u64,
    },
    /// Nothing was spent, nor ever will be.
    AboveBurst,
}

impl Spent {
    #[inline]
    pub(super) fn verdict(self, limit: &RateLimit) -> Verdict {
        match self {
            Self::Left(micro) => Verdict::Admitted {
                remaining: whole_tokens(micro),
            },
            Self::AboveBurst => Verdict::AboveBurst { burst: limit.burst },
            Self::Short {
                missing_micro,
                remainder,
                behind_ns,
            } => match time_to_gain(missing_micro, remainder, limit.rate) {
                None => Verdict::Exhausted,
                Some(wait) if behind_ns == 0 => Verdict::Refused { retry_after: wait },
                Some(wait) => Verdict::Refused {
                    retry_after: wait.saturating_add(Duration::from_nanos(behind_ns)),
                },
            },
        }
    }
}

/// A token bucket: it starts full, fills at a rate, and each request takes out what it costs.
///
/// It counts in millionths of a token and in nanoseconds, and keeps the fraction that a refill leaves
/// over, so that a thousand short steps fill it exactly as much as one long one. Time is an argument,
/// counted from any fixed instant. It never runs backwards in here: an earlier time than one seen is
/// taken for that one, so a clock that steps back and forth mints nothing.
///
/// Origin: J. Turner, "New directions in communications", IEEE Communications Magazine 24(10), 1986.
///
/// ```
/// use std::time::Duration;
/// use schedulers::Cost;
/// use schedulers::admission::{Bucket, Rate, RateLimit, Verdict};
///
/// let limit = RateLimit { burst: 2, rate: Rate::per_second(1) };
/// let mut bucket = Bucket::full(&limit, Duration::ZERO);
/// assert_eq!(bucket.check(&limit, Cost::new(2), Duration::ZERO), Verdict::Admitted { remaining: 0 });
/// let retry_after = Duration::from_secs(1);
/// assert_eq!(bucket.check(&limit, Cost::UNIT, Duration::ZERO), Verdict::Refused { retry_after });
/// assert_eq!(bucket.check(&limit, Cost::UNIT, retry_after), Verdict::Admitted { remaining: 0 });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(Rust, packed(4))] // 20 bytes in place of 24: what stands beside it in a map fills the gap
pub struct Bucket {
    /// Millionths of a token that it held at `at_ns`; never above the capacity.
    level_micro: u64,
    /// The latest time that changed it.
    at_ns: u64,
    /// Billionths of a micro-token gained beside the level; 0 when full.
    remainder: u32,
}

impl Bucket {
    /// A full bucket.
    #[must_use]
    pub fn full(limit: &RateLimit, now: Duration) -> Self {
        Self {
            level_micro: limit.capacity_micro(),
            at_ns: nanoseconds(now),
            remainder: 0,
        }
    }

    /// Takes out what the request costs, if it is there. Anything but [`Verdict::Admitted`] changes
    /// nothing. A cost of zero always passes. O(1).
    #[inline]
    pub fn check(&mut self, limit: &RateLimit, cost: Cost, now: Duration) -> Verdict {
        self.spend(limit, cost, now).verdict(limit)
    }

    /// The part of a check that changes the bucket, and so all that is done under a lock: what there is to
    /// say of a refusal is worked out when others may go on.
    #[inline(always)]
    pub(super) fn spend(&mut self, limit: &RateLimit, cost: Cost, now: Duration) -> Spent {
        let cost_micro = u64::from(cost.units()) * TOKEN_MICRO;
        if cost_micro > limit.capacity_micro() {
            return Spent::AboveBurst;
        }
        let now_ns = nanoseconds(now);
        let refilled = self.refilled_at(limit, now_ns);
        if let Some(left_micro) = refilled.level_micro.checked_sub(cost_micro) {
            *self = Self {
                level_micro: left_micro,
                ..refilled
            };
            return Spent::Left(left_micro);
        }
        Spent::Short {
            missing_micro: cost_micro - refilled.level_micro,
            remainder: refilled.remainder,
            behind_ns: refilled.at_ns - now_ns,
        }
    }

    /// Puts back what an admitted request cost, when it was not served after all. Never above full.
    pub fn give_back(&mut self, limit: &RateLimit, cost: Cost) {
        let cost_micro = u64::from(cost.units()) * TOKEN_MICRO;
        self.level_micro = (self.level_micro + cost_micro).min(limit.capacity_micro());
        self.keep_remainder(limit);
    }

    /// Goes over to another limit: the bucket fills by the old one until now, and by the new one from
    /// now on. It keeps its tokens, up to the new capacity, and gains none by the change.
    pub fn change(&mut self, old: &RateLimit, new: &RateLimit, now: Duration) {
        *self = self.refilled(old, now);
        self.level_micro = self.level_micro.min(new.capacity_micro());
        self.keep_remainder(new);
    }

    /// The bucket as it stands at this time.
    #[inline]
    #[must_use]
    pub(super) fn refilled(&self, limit: &RateLimit, now: Duration) -> Self {
        self.refilled_at(limit, nanoseconds(now))
    }

    #[inline(always)]
    fn refilled_at(&self, limit: &RateLimit, now_ns: u64) -> Self {
        let at_ns = now_ns.max(self.at_ns);
        let (gained, remainder) = gain(limit, at_ns - self.at_ns, self.remainder);
        let mut refilled = Self {
            level_micro: self
                .level_micro
                .saturating_add(gained)
                .min(limit.capacity_micro()),
            at_ns,
            remainder,
        };
        refilled.keep_remainder(limit);
        refilled
    }

    /// Whether it holds all that it can.
    #[must_use]
    #[inline]
    pub(super) fn is_full(&self, limit: &RateLimit) -> bool {
        self.level_micro == limit.capacity_micro()
    }

    /// Whether it holds at least what the other does.
    pub(super) fn holds_as_much_as(&self, other: &Self) -> bool {
        (self.level_micro, self.remainder) >= (other.level_micro, other.remainder)
    }

    /// Whole tokens in it.
    #[must_use]
    pub fn remaining(&self, limit: &RateLimit, now: Duration) -> u32 {
        whole_tokens(self.refilled(limit, now).level_micro)
    }

    #[inline]
    fn keep_remainder(&mut self, limit: &RateLimit) {
        if self.is_full(limit) {
            self.remainder = 0;
        }
    }
}

/// What comes in during this time: micro-tokens, and billionths of one.
#[inline]
fn gain(limit: &RateLimit, elapsed_ns: u64, remainder: u32) -> (u64, u32) {
    let rate = limit.rate.micro_per_second();
    let in_64_bits = rate.checked_mul(elapsed_ns);
    let in_64_bits = in_64_bits.and_then(|product| product.checked_add(remainder.into()));
    let rest = |rest: u64| u32::try_from(rest).expect("less than a billion");
    if let Some(product) = in_64_bits {
        // The common case, where the divisor is a constant and no division is made.
        return (product / SECOND_NS, rest(product % SECOND_NS));
    }
    wide_gain(rate, elapsed_ns, remainder)
}

#[cold]
fn wide_gain(rate: u64, elapsed_ns: u64, remainder: u32) -> (u64, u32) {
    let product = u128::from(rate) * u128::from(elapsed_ns) + u128::from(remainder);
    let second = u128::from(SECOND_NS);
    let gained = u64::try_from(product / second).unwrap_or(u64::MAX);
    let left = u64::try_from(product % second).expect("less than a billion");
    (gained, u32::try_from(left).expect("less than a billion"))
}

#[inline]
fn whole_tokens(micro: u64) -> u32 {
    u32::try_from(micro / TOKEN_MICRO).expect("a capacity of at most u32::MAX tokens")
}

/// Nanoseconds of a time; 584 years are the end of time.
#[inline]
fn nanoseconds(time: Duration) -> u64 {
    let whole = time.as_secs().saturating_mul(SECOND_NS);
    whole.saturating_add(time.subsec_nanos().into())
}
