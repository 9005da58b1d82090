//! Quorum: a write that needs a majority of its replicas does not wait for the slowest.

use clap::Args;
use serde::Serialize;

use super::{GatherRecord, LeafKind, Model, Probability, check_draws, gather, random};
use records::error::BadInput;
use records::page::Page;

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
    #[arg(
        long,
        value_name = "P",
        allow_negative_numbers = true,
        default_value = "0.01"
    )]
    pub slow_probability: Probability,
    /// How many writes are simulated; 0 gives exact figures alone
    #[arg(long, default_value_t = 200_000)]
    pub trials: u64,
}

/// Two rows for each number of replicas: the majority, and all.
impl Model for Quorum {
    type Record = GatherRecord;
    const VERB: &'static str = "quorum";

    fn play(&self, seed: u64) -> Result<GatherRecord, BadInput> {
        check_draws(self.trials, u64::from(self.replicas))?;
        let leaf = (self.leaf, self.slow_probability);
        let mut rows = Vec::new();
        for leaves in (1..=self.replicas).step_by(2) {
            let mut enough = vec![leaves / 2 + 1, leaves];
            enough.dedup();
            let random = &mut random(seed);
            rows.extend(gather::rows(leaf, leaves, &enough, self.trials, random));
        }
        Ok(GatherRecord { rows })
    }

    fn page(&self, record: &GatherRecord) -> Page {
        let mut table = gather::table("Writing to replicas, in milliseconds", record);
        table.note("A majority stalls only if a majority of its replicas does: 3 p^2 - 2 p^3 of three, about 10 p^3 of five. Waiting for all multiplies the stalls instead.");
        table.into()
    }
}
