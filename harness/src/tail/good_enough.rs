//! Good enough: answer when k of n leaves have, and do without the rest.

use clap::Args;
use serde::Serialize;

use super::gather::observe;
use super::{
    Gather, LEAVES_MAX, Leaf, LeafKind, Model, Percentiles, Probability, check_draws, random,
};
use crate::error::BadInput;
use crate::report::{NOTHING, Page, Table, tenths_ms};

const EXAMPLES: &str = "\
Examples:
  cargo lab tail good-enough                            100 leaves: all, 99, 95, 90 or 50 of them
  cargo lab tail good-enough --leaves 40 --enough 39 --slow-probability 0.001
  cargo lab tail good-enough --leaf fitted --json";

/// What a request waits if it answers with k of its n leaves
#[derive(Args, Clone, Copy, Debug, Serialize)]
#[command(after_help = EXAMPLES)]
pub struct GoodEnough {
    /// How many leaves are asked
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=LEAVES_MAX))]
    pub leaves: u32,
    /// How many answers are enough; at most as many as there are leaves
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub enough: Option<u32>,
    /// The distribution of a leaf
    #[arg(long, value_enum, default_value_t = LeafKind::Stall)]
    pub leaf: LeafKind,
    /// The chance that one leaf stalls, from 0 to 1; not of the fitted leaf
    #[arg(long, value_name = "P", default_value = "0.01")]
    pub slow_probability: Probability,
    /// How many requests are simulated; 0 gives exact figures alone
    #[arg(long, default_value_t = 20_000)]
    pub trials: u64,
}

/// A row for each number of answers, from all downwards.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GoodEnoughRecord {
    /// In the order of the page.
    pub rows: Vec<GoodEnoughRow>,
}

/// One number of answers.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct GoodEnoughRow {
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

/// Shares of the answers that are compared, in percent.
const PERCENTS: [u64; 5] = [100, 99, 95, 90, 50];

impl Model for GoodEnough {
    type Record = GoodEnoughRecord;
    const VERB: &'static str = "good-enough";

    fn play(&self, seed: u64) -> Result<GoodEnoughRecord, BadInput> {
        check_draws(self.trials, u64::from(self.leaves))?;
        let mut enough: Vec<u32> = match self.enough {
            Some(enough) if enough > self.leaves => {
                return Err(BadInput::new(format!(
                    "enough is {enough}, but there are {} leaves: give --enough 1 to {0}",
                    self.leaves
                )));
            }
            Some(enough) => vec![self.leaves, enough],
            None => PERCENTS.map(|percent| self.percent(percent)).to_vec(),
        };
        enough.dedup();
        let leaf = Leaf::new(self.leaf, self.slow_probability);
        let mut took = observe(&leaf, self.leaves, &enough, self.trials, &mut random(seed));
        let rows = enough.iter().zip(&mut took).map(|(&enough, took)| {
            let gather = Gather {
                enough,
                leaves: self.leaves,
            };
            GoodEnoughRow {
                gather,
                p_slow: (self.leaf == LeafKind::Stall)
                    .then(|| gather.slow(self.slow_probability.get())),
                simulated: Percentiles::observed(took),
                exact: gather.exact(&leaf),
            }
        });
        Ok(GoodEnoughRecord {
            rows: rows.collect(),
        })
    }

    fn page(&self, record: &GoodEnoughRecord) -> Page {
        let mut table = Table::new(
            "Answering with some of the leaves, in milliseconds",
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
                    .map_or_else(|| NOTHING.to_owned(), |p| format!("{p:.6}")),
                tenths_ms(row.simulated.p50_us),
                tenths_ms(row.simulated.p95_us),
                tenths_ms(row.simulated.p99_us),
                tenths_ms(row.simulated.p999_us),
                tenths_ms(row.exact.p999_us),
            ]);
        }
        table.note("Doing without a few leaves takes the rare stalls out. It works only while fewer leaves stall at once than are given up.");
        table.into()
    }
}

impl GoodEnough {
    /// So many hundredths of the leaves, rounded up.
    fn percent(&self, percent: u64) -> u32 {
        let leaves = (u64::from(self.leaves) * percent).div_ceil(100);
        u32::try_from(leaves).expect("at most all leaves")
    }
}
