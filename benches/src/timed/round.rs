//! Criterion, once round: every contender in one state with one number of tenants.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput};
use records::runs::{Cell, Outcome, State, Timed};

use crate::costs::Costs;
use crate::failure::Failure;
use crate::sizes::Sizes;
use crate::timed::contender::{Contender, Entry, Visitor, for_each_contender};
use crate::timed::profile::{Sampler, is_profiling};
use crate::timed::state::Driven;
use crate::timed::trial::Trial;

/// Criterion with the sizes of this run, and what the command line says.
#[must_use]
pub fn criterion(sizes: &Sizes) -> Criterion {
    let criterion = Criterion::default()
        .sample_size(sizes.samples)
        .warm_up_time(sizes.warm_up)
        .measurement_time(sizes.measurement)
        .nresamples(2_000)
        .with_profiler(Sampler::default())
        .configure_from_args();
    if sizes.smoke {
        return criterion.without_plots();
    }
    criterion
}

/// Measures a state with each number of tenants. Contenders that are compared run next to each other,
/// so that a machine that slows down slows all of them.
pub fn measure(
    criterion: &mut Criterion,
    state: State,
    tenants: &[u32],
    sizes: &Sizes,
    empty_loop_ns: f64,
) -> Vec<Cell> {
    let mut group = criterion.benchmark_group(state.name());
    group
        .sampling_mode(SamplingMode::Flat)
        .throughput(Throughput::Elements(1));
    let mut cells = Vec::new();
    for &tenants in tenants {
        for_each_contender(&mut Round {
            group: &mut group,
            state,
            tenants,
            samples: sizes.samples,
            empty_loop_ns,
            cells: &mut cells,
        });
    }
    group.finish();
    cells
}

struct Round<'a, 'c> {
    group: &'a mut BenchmarkGroup<'c, WallTime>,
    state: State,
    tenants: u32,
    samples: usize,
    empty_loop_ns: f64,
    cells: &'a mut Vec<Cell>,
}

impl Visitor for Round<'_, '_> {
    fn visit<C: Contender>(&mut self, entry: &Entry, build: impl Fn(u32, Costs) -> C) {
        let Some(costs) = self.state.costs(entry.costs) else {
            return;
        };
        let (state, tenants, empty_loop_ns) = (self.state, self.tenants, self.empty_loop_ns);
        let make = || {
            let build = || build(tenants, costs);
            Trial::new(state, (tenants, costs), build, empty_loop_ns)
        };
        let id = BenchmarkId::new(&entry.name, tenants);
        let name = format!("{}/{}/{tenants}", state.name(), entry.name);
        let Some((outcome, trial)) = time(self.group, id, &name, self.samples, make) else {
            return; // not selected, or run once as a test
        };
        self.cells.push(Cell {
            state,
            contender: entry.name.clone(),
            is_floor: entry.is_floor,
            tenants,
            workload: trial.as_ref().map(Trial::fingerprint),
            noise: trial.as_ref().and_then(Trial::noise),
            floor_ratio: None,
            outcome,
        });
    }
}

/// What criterion can sample.
pub trait Sampled {
    /// Makes the queue for the next sample.
    fn prepare(&mut self);

    /// Times at least so many operations, and gives the time of exactly so many.
    ///
    /// # Errors
    ///
    /// Another answer than under audit, a job lost or taken twice, or no time spent.
    fn sample(&mut self, iterations: u64) -> Result<Duration, Failure>;

    /// Sums up the last samples, those after the warm-up; nothing where fewer were taken.
    ///
    /// # Errors
    ///
    /// What was found wrong at last.
    fn outcome(&mut self, count: usize) -> Result<Option<Timed>, Failure>;
}

/// Times what `make` makes. Nothing where it was not selected, or run once as a test. Only what the
/// command line selects is made, and so only that is built and audited.
pub fn time<S: Sampled>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    id: BenchmarkId,
    name: &str,
    samples: usize,
    make: impl Fn() -> Result<S, Failure>,
) -> Option<(Outcome, Option<S>)> {
    let mut trial = None;
    let ran = catch_unwind(AssertUnwindSafe(|| {
        group.bench_function(id, |bencher| {
            let trial =
                trial.get_or_insert_with(|| make().unwrap_or_else(|failure| give_up(failure)));
            trial.prepare();
            bencher.iter_custom(|iterations| {
                let sample = trial.sample(iterations);
                sample.unwrap_or_else(|failure| give_up(failure))
            });
        });
    }));
    let panicked = |_| Failure::Wrong("panicked, as told above".to_owned());
    let outcome = ran
        .map_err(|cause| cause.downcast().map_or_else(panicked, |failure| *failure))
        .and_then(|()| match &mut trial {
            Some(trial) if !is_profiling() => trial.outcome(samples),
            _ => Ok(None),
        });
    match outcome {
        Ok(timed) => Some((Outcome::Timed(timed?), trial)),
        Err(failure) => {
            println!("\n{name} {failure}");
            Some((Outcome::from(failure), trial))
        }
    }
}

/// Leaves criterion without a number. It has no other way out of a benchmark, and the panic hook has
/// nothing to say.
fn give_up(failure: Failure) -> ! {
    resume_unwind(Box::new(failure))
}
