//! Good enough: answer when k of n leaves have, and do without the rest.

use clap::Args;
use serde::Serialize;

use super::{GatherRecord, LEAVES_MAX, LeafKind, Model, Probability, check_draws, gather, random};
use records::error::BadInput;
use records::page::Page;

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
    #[arg(
        long,
        value_name = "P",
        allow_negative_numbers = true,
        default_value = "0.01"
    )]
    pub slow_probability: Probability,
    /// How many requests are simulated; 0 gives exact figures alone
    #[arg(long, default_value_t = 20_000)]
    pub trials: u64,
}

/// Shares of the answers that are compared, in percent.
const PERCENTS: [u64; 5] = [100, 99, 95, 90, 50];

impl Model for GoodEnough {
    type Record = GatherRecord;
    const VERB: &'static str = "good-enough";

    fn play(&self, seed: u64) -> Result<GatherRecord, BadInput> {
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
        let leaf = (self.leaf, self.slow_probability);
        let rows = gather::rows(leaf, self.leaves, &enough, self.trials, &mut random(seed));
        Ok(GatherRecord { rows })
    }

    fn page(&self, record: &GatherRecord) -> Page {
        let title = "Answering with some of the leaves, in milliseconds";
        let mut table = gather::table(title, record);
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
