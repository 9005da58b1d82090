//! What a run found: in memory while it runs, as JSON when it is kept.

use serde::{Deserialize, Serialize};

use super::contention::Contended;
use super::counts::Counts;
use super::distinct::distinct;
use super::environment::Environment;
use super::state::State;
use super::statistics::{growth_exponent, median, percentile};

/// The name of the plain queue that every ratio is to.
pub const FLOOR: &str = "vec_deque";

/// The most bytes that an idle tenant should take.
pub const PER_TENANT_MAX: f64 = 32.0;

/// The most bytes that a waiting job should take beside itself.
pub const PER_JOB_MAX: f64 = 24.0;

/// One run of one benchmark.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Run {
    /// On what, and how.
    pub environment: Environment,
    /// What was timed, and only in this run.
    pub cells: Vec<Cell>,
    /// What was weighed; nothing in a benchmark that does not.
    pub memory: Vec<Memory>,
    /// What was timed with many threads; nothing in a benchmark that has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contended: Vec<Contended>,
    /// What was counted; nothing in a benchmark that does not.
    #[serde(default, skip_serializing_if = "Counts::is_empty")]
    pub counts: Counts,
}

impl Run {
    /// How many benchmarks are of a contender that was wrong.
    #[must_use]
    pub fn failures(&self) -> usize {
        let failed = |outcome: &&Outcome| matches!(outcome, Outcome::Failed(_));
        self.outcomes().filter(failed).count()
    }

    /// Whether anything was timed.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.outcomes().any(|outcome| outcome.ns().is_some())
    }

    fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        let cells = self.cells.iter().map(|cell| &cell.outcome);
        cells.chain(self.contended.iter().map(|one| &one.outcome))
    }
}

/// One contender in one state at one size.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Cell {
    /// What it was doing.
    pub state: State,
    /// Who.
    pub contender: String,
    /// Whether it is a floor, and no scheduler.
    pub is_floor: bool,
    /// How many tenants there were.
    pub tenants: u32,
    /// The fingerprint of the workload; nothing where the audit failed.
    pub workload: Option<String>,
    /// What the noisy tenant was served over an equal share, while it and others waited: 1 is fair.
    /// Nothing where it never shared.
    pub noise: Option<f64>,
    /// How many times as long as the plain queue of this run it took.
    pub floor_ratio: Option<f64>,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of timing a contender.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Nanoseconds an operation.
    Timed(Timed),
    /// Wrong, and why.
    Failed(String),
    /// Right, but too slow to be timed.
    Slow(String),
    /// Right, but its threads were hardly ever at the queue at the same time.
    Void(String),
}

impl Outcome {
    /// The median, where there is one.
    #[must_use]
    pub fn ns(&self) -> Option<f64> {
        match self {
            Self::Timed(timed) => Some(timed.ns_median),
            Self::Failed(_) | Self::Slow(_) | Self::Void(_) => None,
        }
    }

    /// What stands in a table in place of a time; nothing where there is one.
    #[must_use]
    pub(super) const fn word(&self) -> &'static str {
        match self {
            Self::Timed(_) => "",
            Self::Failed(_) => "FAILED",
            Self::Slow(_) => "slow",
            Self::Void(_) => "void",
        }
    }
}

/// Nanoseconds an operation, over the samples.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Timed {
    /// Half of the samples are not above.
    pub ns_median: f64,
    /// The tenth part of the samples is not above.
    pub ns_p10: f64,
    /// Nine tenths of the samples are not above.
    pub ns_p90: f64,
    /// How many samples.
    pub samples: usize,
}

impl Timed {
    /// Sums samples up; nothing for none.
    #[must_use]
    pub fn of(samples: &[f64]) -> Option<Self> {
        Some(Self {
            ns_median: median(samples)?,
            ns_p10: percentile(samples, 10)?,
            ns_p90: percentile(samples, 90)?,
            samples: samples.len(),
        })
    }

    /// How far the samples lie apart: the 90th less the 10th percentile, as a fraction of the median.
    #[must_use]
    pub fn spread(&self) -> f64 {
        (self.ns_p90 - self.ns_p10) / self.ns_median
    }
}

impl Cell {
    /// The median, where there is one.
    #[must_use]
    pub fn ns(&self) -> Option<f64> {
        self.outcome.ns()
    }
}

/// What one contender takes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Memory {
    /// Who.
    pub contender: String,
    /// Bytes for each of 100,000 tenants that all had a job once and have none now.
    pub bytes_per_idle_tenant: f64,
    /// Bytes for each of the 300,000 jobs of a burst and its neighbours, beyond the job itself.
    pub bytes_per_job: f64,
}

/// Writes beside every time how many times the floor's it is, state by state and size by size.
pub fn compare_with_floor(cells: &mut [Cell]) {
    let floors: Vec<Cell> = cells
        .iter()
        .filter(|cell| cell.contender == FLOOR)
        .cloned()
        .collect();
    for cell in cells {
        let is_its = |floor: &&Cell| (floor.state, floor.tenants) == (cell.state, cell.tenants);
        let floor_ns = floors.iter().find(is_its).and_then(Cell::ns);
        cell.floor_ratio = floor_ns.and_then(|floor_ns| Some(cell.ns()? / floor_ns));
    }
}

/// All cells of one state, to be asked for rows and columns.
#[derive(Clone, Debug)]
pub struct Grid<'a> {
    cells: Vec<&'a Cell>,
}

impl<'a> Grid<'a> {
    /// The cells of a state.
    #[must_use]
    pub fn of(cells: &'a [Cell], state: State) -> Self {
        Self {
            cells: cells.iter().filter(|cell| cell.state == state).collect(),
        }
    }

    /// Whether the state did not run.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Every cell, in the order in which they ran.
    #[must_use]
    pub fn cells(&self) -> &[&'a Cell] {
        &self.cells
    }

    /// The contenders, in the order in which they ran.
    #[must_use]
    pub fn contenders(&self) -> Vec<&'a str> {
        distinct(self.cells.iter().map(|cell| cell.contender.as_str()))
    }

    /// The sizes, in the order in which they ran.
    #[must_use]
    pub fn tenants(&self) -> Vec<u32> {
        distinct(self.cells.iter().map(|cell| cell.tenants))
    }

    /// One cell, if it ran.
    #[must_use]
    pub fn cell(&self, contender: &str, tenants: u32) -> Option<&'a Cell> {
        let is_it = |cell: &&&Cell| cell.contender == contender && cell.tenants == tenants;
        self.cells.iter().find(is_it).copied()
    }

    /// Whether no scheduler took less time with so many tenants.
    #[must_use]
    pub fn is_best(&self, cell: &Cell) -> bool {
        let rivals = self
            .cells
            .iter()
            .filter(|rival| rival.tenants == cell.tenants && !rival.is_floor);
        let least = rivals.filter_map(|rival| rival.ns()).min_by(f64::total_cmp);
        !cell.is_floor && cell.ns().is_some() && cell.ns() == least
    }

    /// How a contender's time grows with tenants: 0 for not at all, 1 for in proportion.
    #[must_use]
    pub fn growth(&self, contender: &str) -> Option<f64> {
        let cells = self.cells.iter().filter(|cell| cell.contender == contender);
        let points = cells.filter_map(|cell| Some((f64::from(cell.tenants), cell.ns()?)));
        growth_exponent(&points.collect::<Vec<_>>())
    }
}
