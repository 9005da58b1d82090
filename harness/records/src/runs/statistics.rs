//! The few statistics of recorded runs.

use crate::rank::{nearest_rank, nearest_rank_per_mille};

/// The percentile by nearest rank, of values in any order: an observed one, never one in between.
/// Nothing for no values. `percent` is 1 to 100.
#[must_use]
pub fn percentile(values: &[f64], percent: usize) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    nearest_rank(&sorted, percent)
}

/// The same by thousandths: `part` is 1 to 1,000.
#[must_use]
pub fn per_mille(values: &[f64], part: usize) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    nearest_rank_per_mille(&sorted, part)
}

/// The percentile of 50.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    percentile(values, 50)
}

/// The least-squares slope of log y over log x: 0 for what does not grow, 1 for what grows in
/// proportion. Nothing for fewer than two different x.
#[must_use]
pub fn growth_exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<_> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.iter().map(|_| 1.0).sum::<f64>();
    let mean_x = logs.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = logs.iter().map(|(_, y)| y).sum::<f64>() / count;
    let spread: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let common: f64 = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    (spread > 0.0).then(|| common / spread)
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // observed values, not results of arithmetic
mod tests {
    use super::*;

    /// The values 1, 2, ... up to a count.
    fn ranks(count: u32) -> Vec<f64> {
        (1..=count).map(f64::from).collect()
    }

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        for (count, percent, value) in [
            (1, 7, 1.0),
            (1, 50, 1.0),
            (1, 100, 1.0),
            (2, 50, 1.0),
            (2, 51, 2.0),
            (2, 100, 2.0),
            (3, 50, 2.0),
            (3, 7, 1.0),
            (3, 99, 3.0),
            (10, 50, 5.0),
            (10, 90, 9.0),
            (10, 99, 10.0),
            (100, 7, 7.0),
            (100, 50, 50.0),
            (100, 99, 99.0),
            (100, 100, 100.0),
        ] {
            let found = percentile(&ranks(count), percent);
            assert_eq!(found, Some(value), "{percent} % of {count}");
        }
        assert_eq!(percentile(&[], 50), None);
    }

    #[test]
    fn thousandths_are_of_the_nearest_rank_too() {
        for (count, value) in [(1, 1.0), (999, 999.0), (1_000, 999.0), (2_000, 1_998.0)] {
            assert_eq!(per_mille(&ranks(count), 999), Some(value), "of {count}");
        }
    }

    #[test]
    fn the_median_sorts_first() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
    }

    #[test]
    fn growth_is_the_power_of_the_law() {
        let law = |power: f64| {
            let points: Vec<_> = [1e2, 1e3, 1e4]
                .iter()
                .map(|x: &f64| (*x, 7.0 * x.powf(power)))
                .collect();
            growth_exponent(&points).unwrap()
        };
        assert!(law(0.0).abs() < 1e-9);
        assert!((law(1.0) - 1.0).abs() < 1e-9);
        assert_eq!(growth_exponent(&[(1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(growth_exponent(&[]), None);
    }
}
