//! The tail: what a whole request waits for when it needs many leaves, and what can be done about it.
//!
//! A fair queue bounds how long one job waits behind others. A request that fans out to a hundred
//! servers waits for the slowest of a hundred such jobs, so what is rare on a server is usual for a
//! request. Each file here is one idea, from its parameters (which are the flags of its verb) over the
//! model to the record and its page:
//!
//! - exact arithmetic, and a simulation beside it: [`FanOut`], [`GoodEnough`], [`Quorum`], [`Hedge`], [`Canary`];
//! - placing load: [`Partitions`], [`Replicas`], [`Probation`];
//! - on the library's own queues, in simulated time (`cluster`): [`Tie`], [`Neighbours`].
//!
//! Most ideas are those of Dean and Barroso, The Tail at Scale (Communications of the ACM, 2013).
//! Every model is a function of its parameters and a seed.

mod canary;
mod cluster;
mod fan_out;
mod gather;
mod good_enough;
mod hedge;
mod leaf;
mod neighbours;
mod partitions;
mod percentiles;
mod probability;
mod probation;
mod quorum;
mod replicas;
mod tie;

pub use canary::{Canary, CanaryRecord, CanaryRow};
pub use cluster::{Policy, Tally};
pub use fan_out::{AnySlow, FanOut, FanOutRecord, WaitRow};
pub use gather::{Gather, GatherRecord, GatherRow};
pub use good_enough::GoodEnough;
pub use hedge::{Hedge, HedgeRecord, HedgeRow};
pub use leaf::{Leaf, LeafKind};
pub use neighbours::{Neighbours, NeighboursRecord, NeighboursRow};
pub use partitions::{Partitions, PartitionsRecord, PartitionsRow};
pub use percentiles::Percentiles;
pub use probability::{NotAProbability, Probability, all, any, at_least};
pub use probation::{Probation, ProbationRecord, ProbationRow, Spell};
pub use quorum::Quorum;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
pub use replicas::{Replicas, ReplicasRecord, ReplicasRow};
use serde::Serialize;
pub use tie::{Tie, TieRecord, TieRow};

use records::error::BadInput;
use records::page::Page;

/// The most draws of one run: some ten seconds.
const DRAWS_MAX: u64 = 1 << 28;
/// A trial counts as so many draws at least: what it took is remembered.
const DRAWS_OF_ONE_MIN: u64 = 16;
/// The most leaves of a request, and servers of a cluster.
const LEAVES_MAX: i64 = 1 << 20;

/// A model: from parameters and a seed to a record, and from that to a page.
pub trait Model: Serialize {
    /// What `--json` prints, beside the parameters.
    type Record: Serialize;

    /// What it is called on the command line.
    const VERB: &'static str;

    /// Plays it. Equal parameters and seeds give equal records.
    ///
    /// # Errors
    ///
    /// If the parameters contradict each other, or ask for more than can be simulated.
    fn play(&self, seed: u64) -> Result<Self::Record, BadInput>;

    /// What people read.
    fn page(&self, record: &Self::Record) -> Page;
}

/// The source of everything that is drawn.
fn random(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Refuses what would take for ever before it begins.
fn check_draws(trials: u64, draws_of_one: u64) -> Result<(), BadInput> {
    let most = DRAWS_MAX / draws_of_one.max(DRAWS_OF_ONE_MIN);
    if trials <= most {
        return Ok(());
    }
    Err(BadInput::new(format!(
        "{trials} trials of {draws_of_one} draws each are too many: give --trials {most} or fewer"
    )))
}

/// Reads a share above 0 and below 1.
fn open_share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("give a number above 0 and below 1".to_owned()),
    }
}
