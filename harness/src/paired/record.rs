//! A paired comparison as a record.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::interval::Ratio;
use super::verdict::{Verdict, limit, verdict};
use records::error::BadInput;
use records::runs::{Environment, State};

/// One paired comparison.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PairRecord {
    /// The first side: a contender, with its commit where commits are compared.
    pub a: String,
    /// The second side.
    pub b: String,
    /// What they were doing.
    pub state: State,
    /// With how many tenants.
    pub tenants: u32,
    /// The core that both were pinned to.
    pub affinity: String,
    /// The fingerprints of their workloads; one if it is the same for both.
    pub workloads: Vec<String>,
    /// How many blocks each ratio is of.
    pub blocks: u32,
    /// Of the bootstrap.
    pub seed: u64,
    /// Side `a` against itself, first thing in the session.
    pub a_a: Ratio,
    /// By what fraction identical code may seem to differ: [`Ratio::noise`] of `a_a`.
    pub noise_floor: f64,
    /// What a ratio must differ from 1 by to count.
    pub limit: f64,
    /// Side `b` against side `a`.
    pub ratio: Ratio,
    /// The same again, where the first was beyond the limit.
    pub rerun: Option<Ratio>,
    /// What it comes to.
    pub verdict: Verdict,
}

impl PairRecord {
    /// Fills in what follows from the ratios: noise floor, limit and verdict.
    pub(super) fn concluded(mut self) -> Self {
        self.noise_floor = self.a_a.noise();
        self.limit = limit(self.noise_floor);
        self.verdict = verdict(self.noise_floor, &self.ratio, self.rerun.as_ref());
        self
    }
}

/// Paired comparisons of one session, as they are kept: `paired.json` of a recorded run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PairedRun {
    /// On what, and how.
    pub environment: Environment,
    /// In the order in which they ran.
    pub pairs: Vec<PairRecord>,
}

impl PairedRun {
    /// Writes it as JSON.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), BadInput> {
        let failed = |error| BadInput::new(format!("{}: {error}", path.display()));
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let text = serde_json::to_string_pretty(self).expect("records are JSON") + "\n";
        fs::write(path, text).map_err(failed)
    }
}
