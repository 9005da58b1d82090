//! Percentiles of whole requests, observed or exact, with the same names.

use serde::Serialize;

use records::rank::nearest_rank_per_mille;

/// The median and the tail. Absent where nothing was observed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Percentiles {
    /// Half took at most this long.
    pub p50_us: Option<u64>,
    /// 95 of 100.
    pub p95_us: Option<u64>,
    /// 99 of 100.
    pub p99_us: Option<u64>,
    /// 999 of 1,000.
    pub p999_us: Option<u64>,
}

impl Percentiles {
    /// Of what was observed, by nearest rank. Sorts it.
    #[must_use]
    pub fn observed(us: &mut [u64]) -> Self {
        us.sort_unstable();
        Self::each(|per_mille| nearest_rank_per_mille(us, per_mille))
    }

    /// Of a distribution: the least time up to `most_us` within which that share of answers is.
    /// `share_within` never falls, and is 1 at `most_us`.
    #[must_use]
    pub fn exact(most_us: u64, share_within: impl Fn(u64) -> f64) -> Self {
        Self::each(|per_mille| {
            // `as f64` of at most 1,000 is exact, and so is the nearest real to each thousandth.
            let share = f64::from(u16::try_from(per_mille).expect("up to 1,000")) / 1_000.0;
            let (mut least_us, mut most_us) = (0, most_us);
            while least_us < most_us {
                let middle_us = least_us + (most_us - least_us) / 2;
                if share_within(middle_us) >= share {
                    most_us = middle_us;
                } else {
                    least_us = middle_us + 1;
                }
            }
            Some(least_us)
        })
    }

    fn each(at: impl Fn(usize) -> Option<u64>) -> Self {
        Self {
            p50_us: at(500),
            p95_us: at(950),
            p99_us: at(990),
            p999_us: at(999),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Percentiles;
    use records::number::real;

    #[test]
    fn the_exact_percentiles_of_a_die_are_those_of_all_its_throws() {
        let mut throws: Vec<u64> = (1..=6_000).map(|throw| throw % 6 + 1).collect();
        let exact = Percentiles::exact(6, |us| real(us.min(6)) / 6.0);
        assert_eq!(Percentiles::observed(&mut throws), exact);
        assert_eq!(exact.p50_us, Some(3));
        assert_eq!(Percentiles::observed(&mut []), Percentiles::default());
    }
}
