//! Canaries: send to one or two leaves first, and to the rest when one of those has answered.
//!
//! A request that kills whoever reads it then kills the canaries, and not every leaf at once.

use clap::Args;
use rand::RngExt;
use serde::Serialize;

use super::{LEAVES_MAX, Leaf, LeafKind, Model, Percentiles, Probability, check_draws, random};
use records::cell::{count, tenths_ms};
use records::error::BadInput;
use records::page::{Page, Table};

const EXAMPLES: &str = "\
Examples:
  cargo lab tail canary                                 no canary, one, two
  cargo lab tail canary --leaves 1000 --poison-probability 0.0001
  cargo lab tail canary --leaf fitted --json";

/// What canaries save when a request is poisoned, and what they cost when it is not
#[derive(Args, Clone, Copy, Debug, Serialize)]
#[command(after_help = EXAMPLES)]
pub struct Canary {
    /// How many leaves a request needs
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=LEAVES_MAX))]
    pub leaves: u32,
    /// Up to so many of them go first; at most all
    #[arg(long, value_name = "K", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=16))]
    pub canaries: u32,
    /// The chance that a request kills every leaf that reads it, from 0 to 1
    #[arg(
        long,
        value_name = "P",
        allow_negative_numbers = true,
        default_value = "0.001"
    )]
    pub poison_probability: Probability,
    /// The distribution of a leaf
    #[arg(long, value_enum, default_value_t = LeafKind::Stall)]
    pub leaf: LeafKind,
    /// The chance that one leaf stalls, from 0 to 1; not of the fitted leaf
    #[arg(
        long,
        value_name = "P",
        allow_negative_numbers = true,
        default_value = "0.001"
    )]
    pub slow_probability: Probability,
    /// How many requests are simulated
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub trials: u64,
}

/// A row for each number of canaries.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CanaryRecord {
    /// From none upwards.
    pub rows: Vec<CanaryRow>,
}

/// One number of canaries.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct CanaryRow {
    /// How many leaves go first.
    pub canaries: u32,
    /// How many requests were poisoned.
    pub poisoned: u64,
    /// The most leaves that one of them killed; 0 if there were none.
    pub killed_max: u32,
    /// Leaves killed over all requests.
    pub killed: u64,
    /// What the other requests took.
    pub simulated: Percentiles,
}

impl Model for Canary {
    type Record = CanaryRecord;
    const VERB: &'static str = "canary";

    fn play(&self, seed: u64) -> Result<CanaryRecord, BadInput> {
        if self.canaries > self.leaves {
            return Err(BadInput::new(format!(
                "{} canaries of {} leaves: give --canaries 0 to {1}",
                self.canaries, self.leaves
            )));
        }
        check_draws(
            self.trials,
            u64::from(self.leaves) * (u64::from(self.canaries) + 1),
        )?;
        let leaf = Leaf::new(self.leaf, self.slow_probability);
        let rows = (0..=self.canaries).map(|canaries| self.row(&leaf, canaries, seed));
        Ok(CanaryRecord {
            rows: rows.collect(),
        })
    }

    fn page(&self, record: &CanaryRecord) -> Page {
        let mut table = Table::new(
            format!("Canaries before {} leaves, in milliseconds", self.leaves),
            &[
                "canaries",
                "p50",
                "p95",
                "p99",
                "poisoned requests",
                "killed by one",
                "killed in all",
            ],
        );
        for row in &record.rows {
            table.row([
                row.canaries.to_string(),
                tenths_ms(row.simulated.p50_us),
                tenths_ms(row.simulated.p95_us),
                tenths_ms(row.simulated.p99_us),
                count(row.poisoned),
                count(u64::from(row.killed_max)),
                count(row.killed),
            ]);
        }
        table.note("The rest goes out when the first canary has answered, so a second canary also hides a stall of the first. The price is one more leaf's time on every request.");
        table.into()
    }
}

impl Canary {
    fn row(&self, leaf: &Leaf, canaries: u32, seed: u64) -> CanaryRow {
        let mut random = random(seed);
        let (mut poisoned, mut killed, mut killed_max) = (0, 0, 0);
        let mut took = Vec::new();
        for _ in 0..self.trials {
            let is_poisoned = random.random::<f64>() < self.poison_probability.get();
            let mut answers = (0..self.leaves).map(|_| leaf.draw(&mut random));
            let first: Vec<u64> = answers.by_ref().take(canaries as usize).collect();
            let rest_us = answers.max().unwrap_or(0);
            if is_poisoned {
                // No canary answers, so nothing is sent to the rest; without canaries, all have read it.
                let dead = if canaries == 0 { self.leaves } else { canaries };
                poisoned += 1;
                killed += u64::from(dead);
                killed_max = killed_max.max(dead);
                continue;
            }
            let go_us = first.iter().copied().min().unwrap_or(0);
            let canaries_us = first.iter().copied().max().unwrap_or(0);
            took.push(canaries_us.max(go_us + rest_us));
        }
        CanaryRow {
            canaries,
            poisoned,
            killed_max,
            killed,
            simulated: Percentiles::observed(&mut took),
        }
    }
}
