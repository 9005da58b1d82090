//! How fast a tenant may ask, and how much at once.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A token, in the unit of rates: a millionth.
const TOKEN_MICRO: u64 = 1_000_000;

/// A token in femtotokens, the unit that buckets count in.
pub(super) const TOKEN: u64 = 1_000_000_000_000_000;

/// Tokens a second, counted in millionths of a token.
///
/// ```
/// use schedulers::admission::Rate;
///
/// assert_eq!(Rate::per_second(5), Rate::try_from(5.0)?);
/// assert_eq!(Rate::per_minute(30), Rate::try_from(0.5)?);
/// assert!(Rate::try_from(f64::NAN).is_err());
/// assert!(Rate::try_from(1e-300).is_err()); // neither zero nor a rate that could be counted
/// # Ok::<(), schedulers::admission::RateOutOfRange>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rate {
    micro_per_second: u64,
    /// `u64::MAX` over the rate, or 0 at rate zero: a multiplication in place of a division, which would
    /// be the dearest part of a refusal.
    inverse: u64,
}

impl Rate {
    /// Nothing ever comes back: the burst is all there is.
    pub const ZERO: Self = Self::of_micro(0);

    /// So many tokens a second.
    #[must_use]
    pub const fn per_second(tokens: u32) -> Self {
        Self::of_micro(tokens as u64 * TOKEN_MICRO)
    }

    /// So many tokens a minute, rounded down to a millionth of a token a second.
    #[must_use]
    pub const fn per_minute(tokens: u32) -> Self {
        Self::of_micro(tokens as u64 * TOKEN_MICRO / 60)
    }

    /// So many millionths of a token a second.
    const fn of_micro(micro_per_second: u64) -> Self {
        let inverse = match micro_per_second {
            0 => 0,
            rate => u64::MAX / rate,
        };
        Self {
            micro_per_second,
            inverse,
        }
    }

    /// The rate in two numbers, to be kept apart and put together again.
    pub(super) const fn parts(self) -> [u64; 2] {
        [self.micro_per_second, self.inverse]
    }

    #[inline]
    pub(super) const fn from_parts([micro_per_second, inverse]: [u64; 2]) -> Self {
        Self {
            micro_per_second,
            inverse,
        }
    }

    /// Femtotokens that come in during so many nanoseconds: a millionth of a token a second is one a
    /// nanosecond.
    #[inline(always)]
    pub(super) fn gained_in(self, ns: u64) -> u128 {
        u128::from(self.micro_per_second) * u128::from(ns)
    }

    /// How long it takes to gain so many femtotokens, rounded up to the nanosecond; `None` if they never
    /// come.
    #[inline]
    pub(super) fn time_to_gain(self, femtotokens: u128) -> Option<Duration> {
        match (u64::try_from(femtotokens), self.micro_per_second) {
            // The common case, up to 18,000 tokens.
            (Ok(femtotokens), 1..) => {
                Some(Duration::from_nanos(self.nanoseconds_to_gain(femtotokens)))
            }
            _ => self.wide_time_to_gain(femtotokens),
        }
    }

    /// Not at rate zero.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation)] // the upper half of 128 bits
    fn nanoseconds_to_gain(self, femtotokens: u64) -> u64 {
        let product = u128::from(femtotokens) * u128::from(self.inverse);
        // What a division would give, or up to two less, as the inverse is rounded down.
        let mut ns = (product >> 64) as u64;
        while self.gained_in(ns) < u128::from(femtotokens) {
            ns += 1;
        }
        ns
    }

    #[cold]
    fn wide_time_to_gain(self, femtotokens: u128) -> Option<Duration> {
        if femtotokens == 0 {
            return Some(Duration::ZERO);
        }
        if self.micro_per_second == 0 {
            return None;
        }
        let ns = femtotokens.div_ceil(self.micro_per_second.into());
        let seconds = u64::try_from(ns / u128::from(SECOND_NS)).unwrap_or(u64::MAX);
        let rest = u32::try_from(ns % u128::from(SECOND_NS)).expect("less than a second");
        Some(Duration::new(seconds, rest))
    }

    /// Millionths of a token a second.
    #[must_use]
    #[inline]
    pub const fn micro_per_second(self) -> u64 {
        self.micro_per_second
    }

