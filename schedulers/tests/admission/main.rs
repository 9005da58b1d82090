//! Admission: what a bucket, a budget, the layers and the counters promise, and faults that people
//! reported of rate limiters in public.

mod backoff;
mod buckets;
mod budgets;
mod counters;
mod layers;
mod limiters;
mod oracle;

use std::time::Duration;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use schedulers::admission::{Rate, RateLimit};

/// Random tests draw from this seed, and a failure prints it.
const SEED: u64 = 20_261_130;

fn random() -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(SEED)
}

fn limit(burst: u32, per_second: u32) -> RateLimit {
    RateLimit {
        burst,
        rate: Rate::per_second(per_second),
    }
}

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

const fn milliseconds(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}
