//! Waiting for some of many leaves: the k-th fastest of n.

use rand::Rng;
use serde::Serialize;

use super::{Leaf, Percentiles, at_least};

/// A request that is answered when `enough` of its `leaves` have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Gather {
    /// How many answers it waits for; from 1 to `leaves`.
    pub enough: u32,
    /// How many it asked.
    pub leaves: u32,
}

impl Gather {
    /// What such a request takes, exactly: it is done within a time if at least `enough` of `leaves`
    /// independent answers are.
    #[must_use]
    pub fn exact(self, leaf: &Leaf) -> Percentiles {
        let (enough, leaves) = (u64::from(self.enough), u64::from(self.leaves));
        Percentiles::exact(leaf.slowest_us(), |us| {
            at_least(enough, leaves, leaf.share_within(us))
        })
    }

    /// The chance that too many of its leaves are slow, each with chance `slow`.
    #[must_use]
    pub fn slow(self, slow: f64) -> f64 {
        at_least(
            u64::from(self.leaves - self.enough) + 1,
            u64::from(self.leaves),
            slow,
        )
    }
}

/// Draws `trials` requests of so many leaves, and says for each how long it took until so many had
/// answered: one list for each entry of `enough`.
pub(super) fn observe(
    leaf: &Leaf,
    leaves: u32,
    enough: &[u32],
    trials: u64,
    random: &mut impl Rng,
) -> Vec<Vec<u64>> {
    let mut answers = vec![0; leaves as usize];
    let mut took = vec![Vec::new(); enough.len()];
    for _ in 0..trials {
        answers.fill_with(|| leaf.draw(random));
        for (took, &enough) in took.iter_mut().zip(enough) {
            took.push(*answers.select_nth_unstable(enough as usize - 1).1);
        }
    }
    took
}
