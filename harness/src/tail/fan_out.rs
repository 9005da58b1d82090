//! Fan-out: a request needs many leaves, and is as slow as the slowest.
//!
//! One leaf in a hundred is slow; of requests to a hundred leaves, 63 in a hundred meet one.

use clap::Args;
use serde::Serialize;

use super::gather::observe;
use super::leaf::LeafKind;
use super::{Gather, LEAVES_MAX, Leaf, Model, Percentiles, Probability, any, check_draws, random};
use records::cell::{NOTHING, tenths_ms};
use records::error::BadInput;
use records::number::share;
use records::page::{Page, Table};

const EXAMPLES: &str = "\
Examples:
  cargo lab tail fan-out                                            the published pairs, and waits for one, most and all
  cargo lab tail fan-out --slow-probability 0.0001 --leaves 2000
  cargo lab tail fan-out --slow-probability 1e-6 --leaves 1000000 --trials 0 --json    the exact figure alone";

/// How often a request meets a slow leaf, and what it waits for one, most or all of its leaves
#[derive(Args, Clone, Copy, Debug, Serialize)]
#[command(after_help = EXAMPLES)]
pub struct FanOut {
    /// The chance that one leaf is slow, from 0 to 1
    #[arg(
        long,
        value_name = "P",
        allow_negative_numbers = true,
        default_value = "0.01"
    )]
    pub slow_probability: Probability,
    /// How many leaves a request needs
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=LEAVES_MAX))]
    pub leaves: u32,
    /// How many requests are simulated; 0 gives exact figures alone
    #[arg(long, default_value_t = 20_000)]
    pub trials: u64,
}

/// The chance of meeting a slow leaf, and the waits.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FanOutRecord {
    /// The chance that at least one leaf is slow, exactly.
    pub p_any_slow: f64,
    /// The share of simulated requests that met one; `null` without any.
    pub p_any_slow_simulated: Option<f64>,
    /// The published pairs.
    pub pairs: Vec<AnySlow>,
    /// Waits for one leaf, 95 in a hundred, and all; of either leaf.
    pub rows: Vec<WaitRow>,
}

/// One pair, and the exact answer.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct AnySlow {
    /// The chance that one leaf is slow.
    pub slow_probability: f64,
    /// How many there are.
    pub leaves: u64,
    /// The chance that at least one is.
    pub p_any_slow: f64,
}

/// What a request waits, simulated, exactly, and as published.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct WaitRow {
    /// The leaf's distribution.
    pub leaf: LeafKind,
    /// What is waited for.
    #[serde(flatten)]
    pub gather: Gather,
    /// In the simulation.
    pub simulated: Percentiles,
    /// By arithmetic.
    pub exact: Percentiles,
    /// As published, where it was.
    pub published: Option<Percentiles>,
}

/// The pairs that are commonly quoted.
const PAIRS: [(f64, u64); 4] = [(0.01, 100), (0.001, 100), (0.001, 1_000), (0.0001, 2_000)];

/// One leaf, 95 of 100 and all of 100 in a real service: p50, p95 and p99 in milliseconds.
const PUBLISHED_MS: [[u64; 3]; 3] = [[1, 5, 10], [12, 32, 70], [40, 87, 140]];

/// One leaf is drawn as often as the requests draw theirs, within memory.
const ONE_LEAF_DRAWS_MAX: u64 = 2_000_000;

impl Model for FanOut {
    type Record = FanOutRecord;
    const VERB: &'static str = "fan-out";

    fn play(&self, seed: u64) -> Result<FanOutRecord, BadInput> {
        // Of either leaf.
        check_draws(self.trials, 2 * u64::from(self.leaves))?;
        let stall = Leaf::stall(self.slow_probability);
        let (mut rows, any_slow) = self.waits(LeafKind::Stall, &stall, seed);
        rows.extend(self.waits(LeafKind::Fitted, &Leaf::fitted(), seed).0);
        let slow = self.slow_probability.get();
        Ok(FanOutRecord {
            p_any_slow: any(slow, u64::from(self.leaves)),
            p_any_slow_simulated: (self.trials > 0).then(|| share(any_slow, self.trials)),
            pairs: PAIRS
                .map(|(slow_probability, leaves)| AnySlow {
                    slow_probability,
                    leaves,
                    p_any_slow: any(slow_probability, leaves),
                })
                .to_vec(),
            rows,
        })
    }

