//! Two recorded runs side by side: what became slower, what is gone, what is new.

use serde::Serialize;

use super::comparable::Difference;
use super::figure::{Figure, Standing, Unit};
use super::results::Run;
use super::statistics::median;

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
    /// By what fraction `now` must exceed `base` to count: for instructions 1 %; for times 10 %, three
    /// times the noise floor of either run, the spread of the samples (90th less 10th percentile, over
    /// the median) of either, and three times the median deviation of several baselines from their
    /// median, whichever is most.
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
    /// Beyond the threshold.
    Slower,
    /// Beyond it the other way.
    Faster,
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
    /// In what the runs differ that makes every time incomparable.
    pub differences: Vec<Difference>,
    /// Benchmark by benchmark: those of the later run in their order, then those that are gone.
    pub compared: Vec<Compared>,
}

impl Comparison {
    /// Compares one run with one baseline or more.
    #[must_use]
    pub fn of(baselines: &[Run], now: &Run) -> Self {
        let mut differences: Vec<Difference> = Vec::new();
        for baseline in baselines {
            for difference in baseline.environment.differences(&now.environment) {
                if !differences.contains(&difference) {
                    differences.push(difference);
                }
            }
        }
        let floors = baselines.iter().chain([now]).map(|run| &run.environment);
        let noise_floor = floors
            .filter_map(|environment| environment.noise_floor)
            .fold(0.0, f64::max);
        let context = Context {
            is_foreign: !differences.is_empty(),
            noise_floor,
        };
        let before: Vec<Figure> = baselines.iter().flat_map(Figure::all).collect();
        let now = Figure::all(now);
        let mut compared: Vec<Compared> = now
            .iter()
            .map(|now| {
                let is_it = |before: &&Figure| before.name == now.name;
                let before: Vec<&Figure> = before.iter().filter(is_it).collect();
                context.compare(&before, Some(now))
            })
            .collect();
        let mut gone: Vec<&Figure> = Vec::new();
        for figure in &before {
            let mut known = now.iter().chain(gone.iter().copied());
            if !known.any(|known| known.name == figure.name) {
                gone.push(figure);
            }
        }
        compared.extend(gone.into_iter().map(|gone| context.compare(&[gone], None)));
        Self {
            differences,
            compared,
        }
    }

    /// Whether a benchmark became slower, or wrong.
    #[must_use]
    pub fn is_regressed(&self) -> bool {
        self.any(|change| matches!(change, Change::Slower | Change::Failed(_)))
    }

    /// Whether a benchmark of the baseline was not compared.
    #[must_use]
    pub fn has_gaps(&self) -> bool {
        self.any(|change| matches!(change, Change::Removed | Change::NotComparable(_)))
    }

    /// Whether a benchmark was compared.
    #[must_use]
    pub fn is_compared(&self) -> bool {
        self.any(|change| matches!(change, Change::Same | Change::Slower | Change::Faster))
    }

    fn any(&self, is_it: impl Fn(&Change) -> bool) -> bool {
        self.compared.iter().any(|compared| is_it(&compared.change))
    }
}

/// What decides, beside the benchmark itself.
struct Context {
    is_foreign: bool,
    noise_floor: f64,
}

