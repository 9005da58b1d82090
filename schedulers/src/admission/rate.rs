//! How fast a tenant may ask, and how much at once.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// One token, in the unit that buckets count in.
pub(super) const TOKEN_MICRO: u64 = 1_000_000;

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
}

impl Rate {
    /// Nothing ever comes back: the burst is all there is.
    pub const ZERO: Self = Self {
        micro_per_second: 0,
    };

    /// So many tokens a second.
    #[must_use]
    pub const fn per_second(tokens: u32) -> Self {
        Self {
            micro_per_second: tokens as u64 * TOKEN_MICRO,
        }
    }

    /// So many tokens a minute, rounded down to a millionth of a token a second.
    #[must_use]
    pub const fn per_minute(tokens: u32) -> Self {
        Self {
            micro_per_second: tokens as u64 * TOKEN_MICRO / 60,
        }
    }

    /// Millionths of a token a second.
    #[must_use]
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
        Self {
            micro_per_second: self.micro_per_second.saturating_mul(factor as u64),
        }
    }

    /// The sum of both, or the largest rate there is.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self {
            micro_per_second: self.micro_per_second.saturating_add(other.micro_per_second),
        }
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
        Ok(Self {
            micro_per_second: (tokens_per_second * 1e6).round() as u64,
        })
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
    /// The capacity in millionths of a token.
    pub(super) const fn capacity_micro(&self) -> u64 {
        self.burst as u64 * TOKEN_MICRO
    }

    /// How long an empty bucket takes to fill, rounded up; `None` at rate zero.
    #[must_use]
    pub fn time_to_fill(&self) -> Option<Duration> {
        time_to_gain(self.capacity_micro(), 0, self.rate)
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

/// How long until a bucket has gained so much, rounded up to the nanosecond. `remainder` billionths
/// of a micro-token are there already. `None` if it never will.
pub(super) fn time_to_gain(gain_micro: u64, remainder: u32, rate: Rate) -> Option<Duration> {
    let rate = u128::from(rate.micro_per_second);
    let missing = (u128::from(gain_micro) * u128::from(SECOND_NS)).saturating_sub(remainder.into());
    if missing == 0 {
        return Some(Duration::ZERO);
    }
    if rate == 0 {
        return None;
    }
    let ns = missing.div_ceil(rate);
    let seconds = u64::try_from(ns / u128::from(SECOND_NS)).unwrap_or(u64::MAX);
    let rest = u32::try_from(ns % u128::from(SECOND_NS)).expect("less than a second");
    Some(Duration::new(seconds, rest))
}