    fn page(&self, record: &FanOutRecord) -> Page {
        [self.chances(record), self.waits_table(record)].into()
    }
}

impl FanOut {
    /// Three rows, and how many requests took as long as the slowest leaf can.
    fn waits(&self, kind: LeafKind, leaf: &Leaf, seed: u64) -> (Vec<WaitRow>, u64) {
        let most = (u64::from(self.leaves) * 95).div_ceil(100);
        let most = u32::try_from(most).expect("at most all leaves");
        let mut random = random(seed);
        let mut took = observe(
            leaf,
            self.leaves,
            &[most, self.leaves],
            self.trials,
            &mut random,
        );
        let any_slow = took[1]
            .iter()
            .filter(|&&us| us == leaf.slowest_us())
            .count() as u64;
        let one_leaf = self
            .trials
            .saturating_mul(u64::from(self.leaves))
            .min(ONE_LEAF_DRAWS_MAX);
        took.insert(0, (0..one_leaf).map(|_| leaf.draw(&mut random)).collect());
        let gathers = [(1, 1), (most, self.leaves), (self.leaves, self.leaves)];
        let rows = gathers.iter().zip(&mut took).zip(PUBLISHED_MS);
        let rows = rows.map(|((&(enough, leaves), took), [p50, p95, p99])| {
            let gather = Gather { enough, leaves };
            WaitRow {
                leaf: kind,
                gather,
                simulated: Percentiles::observed(took),
                exact: gather.exact(leaf),
                published: (kind == LeafKind::Fitted && self.leaves == 100).then_some(
                    Percentiles {
                        p50_us: Some(p50 * 1_000),
                        p95_us: Some(p95 * 1_000),
                        p99_us: Some(p99 * 1_000),
                        p999_us: None,
                    },
                ),
            }
        });
        (rows.collect(), any_slow)
    }

    fn chances(&self, record: &FanOutRecord) -> Table {
        let mut table = Table::new(
            "The chance that at least one of n leaves is slow: 1 - (1 - p)^n, exactly",
            &["one leaf is slow", "leaves", "any is slow", "simulated"],
        );
        let asked = AnySlow {
            slow_probability: self.slow_probability.get(),
            leaves: u64::from(self.leaves),
            p_any_slow: record.p_any_slow,
        };
        let others = record.pairs.iter().filter(|&&pair| pair != asked);
        for pair in std::iter::once(&asked).chain(others) {
            let simulated = record.p_any_slow_simulated.filter(|_| *pair == asked);
            table.row([
                pair.slow_probability.to_string(),
                pair.leaves.to_string(),
                format!("{:.6}", pair.p_any_slow),
                simulated.map_or_else(|| NOTHING.to_owned(), |share| format!("{share:.4}")),
            ]);
        }
        table
    }

    fn waits_table(&self, record: &FanOutRecord) -> Table {
        let mut table = Table::new(
            "Waiting for one leaf, for most, and for all, in milliseconds",
            &[
                "leaf",
                "waits for",
                "p50",
                "p95",
                "p99",
                "exact p50 / p95 / p99",
                "published",
            ],
        );
        for row in &record.rows {
            let leaf = match row.leaf {
                LeafKind::Stall => format!("1 to 10, or 1,000 with {}", self.slow_probability),
                LeafKind::Fitted => "fitted to a service".to_owned(),
            };
            table.row([
                leaf,
                format!("{} of {}", row.gather.enough, row.gather.leaves),
                tenths_ms(row.simulated.p50_us),
                tenths_ms(row.simulated.p95_us),
                tenths_ms(row.simulated.p99_us),
                three(&row.exact),
                row.published
                    .as_ref()
                    .map_or_else(|| NOTHING.to_owned(), three),
            ]);
        }
        table.note("A percentile next to a stall is one or the other by luck: one leaf in a hundred stalls, so 99 in a hundred do not, and a simulated p99 of one leaf may land on either side.");
        table.note("The fitted leaf is given one leaf and all of 100, and meets both. Waiting for 95 comes out two to eight times too short, and no leaf could do better: if half of the requests see 6 of 100 leaves at 12 ms or more, then 3 in a hundred leaves are, while the published p99 of one leaf is 10 ms. So the published root adds waits of its own.");
        table
    }
}

fn three(percentiles: &Percentiles) -> String {
    [percentiles.p50_us, percentiles.p95_us, percentiles.p99_us]
        .map(tenths_ms)
        .join(" / ")
}
