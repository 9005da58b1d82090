//! Quorum: a write that needs a majority of its replicas does not wait for the slowest.

use clap::Args;
use serde::Serialize;

use super::gather::observe;
use super::{Gather, Leaf, LeafKind, Model, Percentiles, Probability, check_draws, random};
use crate::error::BadInput;
use crate::report::{NOTHING, Page, Table, tenths_ms};

const EXAMPLES: &str = "\
Examples:
  cargo lab tail quorum                                 majorities of 1, 3 and 5
  cargo lab tail quorum --replicas 7 --slow-probability 0.05
  cargo lab tail quorum --leaf fitted --json";

/// What a write waits for the majority of its replicas, against all of them
#[derive(Args, Clone, Copy, Debug, Serialize)]
#[command(after_help = EXAMPLES)]
pub struct Quorum {
    /// Up to so many replicas, odd numbers only
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=99))]
    pub replicas: u32,
    /// The distribution of a replica
    #[arg(long, value_enum, default_value_t = LeafKind::Stall)]
    pub leaf: LeafKind,
    /// The chance that one replica stalls, from 0 to 1; not of the fitted leaf
    #[arg(long, value_name = "P", default_value = "0.01")]
    pub slow_probability: Probability,
    /// How many writes are simulated; 0 gives exact figures alone
    #[arg(long, default_value_t = 200_000)]
    pub trials: u64,
}

/// Two rows for each number of replicas: the majority, and all.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct QuorumRecord {
    /// In the order of the page.
    pub rows: Vec<QuorumRow>,
}

/// One way to write.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct QuorumRow {
    /// What is waited for.
    #[serde(flatten)]
    pub gather: Gather,
    /// The chance that a write waits for a stall, exactly; `null` for a leaf that does not stall.
    pub p_slow: Option<f64>,
    /// In the simulation.
    pub simulated: Percentiles,
    /// By arithmetic.
    pub exact: Percentiles,
}

impl Model for Quorum {
    type Record = QuorumRecord;
    const VERB: &'static str = "quorum";

    fn play(&self, seed: u64) -> Result<QuorumRecord, BadInput> {
        check_draws(self.trials, u64::from(self.replicas))?;
        let leaf = Leaf::new(self.leaf, self.slow_probability);
        let mut rows = Vec::new();
        for leaves in (1..=self.replicas).step_by(2) {
            let mut enough = vec![leaves / 2 + 1, leaves];
            enough.dedup();
            let mut took = observe(&leaf, leaves, &enough, self.trials, &mut random(seed));
            rows.extend(enough.iter().zip(&mut took).map(|(&enough, took)| {
                let gather = Gather { enough, leaves };
                QuorumRow {
                    gather,
                    p_slow: (self.leaf == LeafKind::Stall)
                        .then(|| gather.slow(self.slow_probability.get())),
                    simulated: Percentiles::observed(took),
                    exact: gather.exact(&leaf),
                }
            }));
        }
        Ok(QuorumRecord { rows })
    }

    fn page(&self, record: &QuorumRecord) -> Page {
        let mut table = Table::new(
            "Writing to replicas, in milliseconds",
            &[
                "waits for",
                "meets a stall",
                "p50",
                "p95",
                "p99",
                "p99.9",
                "exact p99.9",
            ],
        );
        for row in &record.rows {
            table.row([
                format!("{} of {}", row.gather.enough, row.gather.leaves),
                row.p_slow
                    .map_or_else(|| NOTHING.to_owned(), |p| format!("{p:.3e}")),
                tenths_ms(row.simulated.p50_us),
                tenths_ms(row.simulated.p95_us),
                tenths_ms(row.simulated.p99_us),
                tenths_ms(row.simulated.p999_us),
                tenths_ms(row.exact.p999_us),
            ]);
        }
        table.note("A majority stalls only if a majority of its replicas does: 3 p^2 - 2 p^3 of three, about 10 p^3 of five. Waiting for all multiplies the stalls instead.");
        table.into()
    }
}
