//! A distribution in bounded memory, for figures of many real runs together.

use hdrhistogram::Histogram;
use serde::Serialize;

/// Values are kept to three significant digits.
const DIGITS: u8 = 3;
/// One minute: whatever waits longer in a run of seconds is counted as overflow, not clipped.
const VALUE_US_MAX: u64 = 60_000_000;

/// Percentiles of what was recorded, and how much was too large to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Distribution {
    /// How many values were recorded.
    pub count: u64,
    /// Half were at most this, to three digits.
    pub p50_us: u64,
    /// 95 of 100.
    pub p95_us: u64,
    /// 99 of 100.
    pub p99_us: u64,
    /// The largest.
    pub max_us: u64,
    /// How many values were beyond a minute, and are in none of the above.
    pub overflow: u64,
}

impl Distribution {
    /// Of any number of values.
    #[must_use]
    pub fn of(values_us: impl Iterator<Item = u64>) -> Self {
        let mut histogram: Histogram<u64> =
            Histogram::new_with_bounds(1, VALUE_US_MAX, DIGITS).expect("sound bounds");
        let mut overflow = 0;
        for value_us in values_us {
            if value_us > VALUE_US_MAX || histogram.record(value_us).is_err() {
                overflow += 1;
            }
        }
        Self {
            count: histogram.len(),
            p50_us: histogram.value_at_quantile(0.50),
            p95_us: histogram.value_at_quantile(0.95),
            p99_us: histogram.value_at_quantile(0.99),
            max_us: histogram.max(),
            overflow,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Distribution;

    #[test]
    fn what_is_too_large_is_counted_and_not_clipped() {
        let distribution = Distribution::of([0, 5, 61_000_000, u64::MAX].into_iter());
        assert_eq!(
            (
                distribution.count,
                distribution.max_us,
                distribution.overflow
            ),
            (2, 5, 2)
        );
    }
}
