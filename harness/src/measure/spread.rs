//! The same figure from several runs: the median, and how far the runs lie apart.

use serde::Serialize;

use records::rank::nearest_rank;

/// Median, least and most. Absent where a run had no such figure.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Spread {
    /// Of all runs.
    pub median: Option<u64>,
    /// The smallest.
    pub least: Option<u64>,
    /// The largest.
    pub most: Option<u64>,
}

impl Spread {
    /// Over runs, in any order.
    #[must_use]
    pub fn of(figures: impl IntoIterator<Item = Option<u64>>) -> Self {
        let Some(mut figures) = figures.into_iter().collect::<Option<Vec<u64>>>() else {
            return Self::default();
        };
        figures.sort_unstable();
        Self {
            median: nearest_rank(&figures, 50),
            least: figures.first().copied(),
            most: figures.last().copied(),
        }
    }
}
