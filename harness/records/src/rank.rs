//! Percentiles by nearest rank: always a value that was observed.

/// The percentile by nearest rank: the value at rank `ceil(percent x n / 100)`, counted from 1. The
/// product comes before the division, so no rank is lost to rounding. `percent` is 1 to 100.
///
/// ```
/// use records::rank::nearest_rank;
/// assert_eq!(nearest_rank(&[10, 20, 30], 50), Some(20));
/// assert_eq!(nearest_rank::<u64>(&[], 50), None);
/// ```
#[must_use]
pub fn nearest_rank<T: Copy>(sorted: &[T], percent: usize) -> Option<T> {
    assert!((1..=100).contains(&percent), "a percentile is 1 to 100");
    nearest_rank_per_mille(sorted, percent * 10)
}

/// The same in thousandths, for the far tail: 999 is the 99.9th percentile. `per_mille` is 1 to 1000.
#[must_use]
pub fn nearest_rank_per_mille<T: Copy>(sorted: &[T], per_mille: usize) -> Option<T> {
    assert!(
        (1..=1_000).contains(&per_mille),
        "thousandths are 1 to 1000"
    );
    let rank = (per_mille * sorted.len()).div_ceil(1_000);
    sorted.get(rank.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::{nearest_rank, nearest_rank_per_mille};

    /// CASES 50: LMCache/LMCache/issues/4416. Ranks by hand, at whole ranks and beside them, on few samples and none.
    #[test]
    fn percentiles_are_at_the_nearest_rank() {
        let up_to = |n: u64| (1..=n).collect::<Vec<_>>();
        let expected = [
            (0, [None; 5]),
            (1, [Some(1); 5]),
            (2, [Some(1), Some(1), Some(2), Some(2), Some(2)]),
            (3, [Some(1), Some(2), Some(3), Some(3), Some(3)]),
            (10, [Some(1), Some(5), Some(9), Some(10), Some(10)]),
            (100, [Some(7), Some(50), Some(90), Some(99), Some(100)]),
        ];
        for (n, values) in expected {
            for (percent, value) in [7, 50, 90, 99, 100].into_iter().zip(values) {
                assert_eq!(nearest_rank(&up_to(n), percent), value, "p{percent} of {n}");
            }
        }
    }

    #[test]
    fn the_far_tail_is_at_the_nearest_rank() {
        let up_to = |n: u64| (1..=n).collect::<Vec<_>>();
        for (n, per_mille, value) in [
            (0, 999, None),
            (1, 1, Some(1)),
            (999, 999, Some(999)),
            (1_000, 999, Some(999)),
            (1_001, 999, Some(1_000)),
            (2_000, 999, Some(1_998)),
            (2_000, 1_000, Some(2_000)),
        ] {
            assert_eq!(
                nearest_rank_per_mille(&up_to(n), per_mille),
                value,
                "{per_mille} of {n}"
            );
        }
    }
}
