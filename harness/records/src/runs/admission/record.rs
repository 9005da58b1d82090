//! One run of the benchmark of admission, as it is kept.

use serde::{Deserialize, Serialize};

use crate::runs::environment::Environment;

/// The name of our rate limiter.
pub const LIMITER: &str = "limiter";

/// The name of the limiter with the layers round it, and all that they count.
pub const LAYERS: &str = "admission";

/// The name of the rate limiter that ours is compared with.
pub const PEER: &str = "governor";

/// All that was found, in ratios of two sides that took turns in one process.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AdmissionRun {
    /// On what, and how.
    pub environment: Environment,
    /// What checks cost.
    pub checks: Vec<Checked>,
    /// What tenants weigh.
    pub weighed: Vec<Weighed>,
}

impl AdmissionRun {
    /// How many benchmarks are of a limiter that was wrong.
    #[must_use]
    pub fn failures(&self) -> usize {
        let outcomes = self.checks.iter().map(|check| &check.outcome);
        outcomes
            .filter(|outcome| matches!(outcome, Beside::Failed(_)))
            .count()
    }
}

/// What the requests ask for, and so what they meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Demand {
    /// Half of what every tenant may: all are admitted.
    Admitted,
    /// Of tenants whose tokens are spent: all are refused.
    Refused,
    /// The same, and each that is refused is told when to come back, as an answer of a service has it.
    RefusedUntil,
    /// Twice what every tenant may: some are admitted, some refused.
    Mixed,
}

impl Demand {
    /// Every demand, in the order of the table.
    pub const ALL: [Self; 4] = [
        Self::Admitted,
        Self::Refused,
        Self::RefusedUntil,
        Self::Mixed,
    ];

    /// As in benchmark names.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Admitted => "admitted",
            Self::Refused => "refused",
            Self::RefusedUntil => "refused_until",
            Self::Mixed => "mixed",
        }
    }

    /// As in a table.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Admitted => "all admitted",
            Self::Refused => "all refused",
            Self::RefusedUntil => "all refused, and told until when",
            Self::Mixed => "mixed",
        }
    }
}

/// One contender beside another, under a demand, with so many threads and tenants.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Checked {
    /// Who.
    pub contender: String,
    /// Beside whom.
    pub peer: String,
    /// What was asked.
    pub demand: Demand,
    /// How many threads asked at once.
    pub threads: usize,
    /// How many tenants there were.
    pub tenants: u32,
    /// The fingerprint of the requests.
    pub workload: String,
    /// The part of the requests that both admitted; nothing where they were not compared.
    pub admitted: Option<f64>,
    /// What came of it.
    pub outcome: Beside,
}

impl Checked {
    /// The name of the benchmark, as filters know it.
    #[must_use]
    pub fn name(&self) -> String {
        Self::name_of(&self.contender, self.demand, self.threads, self.tenants)
    }

    /// The name of such a benchmark.
    #[must_use]
    pub fn name_of(contender: &str, demand: Demand, threads: usize, tenants: u32) -> String {
        format!(
            "admission/{contender}/{}/{threads}/{tenants}",
            demand.name()
        )
    }
}

/// What came of a comparison.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Beside {
    /// Nanoseconds a check of both, and how they compare.
    Timed {
        /// The contender's, the median of the blocks, the bare loop included.
        ns: f64,
        /// The peer's.
        peer_ns: f64,
        /// How many times as long the contender took: the median of the pairs of blocks.
        ratio: f64,
        /// The 95 % interval of the ratio.
        interval: (f64, f64),
        /// How many blocks.
        blocks: u32,
    },
    /// One of them was wrong, or they did not decide alike, and how.
    Failed(String),
    /// It could not be measured, and why.
    Void(String),
}

/// What a tenant takes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Weighed {
    /// Who.
    pub contender: String,
    /// How many tenants there were, each with a request behind it and its tokens not yet back.
    pub tenants: u32,
    /// Bytes for each of them, as the allocator counted them; keys are of eight.
    pub bytes_per_tenant: f64,
}
