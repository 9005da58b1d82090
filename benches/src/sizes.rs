//! How many tenants, and for how long: a full run, or a smoke run.

use std::env;
use std::time::Duration;

/// What the environment asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// The numbers of tenants.
    pub tenants: Vec<u32>,
    /// How many samples of each benchmark.
    pub samples: usize,
    /// How long a benchmark runs before it is measured.
    pub warm_up: Duration,
    /// How long all samples of a benchmark take together, about.
    pub measurement: Duration,
    /// Everything, quickly and on little: the numbers mean nothing, the checks do.
    pub smoke: bool,
}

impl Sizes {
    /// `BENCH_SMOKE=1` is a smoke run; `BENCH_MILLION=1` adds a million tenants.
    #[must_use]
    pub fn from_environment() -> Self {
        let is_set = |name: &str| env::var_os(name).is_some_and(|value| value == "1");
        if is_set("BENCH_SMOKE") {
            return Self {
                tenants: vec![100],
                samples: 10,
                warm_up: Duration::from_millis(1),
                measurement: Duration::from_millis(5),
                smoke: true,
            };
        }
        let mut tenants = vec![100, 1_000, 10_000, 100_000];
        if is_set("BENCH_MILLION") {
            tenants.push(1_000_000);
        }
        Self {
            tenants,
            samples: 15,
            warm_up: Duration::from_millis(100),
            measurement: Duration::from_millis(250),
            smoke: false,
        }
    }
}
