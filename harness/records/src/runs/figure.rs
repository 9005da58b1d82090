//! What two runs are compared by: one figure for each benchmark, whatever kind of benchmark it is.

use serde::Serialize;

use super::contention::Contended;
use super::counts::Count;
use super::results::{Cell, Outcome, Run};

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
    /// Instructions of one operation.
    Instructions,
}

impl Unit {
    /// The least change that counts, as a fraction.
    #[must_use]
    pub const fn change_min(self) -> f64 {
        match self {
            Self::Floors => TIME_CHANGE_MIN,
            Self::Instructions => COUNT_CHANGE_MIN,
        }
    }
}

/// Whether there is a number, and why not.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Standing {
    /// It has a number; a floor that is compared with nothing has none.
    Measured,
    /// It was too slow to be timed: slower than whoever was.
    TooSlow,
    /// It was wrong, and why.
    Failed(String),
    /// Its time does not count, and why.
    Void(String),
}

/// The figure of one benchmark in one run.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Figure {
    /// The name of the benchmark, as filters know it.
    pub(super) name: String,
    pub(super) unit: Unit,
    pub(super) value: Option<f64>,
    /// How far its samples lie apart, 90th less 10th percentile over the median; zero for a count.
    pub(super) spread: f64,
    /// The fingerprint of what it worked on, where that is known.
    pub(super) work: Option<String>,
    pub(super) standing: Standing,
}

impl Figure {
    /// Those of a run, in its order.
    pub(super) fn all(run: &Run) -> Vec<Self> {
        let cells = run.cells.iter().map(Self::from);
        let contended = run.contended.iter().map(Self::from);
        let counts = run.counts.iter().map(Self::from);
        cells.chain(contended).chain(counts).collect()
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

impl From<(&String, &Count)> for Figure {
    fn from((name, count): (&String, &Count)) -> Self {
        Self {
            name: name.clone(),
            unit: Unit::Instructions,
            value: Some(count.each(count.instructions)),
            spread: 0.0,
            work: Some(count.work.clone()),
            standing: Standing::Measured,
        }
    }
}
