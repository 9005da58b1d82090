//! Two recorded runs side by side: what became slower, what is gone, what is new.

use serde::Serialize;

use super::comparable::{Difference, Measured};
use super::contention::SHARED_FLOOR;
use super::distinct::distinct;
use super::figure::{Figure, Figures, NO_FLOOR, Standing, Unit};
use super::results::FLOOR;
use super::statistics::median;

/// Why a baseline says nothing: who was wrong then has no time to be held against.
const FAILED_BEFORE: &str = "failed in the baseline";

/// Above this threshold, that it was not exceeded says nothing.
pub const THRESHOLD_MAX: f64 = 0.5;

/// A benchmark in both runs, or in one of them.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Compared {
    /// Its name, as filters know it.
    pub benchmark: String,
    /// What its figures are of.
    pub unit: Unit,
    /// The median of the baselines.
    pub base: Option<f64>,
    /// The least and the most of the baselines, where there are several.
    pub base_spread: Option<(f64, f64)>,
    /// What it takes now.
    pub now: Option<f64>,
    /// By what fraction `now` must exceed `base` to count: for allocations nothing; for instructions and
    /// bytes 1 %; for times and ratios 10 %, three times the noise floor of either run, the spread of the
    /// samples (90th less 10th percentile, over the median) or of the interval of either, and three
    /// times the median deviation of several baselines from their median, whichever is most.
    pub threshold: Option<f64>,
    /// What it comes to.
    pub change: Change,
}

/// What became of a benchmark.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Within the threshold.
    Same,
    /// Within a threshold so high, for noise, that much slower would be within it too.
    Inconclusive,
    /// Beyond the threshold.
    Slower,
    /// Beyond it the other way.
    Faster,
    /// Beyond it, of memory.
    More,
    /// Beyond it the other way, of memory.
    Less,
    /// In the baseline only.
    Removed,
    /// In the later run only.
    New,
    /// Wrong, and why, in the later run.
    Failed(String),
    /// Not to be compared, and why.
    NotComparable(String),
}

/// A whole comparison.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Comparison {
    /// In what the runs differ that makes figures incomparable.
    pub differences: Vec<Difference>,
    /// Benchmark by benchmark: those of the later run in their order, then those that are gone.
    pub compared: Vec<Compared>,
}

impl Comparison {
    /// Compares one run with one baseline or more.
    #[must_use]
    pub fn of(baselines: &[Figures], now: &Figures) -> Self {
        let before: Vec<&Figure> = baselines.iter().flat_map(|run| &run.all).collect();
        let all = || now.all.iter().chain(before.iter().copied());
        let mut keys = distinct(all().map(Figure::key));
        keys.retain(|key| {
            let mut figures = all().filter(|figure| figure.key() == *key);
            figures.any(|figure| !is_floor_over_itself(figure))
        });
        let foreign = |measured| {
            let each = baselines.iter().map(|run| &run.environment);
            distinct(each.flat_map(|run| now.environment.differences(run, measured)))
        };
        let measured = distinct(keys.iter().map(|(_, unit)| unit.measured()));
        let foreign: Vec<(Measured, Vec<Difference>)> = measured
            .into_iter()
            .map(|measured| (measured, foreign(measured)))
            .filter(|(_, differences)| !differences.is_empty())
            .collect();
        let floors = baselines.iter().chain([now]).map(|run| &run.environment);
        let noise_floor = floors
            .filter_map(|environment| environment.noise_floor)
            .fold(0.0, f64::max);
        let context = Context {
            foreign: foreign.iter().map(|(measured, _)| *measured).collect(),
            noise_floor,
        };
        let compared = keys.iter().map(|key| {
            let is_it = |figure: &&Figure| figure.key() == *key;
            let before: Vec<&Figure> = before.iter().copied().filter(is_it).collect();
            context.compare(&before, now.all.iter().find(is_it))
        });
        Self {
            compared: compared.collect(),
            differences: distinct(foreign.into_iter().flat_map(|(_, differences)| differences)),
        }
    }

    /// Whether a benchmark became slower, larger, or wrong.
    #[must_use]
    pub fn is_regressed(&self) -> bool {
        self.any(|change| matches!(change, Change::Slower | Change::More | Change::Failed(_)))
    }

    /// Whether a benchmark of the baseline was not compared.
    #[must_use]
    pub fn has_gaps(&self) -> bool {
        self.any(|change| matches!(change, Change::Removed | Change::NotComparable(_)))
    }

