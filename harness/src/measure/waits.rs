//! Waits, summed up: percentiles by nearest rank, always a wait that really happened.

use serde::Serialize;

use records::rank::nearest_rank;

/// Fewer observations than this, and a 99th percentile is just the largest one.
const FEW: usize = 100;

/// The distribution of waits from arrival to start. Absent where nothing was observed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Waits {
    /// How many waits were observed.
    pub count: usize,
    /// Half waited at most this long.
    pub p50_us: Option<u64>,
    /// 95 of 100 waited at most this long.
    pub p95_us: Option<u64>,
    /// 99 of 100 waited at most this long.
    pub p99_us: Option<u64>,
    /// Nobody waited longer.
    pub max_us: Option<u64>,
    /// Whether there are too few waits for the high percentiles to say more than `max_us` does.
    pub few_samples: bool,
}

impl Waits {
    /// Of waits sorted upwards.
    #[must_use]
    pub fn of_sorted(sorted: &[u64]) -> Self {
        debug_assert!(sorted.is_sorted());
        Self {
            count: sorted.len(),
            p50_us: nearest_rank(sorted, 50),
            p95_us: nearest_rank(sorted, 95),
            p99_us: nearest_rank(sorted, 99),
            max_us: sorted.last().copied(),
            few_samples: sorted.len() < FEW,
        }
    }
}
