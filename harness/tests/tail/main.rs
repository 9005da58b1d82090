//! The tail: exact figures exactly, simulated ones within a stated interval for a fixed seed, and what
//! every model owes its reader. Trials are few, so that all of it runs in seconds without optimisation.

mod chances;
mod command_line;
mod owed;
mod placing;
mod queues;

use clap::{Args, Command};
use harness::tail::{Model, Percentiles};

const SEED: u64 = 1;

/// The parameters that a user gets with these flags.
fn given<M: Args>(flags: &str) -> M {
    let arguments = std::iter::once("model").chain(flags.split_whitespace());
    let matches = M::augment_args(Command::new("model")).get_matches_from(arguments);
    M::from_arg_matches(&matches).expect("the flags of the model")
}

fn play<M: Model + Args>(flags: &str) -> M::Record {
    given::<M>(flags).play(SEED).expect("sound parameters")
}

/// p50, p95, p99 and p99.9 in milliseconds.
fn ms(percentiles: &Percentiles) -> [f64; 4] {
    let us = [
        percentiles.p50_us,
        percentiles.p95_us,
        percentiles.p99_us,
        percentiles.p999_us,
    ];
    us.map(|us| f64::from(u32::try_from(us.expect("it was observed")).expect("small")) / 1_000.0)
}

fn near(found: f64, expected: f64, within: f64, what: &str) {
    assert!(
        (found - expected).abs() <= within,
        "{what}: {found}, expected {expected} within {within}"
    );
}
