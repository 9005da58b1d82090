//! What two runs are compared by: a figure or more for each benchmark, whatever kind of benchmark it is.

use serde::Serialize;

use super::comparable::Measured;
use super::contention::Contended;
use super::counts::Count;
use super::environment::Environment;
use super::results::{Cell, Memory, Outcome, Run};

/// The least change of a time that counts, as a fraction: the ratio to the floor of the same run holds
/// better than absolute times do, yet layout moves it by some percent.
const TIME_CHANGE_MIN: f64 = 0.10;

/// The least change of a count that counts: counts repeat, and this is the gate's limit too.
const COUNT_CHANGE_MIN: f64 = 0.01;

/// Why a time says nothing: it is compared by what it is of the floor's.
pub(super) const NO_FLOOR: &str = "the floor was not timed";

/// What a figure is a number of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Times as long as the floor of the same run.
    Floors,
    /// Times as long as the other side of a paired comparison.
    Ratio,
    /// Instructions of one operation.
    Instructions,
    /// Allocations of one operation.
    Allocations,
    /// Bytes that one operation asks of the allocator.
    Bytes,
    /// Bytes held, for each idle tenant or waiting job.
    BytesHeld,
}

impl Unit {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Floors,
        Self::Ratio,
        Self::Instructions,
        Self::Allocations,
        Self::Bytes,
        Self::BytesHeld,
    ];

    /// The least change that counts, as a fraction. An allocation more is one too many, as for the gate.
    #[must_use]
    pub const fn change_min(self) -> f64 {
        match self {
            Self::Floors | Self::Ratio => TIME_CHANGE_MIN,
            Self::Allocations => 0.0,
            Self::Instructions | Self::Bytes | Self::BytesHeld => COUNT_CHANGE_MIN,
        }
    }

    /// Whether it comes of a clock, and so with noise.
    pub(super) const fn is_timed(self) -> bool {
        matches!(self, Self::Floors | Self::Ratio)
    }

    /// Whether a benchmark that has more of it is not slower, but larger.
    pub(super) const fn is_memory(self) -> bool {
        matches!(self, Self::Allocations | Self::Bytes | Self::BytesHeld)
    }

    /// What of a machine decides it. What is held is weighed beside times, and without valgrind.
    pub(super) const fn measured(self) -> Measured {
        match self {
            Self::Floors | Self::Ratio | Self::BytesHeld => Measured::Times,
            Self::Instructions | Self::Allocations | Self::Bytes => Measured::Counts,
        }
    }
}

/// A record as it is compared: where it comes from, and its figures.
#[derive(Clone, PartialEq, Debug)]
pub struct Figures {
    /// Where it was measured.
    pub environment: Environment,
    /// One or more for each benchmark.
    pub all: Vec<Figure>,
}

impl Figures {
    /// A record of the same kind in which nothing was measured: every benchmark is gone.
    #[must_use]
    pub fn without_any(&self) -> Self {
        Self {
            environment: self.environment.clone(),
            all: Vec::new(),
        }
    }
}

impl From<&Run> for Figures {
    fn from(run: &Run) -> Self {
        let cells = run.cells.iter().map(Figure::from);
        let contended = run.contended.iter().map(Figure::from);
        let held = run.memory.iter().flat_map(Figure::of_memory);
        let counts = run.counts.iter().flat_map(Figure::of_count);
        Self {
            environment: run.environment.clone(),
            all: cells.chain(contended).chain(held).chain(counts).collect(),
        }
    }
}

/// Whether there is a number, and why not.
#[derive(Clone, PartialEq, Debug)]
pub enum Standing {
    /// It has a number; a floor that is compared with nothing has none.
    Measured,
    /// It was too slow to be timed: slower than whoever was.
    TooSlow,
    /// It was wrong, and why.
    Failed(String),
    /// Its time does not count, and why.
    Void(String),
}