    /// Whether a benchmark was compared.
    #[must_use]
    pub fn is_compared(&self) -> bool {
        self.any(|change| {
            !matches!(
                change,
                Change::Removed
                    | Change::New
                    | Change::Inconclusive
                    | Change::Failed(_)
                    | Change::NotComparable(_)
            )
        })
    }

    fn any(&self, is_it: impl Fn(&Change) -> bool) -> bool {
        self.compared.iter().any(|compared| is_it(&compared.change))
    }
}

/// Whether it is the time of the floor over that of the floor: 1 in every run, which compares nothing.
fn is_floor_over_itself(figure: &Figure) -> bool {
    let contender = figure.name.split('/').nth(1);
    figure.unit == Unit::Floors
        && figure.standing == Standing::Measured
        && contender.is_some_and(|contender| [FLOOR, SHARED_FLOOR].contains(&contender))
}

/// What decides, beside the benchmark itself.
struct Context {
    /// What is not comparable, for it was measured on another machine.
    foreign: Vec<Measured>,
    noise_floor: f64,
}

impl Context {
    fn compare(&self, before: &[&Figure], now: Option<&Figure>) -> Compared {
        let figure = now.unwrap_or_else(|| before[0]);
        let values: Vec<f64> = before.iter().filter_map(|figure| figure.value).collect();
        let base = median(&values);
        let spread = (values.len() > 1).then(|| {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (least, most)
        });
        let threshold = base.map(|base| self.threshold(base, &values, before, figure));
        let change = match now {
            None => Change::Removed,
            Some(_) if before.is_empty() => Change::New,
            Some(now) => self.change(before, now, base, threshold),
        };
        Compared {
            benchmark: figure.name.clone(),
            unit: figure.unit,
            base,
            base_spread: spread,
            now: now.and_then(|now| now.value),
            threshold,
            change,
        }
    }

    fn change(
        &self,
        before: &[&Figure],
        now: &Figure,
        base: Option<f64>,
        threshold: Option<f64>,
    ) -> Change {
        if let Standing::Failed(why) = &now.standing {
            return Change::Failed(why.clone());
        }
        if self.foreign.contains(&now.unit.measured()) {
            return Change::NotComparable("other machine".to_owned());
        }
        for figure in before.iter().chain([&now]) {
            match &figure.standing {
                Standing::Failed(_) => return Change::NotComparable(FAILED_BEFORE.to_owned()),
                Standing::Void(why) => return Change::NotComparable(why.clone()),
                Standing::Measured | Standing::TooSlow => {}
            }
        }
        if before.iter().any(|before| before.work != now.work) {
            return Change::NotComparable("other workload".to_owned());
        }
        let threshold = threshold.unwrap_or(0.0);
        // Who was too slow to be timed has no figure, and is slower than whoever has one.
        let is_too_slow = |figure: &Figure| figure.standing == Standing::TooSlow;
        let was_too_slow = before.iter().any(|figure| is_too_slow(figure));
        let is_beyond = |more: f64, less: f64| more > less * (1.0 + threshold);
        let (worse, better) = if now.unit.is_memory() {
            (Change::More, Change::Less)
        } else {
            (Change::Slower, Change::Faster)
        };
        match (base, now.value) {
            (Some(base), Some(now)) if is_beyond(now, base) => worse,
            (Some(base), Some(now)) if is_beyond(base, now) => better,
            (Some(_), None) if is_too_slow(now) => Change::Slower,
            (None, Some(_)) if was_too_slow => Change::Faster,
            (None, None) if was_too_slow && is_too_slow(now) => Change::Same,
            (Some(_), Some(_)) if threshold > THRESHOLD_MAX => Change::Inconclusive,
            (Some(_), Some(_)) => Change::Same,
            (_, None) | (None, _) => Change::NotComparable(NO_FLOOR.to_owned()),
        }
    }

    fn threshold(&self, base: f64, values: &[f64], before: &[&Figure], now: &Figure) -> f64 {
        let least = now.unit.change_min();
        if !now.unit.is_timed() {
            return least;
        }
        let deviations: Vec<f64> = values
            .iter()
            .map(|value| (value - base).abs() / base)
            .collect();
        let deviation = 3.0 * median(&deviations).unwrap_or(0.0);
        // Of several baselines, a single one that was disturbed must not decide: the median of them.
        let is_measured = |figure: &&&Figure| figure.standing == Standing::Measured;
        let spreads = before.iter().filter(is_measured);
        let spreads: Vec<f64> = spreads.map(|figure| figure.spread).collect();
        let before = median(&spreads).unwrap_or(0.0);
        [3.0 * self.noise_floor, deviation, before, now.spread]
            .into_iter()
            .fold(least, f64::max)
    }
}

#[cfg(test)]
mod tests;