    /// Tokens a second, for people to read.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // at most 2^32 tokens a second: exact to a millionth
    pub fn tokens_per_second(self) -> f64 {
        self.micro_per_second as f64 / TOKEN_MICRO as f64
    }

    /// So many times as fast, or the largest rate there is.
    #[must_use]
    pub const fn saturating_mul(self, factor: u32) -> Self {
        Self::of_micro(self.micro_per_second.saturating_mul(factor as u64))
    }

    /// The sum of both, or the largest rate there is.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self::of_micro(self.micro_per_second.saturating_add(other.micro_per_second))
    }
}

impl TryFrom<f64> for Rate {
    type Error = RateOutOfRange;

    /// Tokens a second, rounded to a millionth.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the range just checked
    fn try_from(tokens_per_second: f64) -> Result<Self, RateOutOfRange> {
        let in_range =
            tokens_per_second == 0.0 || (1e-6..=f64::from(u32::MAX)).contains(&tokens_per_second);
        if !in_range {
            return Err(RateOutOfRange { tokens_per_second });
        }
        Ok(Self::of_micro((tokens_per_second * 1e6).round() as u64))
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} a second", self.tokens_per_second())
    }
}

/// The rate is not a number, negative, above `u32::MAX`, or so near zero that it could not be counted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RateOutOfRange {
    /// The rate that was asked for.
    pub tokens_per_second: f64,
}

impl fmt::Display for RateOutOfRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "a rate of {} tokens a second is out of range: give 0, or 0.000001 to {}",
            self.tokens_per_second,
            u32::MAX
        )
    }
}

impl std::error::Error for RateOutOfRange {}

/// What one bucket is held to: how much at once, and how fast it fills again. In a file, it is a
/// table of `burst` and `per_second`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct RateLimit {
    /// The most tokens that a bucket holds. A request that costs more can never pass.
    pub burst: u32,
    /// How fast the bucket fills.
    pub rate: Rate,
}

impl RateLimit {
    /// The capacity in femtotokens: at most 82 bits.
    #[inline(always)]
    pub(super) fn capacity(&self) -> u128 {
        u128::from(self.burst) * u128::from(TOKEN)
    }

    /// How long an empty bucket takes to fill, rounded up; `None` at rate zero.
    #[must_use]
    pub fn time_to_fill(&self) -> Option<Duration> {
        self.rate.time_to_gain(self.capacity())
    }
}

/// A rate limit as a file has it.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    burst: u32,
    per_second: f64,
}

impl TryFrom<Written> for RateLimit {
    type Error = RateOutOfRange;

    fn try_from(Written { burst, per_second }: Written) -> Result<Self, RateOutOfRange> {
        Ok(Self {
            burst,
            rate: Rate::try_from(per_second)?,
        })
    }
}

impl From<RateLimit> for Written {
    fn from(RateLimit { burst, rate }: RateLimit) -> Self {
        Self {
            burst,
            per_second: rate.tokens_per_second(),
        }
    }
}

/// A second, in the unit of time that buckets count in.
pub(super) const SECOND_NS: u64 = 1_000_000_000;

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn multiplying_by_the_inverse_is_dividing_and_rounding_up() {
        const SEED: u64 = 20_261_130;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
        let ends = [1, 2, 3, 1_000_000, u64::MAX / 2, u64::MAX - 1, u64::MAX];
        let mut pairs: Vec<(u64, u64)> = Vec::new();
        pairs.extend(ends.iter().flat_map(|&rate| ends.map(|gain| (rate, gain))));
        for _ in 0..100_000 {
            let (rate, gain) = (random.random::<u64>(), random.random::<u64>());
            let (rate, gain) = (
                rate >> random.random_range(0..64),
                gain >> random.random_range(0..64),
            );
            pairs.push((rate.max(1), gain));
            pairs.push((rate.max(1), (gain / rate.max(1)) * rate.max(1)));
        }
        for (rate, gain) in pairs {
            let ns = Rate::of_micro(rate).nanoseconds_to_gain(gain);
            assert_eq!(ns, gain.div_ceil(rate), "seed {SEED}: {gain} at {rate}");
        }
    }
}
