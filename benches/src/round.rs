//! Criterion, once round: every contender in one state with one number of tenants.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput};
use harness::runs::{Cell, Outcome, State, Timed};

use crate::contender::{Contender, Entry, Visitor, for_each_contender};
use crate::costs::Costs;
use crate::failure::Failure;
use crate::profile::{Sampler, is_profiling};
use crate::sizes::Sizes;
use crate::state::Driven;
use crate::trial::Trial;

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
        let mut trial = None;
        let id = BenchmarkId::new(&entry.name, tenants);
        // Only what the command line selects is called, and so only that is built and audited.
        let ran = catch_unwind(AssertUnwindSafe(|| {
            self.group.bench_function(id, |bencher| {
                let trial = trial.get_or_insert_with(|| {
                    let jobs = (tenants, costs);
                    let trial = Trial::new(state, jobs, || build(tenants, costs), empty_loop_ns);
                    trial.unwrap_or_else(|failure| give_up(failure))
                });
                trial.prepare();
                bencher.iter_custom(|iterations| {
                    trial
                        .sample(iterations)
                        .unwrap_or_else(|failure| give_up(failure))
                });
            });
        }));
        let outcome = match ran {
            Ok(()) if is_profiling() => None,
            Ok(()) => {
                let samples = trial
                    .as_ref()
                    .and_then(|trial| trial.last_samples(self.samples));
                samples.and_then(Timed::of).map(Outcome::Timed)
            }
            Err(cause) => {
                let panicked = |_| Failure::Wrong("panicked, as told above".to_owned());
                let failure = cause.downcast().map_or_else(panicked, |failure| *failure);
                println!("\n{}/{}/{tenants} {failure}", state.name(), entry.name);
                Some(Outcome::from(failure))
            }
        };
        let Some(outcome) = outcome else {
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

/// Leaves criterion without a number. It has no other way out of a benchmark, and the panic hook has
/// nothing to say.
fn give_up(failure: Failure) -> ! {
    resume_unwind(Box::new(failure))
}
