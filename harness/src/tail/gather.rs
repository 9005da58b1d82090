//! Waiting for some of many leaves: the k-th fastest of n.

use rand::Rng;
use serde::Serialize;

use super::{Leaf, LeafKind, Percentiles, Probability, at_least};
use records::cell::{NOTHING, tenths_ms};
use records::page::Table;

/// A request that is answered when `enough` of its `leaves` have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Gather {
    /// How many answers it waits for; from 1 to `leaves`.
    pub enough: u32,
    /// How many it asked.
    pub leaves: u32,
}

/// A row for each number of answers that is waited for.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GatherRecord {
    /// In the order of the page.
    pub rows: Vec<GatherRow>,
}

/// One number of answers.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct GatherRow {
    /// What is waited for.
    #[serde(flatten)]
    pub gather: Gather,
    /// The chance that a stall is waited for, exactly; `null` for a leaf that does not stall.
    pub p_slow: Option<f64>,
    /// In the simulation.
    pub simulated: Percentiles,
    /// By arithmetic.
    pub exact: Percentiles,
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

/// Requests to so many leaves of a kind: a row for each number of answers, of the same draws.
pub(super) fn rows(
    (kind, slow): (LeafKind, Probability),
    leaves: u32,
    enough: &[u32],
    trials: u64,
    random: &mut impl Rng,
) -> Vec<GatherRow> {
    let leaf = Leaf::new(kind, slow);
    let mut took = observe(&leaf, leaves, enough, trials, random);
    let row = |(&enough, took): (&u32, &mut Vec<u64>)| {
        let gather = Gather { enough, leaves };
        GatherRow {
            gather,
            p_slow: (kind == LeafKind::Stall).then(|| gather.slow(slow.get())),
            simulated: Percentiles::observed(took),
            exact: gather.exact(&leaf),
        }
    };
    enough.iter().zip(&mut took).map(row).collect()
}

/// The rows for people.
pub(super) fn table(title: &str, record: &GatherRecord) -> Table {
    let headings = [
        "waits for",
        "meets a stall",
        "p50",
        "p95",
        "p99",
        "p99.9",
        "exact p99.9",
    ];
    let mut table = Table::new(title, &headings);
    for row in &record.rows {
        table.row([
            format!("{} of {}", row.gather.enough, row.gather.leaves),
            row.p_slow.map_or_else(|| NOTHING.to_owned(), chance),
            tenths_ms(row.simulated.p50_us),
            tenths_ms(row.simulated.p95_us),
            tenths_ms(row.simulated.p99_us),
            tenths_ms(row.simulated.p999_us),
            tenths_ms(row.exact.p999_us),
        ]);
    }
    table
}

/// To a millionth, or what is smaller by its power of ten.
fn chance(p: f64) -> String {
    if p == 0.0 || p >= 1e-4 {
        format!("{p:.6}")
    } else {
        format!("{p:.3e}")
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