/// One figure of one benchmark in one run.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// The name of the benchmark, as filters know it.
    pub name: String,
    /// What the value counts.
    pub unit: Unit,
    /// Nothing where none was found; `standing` says why.
    pub value: Option<f64>,
    /// How far its samples lie apart, 90th less 10th percentile over the median, or how wide the interval
    /// of a ratio is; zero for a count.
    pub spread: f64,
    /// The fingerprint of what it worked on, where that is known.
    pub work: Option<String>,
    /// Whether the value can be compared.
    pub standing: Standing,
}

impl Figure {
    /// A number that was found.
    #[must_use]
    pub fn measured(name: String, unit: Unit, value: f64) -> Self {
        Self {
            name,
            unit,
            value: Some(value),
            spread: 0.0,
            work: None,
            standing: Standing::Measured,
        }
    }

    /// A ratio of paired blocks, and its interval, found at this work.
    #[must_use]
    pub fn ratio(name: String, ratio: f64, (low, high): (f64, f64), work: String) -> Self {
        Self {
            spread: (high - low) / ratio,
            work: Some(work),
            ..Self::measured(name, Unit::Ratio, ratio)
        }
    }

    /// Bytes held, for each of those that hold them.
    #[must_use]
    pub fn held(name: String, bytes: f64) -> Self {
        let mut figure = Self::measured(name, Unit::BytesHeld, bytes);
        if bytes < 0.0 {
            // Something else gave back meanwhile what it had held.
            figure.standing = Standing::Void("it held less than nothing".to_owned());
        }
        figure
    }

    /// Figures of two runs are compared if this is the same.
    pub(super) fn key(&self) -> (&str, Unit) {
        (&self.name, self.unit)
    }

    fn of_memory(memory: &Memory) -> [Self; 2] {
        let held = [
            ("idle_tenant", memory.bytes_per_idle_tenant),
            ("waiting_job", memory.bytes_per_job),
        ];
        held.map(|(holder, bytes)| Self::held(format!("{holder}/{}", memory.contender), bytes))
    }

    fn of_count((name, count): (&String, &Count)) -> [Self; 3] {
        let counted = [
            (Unit::Instructions, count.instructions),
            (Unit::Allocations, count.allocations),
            (Unit::Bytes, count.bytes),
        ];
        counted.map(|(unit, of_batch)| Self {
            work: Some(count.work.clone()),
            ..Self::measured(name.clone(), unit, count.each(of_batch))
        })
    }

    fn timed(
        name: String,
        (value, is_floor): (Option<f64>, bool),
        work: Option<String>,
        outcome: &Outcome,
    ) -> Self {
        let (spread, standing) = match outcome {
            // A filter that leaves the floor out leaves nothing to compare by.
            Outcome::Timed(_) if value.is_none() && !is_floor => {
                (0.0, Standing::Void(NO_FLOOR.to_owned()))
            }
            Outcome::Timed(timed) => (timed.spread(), Standing::Measured),
            Outcome::Failed(why) => (0.0, Standing::Failed(why.clone())),
            Outcome::Slow(_) => (0.0, Standing::TooSlow),
            Outcome::Void(why) => (0.0, Standing::Void(why.clone())),
        };
        Self {
            name,
            unit: Unit::Floors,
            value,
            spread,
            work,
            standing,
        }
    }
}

impl From<&Cell> for Figure {
    fn from(cell: &Cell) -> Self {
        let name = format!("{}/{}/{}", cell.state.name(), cell.contender, cell.tenants);
        let value = (cell.floor_ratio, cell.is_floor);
        Self::timed(name, value, cell.workload.clone(), &cell.outcome)
    }
}

impl From<&Contended> for Figure {
    fn from(one: &Contended) -> Self {
        let group = one.shape.group(one.threads, one.batch);
        let name = format!("{group}/{}/{}", one.contender, one.tenants);
        let work = Some(one.workload.clone());
        Self::timed(name, (one.floor_ratio, one.is_floor), work, &one.outcome)
    }
}
