//! How long one leaf takes: a distribution given by points, drawn from and read exactly.

use clap::ValueEnum;
use rand::{Rng, RngExt};
use serde::Serialize;

use super::Probability;
use records::number::real;

/// The fastest and the slowest answer of a leaf that does not stall, and a stall.
const FASTEST_US: u64 = 1_000;
const SLOWEST_US: u64 = 10_000;
const STALL_US: u64 = 1_000_000;

/// A distribution of integer microseconds: straight lines between points of share and time.
///
/// The one list serves draws and exact answers, so a simulation and its expectation cannot differ in
/// what they assume.
#[derive(Clone, PartialEq, Debug)]
pub struct Leaf {
    /// Share of answers within so many microseconds. Both never fall; the shares go from 0 to 1. Two
    /// points at one share are a gap that no answer falls into.
    points: Vec<(f64, u64)>,
}

/// The distributions to choose from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum LeafKind {
    /// Even from 1 to 10 ms, or a stall of 1 s with the slow probability
    Stall,
    /// Fitted to the published table of one service; has no slow probability
    Fitted,
}

impl Leaf {
    /// Of this kind. The fitted one has its own tail, and takes no slow probability.
    #[must_use]
    pub fn new(kind: LeafKind, slow: Probability) -> Self {
        match kind {
            LeafKind::Stall => Self::stall(slow),
            LeafKind::Fitted => Self::fitted(),
        }
    }

    /// Even from 1 to 10 ms, or 1 s with probability `slow`.
    #[must_use]
    pub fn stall(slow: Probability) -> Self {
        let prompt = 1.0 - slow.get();
        Self {
            points: vec![
                (0.0, FASTEST_US),
                (prompt, SLOWEST_US),
                (prompt, STALL_US),
                (1.0, STALL_US),
            ],
        }
    }

    /// Fitted to a published service, where one leaf takes 1 / 5 / 10 ms at p50 / p95 / p99, and all
    /// of 100 take 40 / 87 / 140 (Dean and Barroso, The Tail at Scale, 2013). If leaves are
    /// independent, all of 100 are within a time as often as one is, to the 100th power: so the
    /// three shares beyond 0.99 are the 100th roots of 0.5, 0.95 and 0.99. The ends are free.
    #[must_use]
    pub fn fitted() -> Self {
        Self {
            points: vec![
                (0.0, 500),
                (0.5, 1_000),
                (0.95, 5_000),
                (0.99, 10_000),
                (0.993_092_495_437_035_9, 40_000),
                (0.999_487_198_583_737_7, 87_000),
                (0.999_899_501_691_758_3, 140_000),
                (1.0, 300_000),
            ],
        }
    }

    /// One answer.
    pub fn draw(&self, random: &mut impl Rng) -> u64 {
        self.quantile_us(1.0 - random.random::<f64>())
    }

    /// The least time that this share of answers is within, rounded up. `share` is above 0, up to 1.
    #[must_use]
    pub fn quantile_us(&self, share: f64) -> u64 {
        let after = self
            .points
            .iter()
            .position(|&(point, _)| share <= point)
            .unwrap_or(self.points.len() - 1)
            .max(1);
        let ((from, from_us), (to, to_us)) = (self.points[after - 1], self.points[after]);
        if to <= from {
            return from_us;
        }
        let way = (share - from) / (to - from);
        from_us + ceil(way * real(to_us - from_us)).min(to_us - from_us)
    }

    /// The share of answers within a time, exactly.
    #[must_use]
    pub fn share_within(&self, us: u64) -> f64 {
        let after = self.points.partition_point(|&(_, point_us)| point_us <= us);
        match (
            after.checked_sub(1).map(|index| self.points[index]),
            self.points.get(after),
        ) {
            (None, _) => 0.0,
            (Some((share, _)), None) => share,
            (Some((from, from_us)), Some(&(to, to_us))) => {
                from + (to - from) * real(us - from_us) / real(to_us - from_us)
            }
        }
    }

    /// No answer takes longer.
    #[must_use]
    pub fn slowest_us(&self) -> u64 {
        self.points.last().expect("there are points").1
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // from 0 to a stall
fn ceil(value: f64) -> u64 {
    value.ceil() as u64
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // what is exact is compared exactly
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::{Leaf, LeafKind, Probability};
    use crate::tail::all;

    fn leaves() -> Vec<Leaf> {
        let slow = |p| Leaf::new(LeafKind::Stall, Probability::new(p).expect("a probability"));
        vec![slow(0.0), slow(0.01), slow(0.5), slow(1.0), Leaf::fitted()]
    }

    #[test]
    fn a_stall_is_as_likely_as_asked() {
        let leaf = &leaves()[1];
        assert_eq!(
            leaf.quantile_us(0.99),
            10_000,
            "the edge belongs to the prompt"
        );
        assert_eq!(leaf.quantile_us(0.990_000_1), 1_000_000);
        assert!(leaf.share_within(10_000) == 0.99 && leaf.share_within(999_999) == 0.99);
        assert!(leaf.share_within(999) == 0.0 && leaf.share_within(1_000_000) == 1.0);
    }

    /// A quantile is the least time that has its share.
    #[test]
    fn quantiles_and_shares_are_each_others_inverse() {
        for leaf in leaves() {
            for thousandth in 1..=1_000 {
                let share = f64::from(thousandth) / 1_000.0;
                let us = leaf.quantile_us(share);
                assert!(
                    leaf.share_within(us) >= share - 1e-12,
                    "{leaf:?} {share} {us}"
                );
                assert!(
                    leaf.share_within(us - 1) < share + 1e-12,
                    "{leaf:?} {share} {us}"
                );
            }
        }
    }

    /// One leaf, and all of 100 by independence.
    #[test]
    fn the_fitted_leaf_goes_through_the_published_points() {
        let leaf = Leaf::fitted();
        for (share, one_us, all_us) in [
            (0.5, 1_000, 40_000),
            (0.95, 5_000, 87_000),
            (0.99, 10_000, 140_000),
        ] {
            assert!(
                (leaf.share_within(one_us) - share).abs() < 1e-12,
                "{one_us}"
            );
            assert!(
                (all(leaf.share_within(all_us), 100) - share).abs() < 1e-12,
                "{all_us}"
            );
        }
    }

    #[test]
    fn draws_keep_within_the_ends() {
        for leaf in leaves() {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
            for _ in 0..10_000 {
                let us = leaf.draw(&mut random);
                assert!((500..=leaf.slowest_us()).contains(&us), "{us}");
            }
        }
    }
}
