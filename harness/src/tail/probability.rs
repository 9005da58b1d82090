//! Probabilities, and the exact arithmetic of many independent chances.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use records::number::real;

/// A probability: 0 to 1, never NaN.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Serialize)]
#[serde(transparent)]
pub struct Probability(f64);

impl Probability {
    /// `None` for what is not from 0 to 1.
    #[must_use]
    pub fn new(value: f64) -> Option<Self> {
        // A NaN is in no range. Adding 0 makes -0 a 0.
        (0.0..=1.0).contains(&value).then_some(Self(value + 0.0))
    }

    /// The value, from 0 to 1.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// What was given is not a number from 0 to 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotAProbability;

impl fmt::Display for NotAProbability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .write_str("not a probability: give a number from 0 to 1, as 0.01 for one in a hundred")
    }
}

impl std::error::Error for NotAProbability {}

impl FromStr for Probability {
    type Err = NotAProbability;

    fn from_str(text: &str) -> Result<Self, NotAProbability> {
        text.parse().ok().and_then(Self::new).ok_or(NotAProbability)
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The chance that at least one of `count` independent events of chance `p` happens:
/// `1 - (1 - p)^count`.
///
/// Composed by doubling from `any(a, b) = a + b - ab`, so that small chances are not lost next to 1,
/// and the result is the same on every platform. O(log count).
///
/// ```
/// use harness::tail::any;
/// assert_eq!(any(0.5, 3), 0.875);
/// assert_eq!(format!("{:.6}", any(0.01, 100)), "0.633968");
/// ```
#[must_use]
pub fn any(p: f64, count: u64) -> f64 {
    let either = |a: f64, b: f64| a + b * (1.0 - a);
    let (mut result, mut power, mut left) = (0.0, p, count);
    while left > 0 {
        if left % 2 == 1 {
            result = either(result, power);
        }
        power = either(power, power);
        left /= 2;
    }
    result
}

/// The chance that all of `count` independent events of chance `p` happen: `p^count`. O(log count).
#[must_use]
pub fn all(p: f64, count: u64) -> f64 {
    let (mut result, mut power, mut left) = (1.0, p, count);
    while left > 0 {
        if left % 2 == 1 {
            result *= power;
        }
        power *= power;
        left /= 2;
    }
    result
}

/// The chance that at least `least` of `count` independent events of chance `p` happen: the upper
/// tail of the binomial distribution. O(count), and O(log count) for one and for all.
#[must_use]
pub fn at_least(least: u64, count: u64, p: f64) -> f64 {
    if least == 0 || p >= 1.0 {
        return if least <= count { 1.0 } else { 0.0 };
    }
    if p <= 0.0 || least > count {
        return 0.0;
    }
    if least == 1 {
        return any(p, count);
    }
    if least == count {
        return all(p, count);
    }
    // Terms by their ratio to the first: C(count, j) p^j (1-p)^(count-j) for j from `least` on.
    let odds = p / (1.0 - p);
    let (mut term, mut sum) = (1.0, 1.0);
    for j in least..count {
        let ratio = odds * real(count - j) / real(j + 1);
        term *= ratio;
        sum += term;
        // Ratios only fall: what is left is less than a geometric series, too small to be added.
        if ratio < 0.5 && term < sum * f64::EPSILON / 4.0 {
            break;
        }
    }
    (log_term(least, count, p).exp() * sum).min(1.0)
}

/// The logarithm of the binomial term of exactly `hits` of `count`.
fn log_term(hits: u64, count: u64, p: f64) -> f64 {
    let fewer = hits.min(count - hits);
    let choices: f64 = (0..fewer)
        .map(|j| (real(count - j) / real(fewer - j)).ln())
        .sum();
    choices + real(hits) * p.ln() + real(count - hits) * (-p).ln_1p()
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // what is exact is compared exactly
mod tests {
    use super::{Probability, all, any, at_least};

    /// The published pairs, to all the digits that are published.
    #[test]
    fn the_chance_that_any_is_slow_is_as_published() {
        for (p, leaves, published) in [
            (0.01, 100, "0.633968"),
            (0.001, 100, "0.0952"),
            (0.001, 1_000, "0.6323"),
            (0.0001, 2_000, "0.1813"),
        ] {
            let decimals = published.len() - 2;
            assert_eq!(
                format!("{:.decimals$}", any(p, leaves)),
                published,
                "{p} {leaves}"
            );
        }
    }

    /// Powers of two are exact in binary, so there is no tolerance.
    #[test]
    fn halves_are_exact() {
        let mut half = 1.0;
        for count in 1..=52 {
            half /= 2.0;
            assert!(
                any(0.5, count) == 1.0 - half && all(0.5, count) == half,
                "{count}"
            );
        }
        for count in [1, 2, 3, 1_000_000, u64::MAX] {
            assert!(any(0.0, count) == 0.0 && any(1.0, count) == 1.0, "{count}");
            assert!(all(0.0, count) == 0.0 && all(1.0, count) == 1.0, "{count}");
        }
        assert!(
            any(1e-300, 1_000_000) > 0.0,
            "small chances are not lost next to 1"
        );
    }

    /// Against sums of all outcomes, one by one.
    #[test]
    fn the_binomial_tail_is_the_sum_of_its_outcomes() {
        for count in 1..=12_u32 {
            for p in [0.0, 0.001, 0.25, 0.5, 0.99, 1.0] {
                for least in 0..=count + 1 {
                    let sum: f64 = (0..1_u32 << count)
                        .filter(|outcome| outcome.count_ones() >= least)
                        .map(|outcome| {
                            let hits = u64::from(outcome.count_ones());
                            all(p, hits) * all(1.0 - p, u64::from(count) - hits)
                        })
                        .sum();
                    let found = at_least(u64::from(least), u64::from(count), p);
                    assert!(
                        (found - sum).abs() < 1e-12,
                        "{least} of {count} at {p}: {found}, {sum}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_no_probability_is_refused() {
        for text in ["-0.1", "1.1", "NaN", "inf", "-inf", "", "one", "1e-2x"] {
            assert!(text.parse::<Probability>().is_err(), "{text}");
        }
        for (text, value) in [("0", 0.0), ("-0", 0.0), ("1", 1.0), ("1e-2", 0.01)] {
            assert_eq!(
                text.parse::<Probability>().map(Probability::get),
                Ok(value),
                "{text}"
            );
        }
    }
}