impl Context {
    fn compare(&self, before: &[&Figure], now: Option<&Figure>) -> Compared {
        let figure = now.unwrap_or_else(|| before[0]);
        let values: Vec<f64> = before.iter().filter_map(|figure| figure.value).collect();
        let base = median(&values);
        let spread = (values.len() > 1).then(|| {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            (least, values.iter().copied().fold(0.0, f64::max))
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
        if self.is_foreign {
            return Change::NotComparable("other machine".to_owned());
        }
        if before.iter().any(|before| before.work != now.work) {
            return Change::NotComparable("other workload".to_owned());
        }
        let voids = before.iter().chain([&now]);
        for standing in voids.map(|figure| &figure.standing) {
            if let Standing::Void(why) = standing {
                return Change::NotComparable(why.clone());
            }
        }
        let threshold = threshold.unwrap_or(0.0);
        // Who was too slow to be timed has no figure, and is slower than whoever has one.
        match (base, now.value) {
            (Some(base), Some(now)) if now > base * (1.0 + threshold) => Change::Slower,
            (Some(base), Some(now)) if base > now * (1.0 + threshold) => Change::Faster,
            (Some(_), None) => Change::Slower,
            (None, Some(_)) => Change::Faster,
            (Some(_), Some(_)) | (None, None) => Change::Same,
        }
    }

    fn threshold(&self, base: f64, values: &[f64], before: &[&Figure], now: &Figure) -> f64 {
        let least = now.unit.change_min();
        if now.unit == Unit::Instructions {
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
mod tests {
    use super::*;
    use crate::runs::{Cell, Count, Environment, Outcome, State, Timed};

    fn cell(contender: &str, ratio: f64) -> Cell {
        Cell {
            state: State::Steady,
            contender: contender.into(),
            is_floor: false,
            tenants: 100,
            workload: Some("same".into()),
            noise: None,
            floor_ratio: Some(ratio),
            outcome: Outcome::Timed(Timed {
                ns_median: 3.0 * ratio,
                ns_p10: 2.95 * ratio,
                ns_p90: 3.05 * ratio,
                samples: 15,
            }),
        }
    }

    fn run(cells: &[(&str, f64)]) -> Run {
        Run {
            environment: Environment::now("wall_time", 0, false),
            cells: cells
                .iter()
                .map(|(name, ratio)| cell(name, *ratio))
                .collect(),
            memory: Vec::new(),
            contended: Vec::new(),
            counts: crate::runs::Counts::new(),
        }
    }

    fn changes(comparison: &Comparison) -> Vec<(&str, Change)> {
        let compared = comparison.compared.iter();
        compared
            .map(|compared| {
                let contender = compared.benchmark.split('/').nth(1);
                (
                    contender.expect("state/contender/tenants"),
                    compared.change.clone(),
                )
            })
            .collect()
    }

    /// Public reports: a benchmark missing from the baseline panicked, or looked like success.
    #[test]
    fn what_is_gone_and_what_is_new_is_said_and_the_rest_compared() {
        let (base, now) = (
            run(&[("a", 5.0), ("b", 5.0)]),
            run(&[("a", 5.1), ("c", 5.0)]),
        );
        let comparison = Comparison::of(&[base], &now);
        let expected = [
            ("a", Change::Same),
            ("c", Change::New),
            ("b", Change::Removed),
        ];
        assert_eq!(changes(&comparison), expected);
        assert!(!comparison.is_regressed() && comparison.has_gaps());

        let nothing = Comparison::of(&[run(&[])], &now);
        assert!(!nothing.is_compared(), "nothing compared is no success");
        let alike = Comparison::of(std::slice::from_ref(&now), &now);
        assert!(alike.is_compared() && !alike.has_gaps() && !alike.is_regressed());
    }

    #[test]
    fn only_what_is_beyond_the_threshold_is_slower_or_faster() {
        let base = run(&[("a", 5.0), ("b", 5.0), ("c", 5.0)]);
        let now = run(&[("a", 5.4), ("b", 5.6), ("c", 4.4)]);
        let comparison = Comparison::of(std::slice::from_ref(&base), &now);
        let expected = [
            ("a", Change::Same),
            ("b", Change::Slower),
            ("c", Change::Faster),
        ];
        assert_eq!(changes(&comparison), expected);
        assert!(comparison.is_regressed());

        let mut noisy = base;
        noisy.environment.noise_floor = Some(0.05);
        let comparison = Comparison::of(&[noisy], &now);
        assert!(
            !comparison.is_regressed(),
            "three times 5 % is more than 12 %"
        );
    }

    /// Public reports: an identical binary "regresses" on another machine.
    #[test]
    fn runs_of_two_machines_are_not_comparable() {
        let (base, mut now) = (run(&[("a", 5.0)]), run(&[("a", 9.0)]));
        now.environment.cpu = "another processor".into();
        let comparison = Comparison::of(&[base], &now);
        let reason = Change::NotComparable("other machine".into());
        assert_eq!(changes(&comparison), [("a", reason)]);
        assert_eq!(comparison.differences[0].field, "cpu");
        assert!(!comparison.is_regressed() && comparison.has_gaps());
    }

    /// Public reports: one odd baseline run flags everything.
    #[test]
    fn one_odd_baseline_of_five_flags_nothing_and_hides_nothing() {
        let ratios = [5.0, 5.05, 2.55, 4.95, 5.0];
        let baselines: Vec<Run> = ratios.iter().map(|ratio| run(&[("a", *ratio)])).collect();
        let same = Comparison::of(&baselines, &run(&[("a", 5.05)]));
        assert_eq!(changes(&same), [("a", Change::Same)]);
        assert_eq!(same.compared[0].base_spread, Some((2.55, 5.05)));
        let slower = Comparison::of(&baselines, &run(&[("a", 6.0)]));
        assert_eq!(changes(&slower), [("a", Change::Slower)]);
    }

    #[test]
    fn who_is_too_slow_to_be_timed_is_slower_than_who_is_not() {
        let (timed, mut slow) = (run(&[("a", 5.0)]), run(&[("a", 5.0)]));
        slow.cells[0].outcome = Outcome::Slow("a batch took 2 s".into());
        slow.cells[0].floor_ratio = None;
        for (base, now, change) in [
            (&timed, &slow, Change::Slower),
            (&slow, &timed, Change::Faster),
            (&slow, &slow, Change::Same),
        ] {
            let comparison = Comparison::of(std::slice::from_ref(base), now);
            assert_eq!(changes(&comparison), [("a", change)]);
        }
    }

    #[test]
    fn counts_are_compared_from_one_percent_on() {
        let counted = |instructions: u64| {
            let count = Count {
                allocations: 0,
                bytes: 0,
                cycles: 0,
                instructions,
                l1_hits: 0,
                ll_hits: 0,
                operations: 1_000,
                ram_hits: 0,
                work: "same".into(),
            };
            let mut run = run(&[]);
            run.counts.insert("push/a/100".into(), count);
            run
        };
        let base = counted(100_000);
        for (instructions, change) in [
            (101_000, Change::Same),
            (101_001, Change::Slower),
            (98_000, Change::Faster),
        ] {
            let comparison = Comparison::of(std::slice::from_ref(&base), &counted(instructions));
            assert_eq!(changes(&comparison), [("a", change)], "{instructions}");
        }
    }

    /// Threads that were hardly ever at the queue together have no time, and no slower one either.
    #[test]
    fn what_is_void_is_not_comparable() {
        let (timed, mut void) = (run(&[("a", 5.0)]), run(&[("a", 5.0)]));
        void.cells[0].outcome = Outcome::Void("threads apart".into());
        void.cells[0].floor_ratio = None;
        for (base, now) in [(&timed, &void), (&void, &timed)] {
            let comparison = Comparison::of(std::slice::from_ref(base), now);
            let why = Change::NotComparable("threads apart".into());
            assert_eq!(changes(&comparison), [("a", why)]);
            assert!(comparison.has_gaps());
        }
    }

    #[test]
    fn another_workload_or_a_failure_is_not_a_time() {
        let base = run(&[("a", 5.0), ("b", 5.0)]);
        let mut now = run(&[("a", 9.0), ("b", 5.0)]);
        now.cells[0].workload = Some("another".into());
        now.cells[1].outcome = Outcome::Failed("lost a job".into());
        let comparison = Comparison::of(&[base], &now);
        let expected = [
            ("a", Change::NotComparable("other workload".into())),
            ("b", Change::Failed("lost a job".into())),
        ];
        assert_eq!(changes(&comparison), expected);
        assert!(comparison.is_regressed());
    }
}
