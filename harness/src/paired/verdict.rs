//! Faster, slower, the same, or not to be told.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::interval::Ratio;
use records::runs::THRESHOLD_MAX;

/// The least change that counts, as a fraction, on however quiet a machine.
pub const LIMIT_MIN: f64 = 0.05;

/// What a paired comparison comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// `b` takes longer: beyond the limit, the interval clear of 1, and seen twice.
    Slower,
    /// `b` takes less time, by the same rule.
    Faster,
    /// The ratio is within the limit.
    Within,
    /// Beyond the limit, but the interval holds 1, or a rerun did not confirm it; or the limit is so high,
    /// for noise, that much slower would be within it too.
    Inconclusive,
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::Within => "within the limit",
            Self::Inconclusive => "inconclusive",
        })
    }
}

/// By what fraction a ratio must differ from 1 to count: three times the noise floor, and 5 % at least.
#[must_use]
pub fn limit(noise_floor: f64) -> f64 {
    LIMIT_MIN.max(3.0 * noise_floor)
}

/// Whether one ratio differs from 1 by more than the limit, with its interval clear of 1: what is worth
/// a rerun, and what the rerun has to confirm.
#[must_use]
pub fn is_beyond(noise_floor: f64, ratio: &Ratio) -> bool {
    is_slower(noise_floor, ratio) || is_slower(noise_floor, &ratio.inverse())
}

fn is_slower(noise_floor: f64, ratio: &Ratio) -> bool {
    ratio.estimate > 1.0 + limit(noise_floor) && ratio.low > 1.0
}

/// The verdict on a ratio, given the noise floor of its session and the rerun, if there was one.
///
/// `Slower` and `Faster` need a first run and a rerun beyond the limit to the same side, each with its
/// interval clear of 1. A first run beyond the limit that lacks any of this is `Inconclusive`: noise was
/// not excluded, and nobody should be blamed for it.
#[must_use]
pub fn verdict(noise_floor: f64, first: &Ratio, rerun: Option<&Ratio>) -> Verdict {
    let seen_twice = |turn: fn(Ratio) -> Ratio| {
        let is_slower = |ratio: &Ratio| is_slower(noise_floor, &turn(*ratio));
        is_slower(first) && rerun.is_some_and(is_slower)
    };
    let is_telling = limit(noise_floor) <= THRESHOLD_MAX;
    let limit = 1.0 + limit(noise_floor);
    if seen_twice(|ratio| ratio) {
        Verdict::Slower
    } else if seen_twice(Ratio::inverse) {
        Verdict::Faster
    } else if is_telling && first.estimate <= limit && first.inverse().estimate <= limit {
        Verdict::Within
    } else {
        Verdict::Inconclusive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(estimate: f64, spread: f64) -> Ratio {
        Ratio {
            estimate,
            low: estimate - spread,
            high: estimate + spread,
            a_ns: 10.0,
            b_ns: 10.0 * estimate,
        }
    }

    #[test]
    fn only_what_is_beyond_the_limit_and_clear_of_1_and_confirmed_counts() {
        let slow = ratio(1.10, 0.02);
        let wide = ratio(1.10, 0.12);
        let fast = ratio(0.90, 0.02);
        let same = ratio(1.01, 0.02);
        for (noise_floor, first, rerun, expected) in [
            (0.01, slow, Some(slow), Verdict::Slower),
            (0.01, fast, Some(fast), Verdict::Faster),
            (0.01, same, None, Verdict::Within),
            (0.01, ratio(1.049, 0.01), None, Verdict::Within),
            (0.01, slow, None, Verdict::Inconclusive),
            (0.01, slow, Some(same), Verdict::Inconclusive),
            (0.01, slow, Some(fast), Verdict::Inconclusive),
            (0.01, slow, Some(wide), Verdict::Inconclusive),
            (0.01, wide, Some(slow), Verdict::Inconclusive),
            // The noise of the session widens the limit: 3 x 4 % is more than 10 %.
            (0.04, slow, Some(slow), Verdict::Within),
            (0.16, same, None, Verdict::Within),
            (0.17, same, None, Verdict::Inconclusive),
            (
                0.17,
                ratio(1.6, 0.02),
                Some(ratio(1.6, 0.02)),
                Verdict::Slower,
            ),
        ] {
            let found = verdict(noise_floor, &first, rerun.as_ref());
            assert_eq!(found, expected, "{noise_floor} {first:?} {rerun:?}");
        }
    }

    #[test]
    fn the_verdict_is_the_same_seen_from_the_other_side() {
        let (slow, fast) = (ratio(1.2, 0.05), ratio(1.2, 0.05).inverse());
        assert_eq!(verdict(0.01, &slow, Some(&slow)), Verdict::Slower);
        assert_eq!(verdict(0.01, &fast, Some(&fast)), Verdict::Faster);
        assert!(is_beyond(0.01, &slow) && is_beyond(0.01, &fast));
    }
}
