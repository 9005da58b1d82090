//! A ratio of times, and between what bounds it lies.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use records::rank::nearest_rank;
use records::runs::median;

/// How often the observations are drawn anew.
const RESAMPLES: usize = 10_000;

/// How many times as long side `b` takes as side `a`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Ratio {
    /// The median of the pairs of blocks.
    pub estimate: f64,
    /// The lower end of the 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Nanoseconds an operation of `a`, the median of the blocks, the bare loop included.
    pub a_ns: f64,
    /// The same of `b`.
    pub b_ns: f64,
}

impl Ratio {
    /// Of the logarithms of ratios, one for each pair of blocks, and the times in nanoseconds; at
    /// least one of each.
    ///
    /// The interval is a percentile bootstrap of the median (Efron 1979): whatever the distribution is,
    /// and a machine's interruptions are not normal, medians of the observations drawn anew with
    /// replacement spread as the median itself does.
    #[must_use]
    pub fn of(pairs: &[f64], a_ns: &[f64], b_ns: &[f64], seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut drawn = vec![0.0; pairs.len()];
        let mut medians: Vec<f64> = (0..RESAMPLES)
            .map(|_| {
                drawn.fill_with(|| pairs[random.random_range(0..pairs.len())]);
                middle(&mut drawn)
            })
            .collect();
        medians.sort_by(f64::total_cmp);
        // 2.5 % and 97.5 % of 10,000, counted from 0.
        let [low, high] =
            [RESAMPLES / 40, RESAMPLES - RESAMPLES / 40 - 1].map(|rank| medians[rank]);
        Self {
            estimate: middle(&mut pairs.to_vec()).exp(),
            low: low.exp(),
            high: high.exp(),
            a_ns: median(a_ns).unwrap_or(f64::NAN),
            b_ns: median(b_ns).unwrap_or(f64::NAN),
        }
    }

    /// The same the other way round.
    #[must_use]
    pub fn inverse(self) -> Self {
        Self {
            estimate: 1.0 / self.estimate,
            low: 1.0 / self.high,
            high: 1.0 / self.low,
            a_ns: self.b_ns,
            b_ns: self.a_ns,
        }
    }

    /// The noise that this ratio shows, if it is one of identical code: how far from 1 the interval
    /// reaches. A lucky estimate near 1 does not hide a wide interval.
    #[must_use]
    pub fn noise(&self) -> f64 {
        (self.high - 1.0).max(1.0 / self.low - 1.0).max(0.0)
    }
}

/// The value in the middle, or between the two in the middle: unlike a nearest rank, the same whichever
/// side is called the first.
fn middle(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let upper = values[values.len() / 2];
    let lower = nearest_rank(values, 50).unwrap_or(upper);
    f64::midpoint(lower, upper)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[f64]) -> Ratio {
        Ratio::of(pairs, &[10.0], &[10.0], 7)
    }

    #[test]
    fn the_middle_of_an_even_number_is_between_two() {
        assert!((middle(&mut [4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-12);
        assert!((middle(&mut [3.0, 1.0, 2.0]) - 2.0).abs() < 1e-12);
        assert!((middle(&mut [1.0]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let pairs: Vec<f64> = (0..30).map(|i| f64::from(i % 7) / 100.0).collect();
        assert_eq!(of(&pairs), of(&pairs));
        assert!(of(&pairs).low <= of(&pairs).estimate && of(&pairs).estimate <= of(&pairs).high);
    }

    #[test]
    fn a_few_interrupted_blocks_do_not_move_the_estimate() {
        let mut pairs = vec![0.05_f64.ln_1p(); 27];
        pairs.extend([2.0, 3.0, -2.0]);
        let ratio = of(&pairs);
        assert!(
            (ratio.estimate - 1.05).abs() < 1e-9 && ratio.noise() < 0.051,
            "{ratio:?}"
        );
    }

    #[test]
    fn noise_is_the_end_of_the_interval_that_is_farther_from_1() {
        let ratio = |low, high| Ratio {
            estimate: 1.0,
            low,
            high,
            a_ns: 1.0,
            b_ns: 1.0,
        };
        assert!((ratio(0.99, 1.02).noise() - 0.02).abs() < 1e-9);
        assert!((ratio(0.8, 1.02).noise() - 0.25).abs() < 1e-9);
    }
}
