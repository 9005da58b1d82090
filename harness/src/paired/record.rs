//! A paired comparison as a record.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::interval::Ratio;
use super::verdict::{Verdict, limit, verdict};
use records::error::BadInput;
use records::runs::{Environment, Figure, Figures, State, read_json};

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

/// The name of the file that paired ratios are kept in, among the results of a run.
pub const PAIRED: &str = "paired.json";

impl From<&PairRecord> for Figure {
    fn from(pair: &PairRecord) -> Self {
        let PairRecord {
            a,
            b,
            tenants,
            ratio,
            ..
        } = pair;
        let name = format!("{}/{b} over {a}/{tenants}", pair.state.name());
        let interval = (ratio.low, ratio.high);
        Self::ratio(name, ratio.estimate, interval, pair.workloads.join(" "))
    }
}

impl From<&PairedRun> for Figures {
    fn from(run: &PairedRun) -> Self {
        Self {
            environment: run.environment.clone(),
            all: run.pairs.iter().map(Figure::from).collect(),
        }
    }
}

impl PairedRun {
    /// Those among the results in a folder; nothing where there are none.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is something else.
    pub fn read(folder: &Path) -> Result<Option<Self>, BadInput> {
        let path = folder.join(PAIRED);
        if !path.exists() {
            return Ok(None);
        }
        read_json(&path).map(Some)
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use records::runs::{Change, Comparison};

    fn paired(b: &str, estimate: f64, noise_floor: f64) -> Figures {
        let ratio = |estimate: f64| Ratio {
            estimate,
            low: estimate * 0.99,
            high: estimate * 1.01,
            a_ns: 10.0,
            b_ns: 10.0 * estimate,
        };
        let mut environment = Environment::now("", 0, false);
        environment.noise_floor = Some(noise_floor);
        let pair = PairRecord {
            a: "fifo".into(),
            b: b.into(),
            state: State::Steady,
            tenants: 100,
            affinity: "core 1".into(),
            workloads: vec!["same".into()],
            blocks: 60,
            seed: 0,
            a_a: ratio(1.0),
            noise_floor,
            limit: 0.05,
            ratio: ratio(estimate),
            rerun: None,
            verdict: Verdict::Within,
        };
        Figures::from(&PairedRun {
            environment,
            pairs: vec![pair],
        })
    }

    #[test]
    fn paired_ratios_of_two_runs_are_compared_beyond_their_noise() {
        let base = paired("ring", 2.0, 0.01);
        for (now, expected) in [
            (paired("ring", 2.1, 0.01), &[Change::Same][..]),
            (paired("ring", 2.3, 0.01), &[Change::Slower]),
            (paired("ring", 2.3, 0.06), &[Change::Same]),
            (paired("ring", 1.7, 0.01), &[Change::Faster]),
            (paired("scan", 2.0, 0.01), &[Change::New, Change::Removed]),
        ] {
            let compared = Comparison::of(std::slice::from_ref(&base), &now).compared;
            let found: Vec<Change> = compared.into_iter().map(|one| one.change).collect();
            assert_eq!(found, expected, "{now:?}");
        }
    }
}
