//! One token bucket, in whole numbers.

use std::time::Duration;

use super::rate::{RateLimit, SECOND_NS, TOKEN};
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
    /// Femtotokens left.
    Left(u128),
    /// Nothing was spent.
    Short {
        /// Femtotokens that are missing.
        missing: u128,
        /// How far the clock stands before the latest time seen: first it has to come there.
        behind_ns: u64,
    },
    /// Nothing was spent, nor ever will be.
    AboveBurst,
}

impl Spent {
    #[inline(always)]
    pub(super) fn verdict(self, limit: &RateLimit) -> Verdict {
        match self {
            Self::Left(left) => Verdict::Admitted {
                remaining: whole_tokens(left),
            },
            Self::AboveBurst => Verdict::AboveBurst { burst: limit.burst },
            Self::Short { missing, behind_ns } => match limit.rate.time_to_gain(missing) {
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
/// It counts in femtotokens and in nanoseconds. A rate of one millionth of a token a second is one
/// femtotoken a nanosecond, so a refill is a multiplication with nothing left over: a thousand short
/// steps fill it exactly as much as one long one. Time is an argument, counted from any fixed instant. It never runs backwards in here: an earlier time than one seen is
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
/// let mut bucket = Bucket::full(Duration::ZERO);
/// assert_eq!(bucket.check(&limit, Cost::new(2), Duration::ZERO), Verdict::Admitted { remaining: 0 });
/// let retry_after = Duration::from_secs(1);
/// assert_eq!(bucket.check(&limit, Cost::UNIT, Duration::ZERO), Verdict::Refused { retry_after });
/// assert_eq!(bucket.check(&limit, Cost::UNIT, retry_after), Verdict::Admitted { remaining: 0 });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(Rust, packed(4))] // 20 bytes in place of 24: what stands beside it in a map fills the gap
pub struct Bucket {
    /// Femtotokens that it was short of full at `at_ns`, never more than the capacity: the lower 64 bits.
    short_low: u64,
    /// The latest time that changed it.
    at_ns: u64,
    /// The upper bits of what it was short.
    short_high: u32,
}

impl Bucket {
    /// A full bucket, whatever it holds.
    #[must_use]
    pub fn full(now: Duration) -> Self {
        Self::of(0, nanoseconds(now))
    }

    /// The largest burst is 82 bits of femtotokens, so nothing is cut off.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation)]
    fn of(short: u128, at_ns: u64) -> Self {
        Self {
            short_low: short as u64,
            at_ns,
            short_high: (short >> 64) as u32,
        }
    }

    #[inline(always)]
    fn short(&self) -> u128 {
        u128::from(self.short_high) << 64 | u128::from(self.short_low)
    }

    /// Takes out what the request costs, if it is there. Anything but [`Verdict::Admitted`] changes
    /// nothing. A cost of zero always passes. O(1).
    #[inline]
    pub fn check(&mut self, limit: &RateLimit, cost: Cost, now: Duration) -> Verdict {
        self.spend(limit, femtotokens(cost), nanoseconds(now))
            .verdict(limit)
    }

    /// The part of a check that changes the bucket, and so all that is done under a lock: what is asked is
    /// converted before it, and what there is to say of a refusal worked out after it.
    #[inline(always)]
    pub(super) fn spend(&mut self, limit: &RateLimit, cost: u128, now_ns: u64) -> Spent {
        let capacity = limit.capacity();
        let refilled = self.refilled_at(limit, now_ns);
        let short = refilled.short() + cost;
        if short <= capacity {
            *self = Self::of(short, refilled.at_ns);
            return Spent::Left(capacity - short);
        }
        if cost > capacity {
            return Spent::AboveBurst;
        }
        Spent::Short {
            missing: short - capacity,
            behind_ns: refilled.at_ns - now_ns,
        }
    }

    /// Puts back what an admitted request cost, when it was not served after all. Never above full.
    pub fn give_back(&mut self, cost: Cost) {
        *self = Self::of(self.short().saturating_sub(femtotokens(cost)), self.at_ns);
    }

    /// Goes over to another limit: the bucket fills by the old one until now, and by the new one from
    /// now on. It keeps its tokens, up to the new capacity, and gains none by the change.
    pub fn change(&mut self, old: &RateLimit, new: &RateLimit, now: Duration) {
        let refilled = self.refilled(old, now);
        let level = old.capacity() - refilled.short();
        *self = Self::of(new.capacity().saturating_sub(level), refilled.at_ns);
    }

    /// The bucket as it stands at this time.
    #[inline]
    #[must_use]
    pub(super) fn refilled(&self, limit: &RateLimit, now: Duration) -> Self {
        self.refilled_at(limit, nanoseconds(now))
    }

    #[inline(always)]
    fn refilled_at(&self, limit: &RateLimit, now_ns: u64) -> Self {
        let elapsed_ns = now_ns.saturating_sub(self.at_ns);
        let gained = limit.rate.gained_in(elapsed_ns);
        Self::of(self.short().saturating_sub(gained), self.at_ns + elapsed_ns)
    }

    /// Whether it holds at least what the other does, under the same limit.
    pub(super) fn holds_as_much_as(&self, other: &Self) -> bool {
        self.short() <= other.short()
    }

    /// Whole tokens in it.
    #[must_use]
    pub fn remaining(&self, limit: &RateLimit, now: Duration) -> u32 {
        whole_tokens(limit.capacity() - self.refilled(limit, now).short())
    }
}

#[inline(always)]
pub(super) fn femtotokens(cost: Cost) -> u128 {
    u128::from(cost.units()) * u128::from(TOKEN)
}

#[inline]
fn whole_tokens(femtotokens: u128) -> u32 {
    // A token is two to the power of 15 and an odd number: so all but the largest bursts are divided in 64
    // bits, by a constant.
    const BITS: u32 = TOKEN.trailing_zeros();
    let whole = match u64::try_from(femtotokens >> BITS) {
        Ok(parts) => parts / (TOKEN >> BITS),
        Err(_) => wide_whole_tokens(femtotokens),
    };
    u32::try_from(whole).expect("a capacity of at most u32::MAX tokens")
}

#[cold]
fn wide_whole_tokens(femtotokens: u128) -> u64 {
    u64::try_from(femtotokens / u128::from(TOKEN)).expect("a capacity of at most u32::MAX tokens")
}

/// Nanoseconds of a time; 584 years are the end of time.
#[inline(always)]
pub(super) fn nanoseconds(time: Duration) -> u64 {
    let whole = time.as_secs().saturating_mul(SECOND_NS);
    whole.saturating_add(time.subsec_nanos().into())
}
