//! `cargo bench`: what each scheduler costs, state by state, next to the floors of the same run.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;

use benches::clock;
use benches::contender::{Contender, Entry, Visitor, for_each_contender};
use benches::failure::Failure;
use benches::results::{Cell, Grid, Outcome, Timed};
use benches::sizes::Sizes;
use benches::state::State;
use benches::table::{self, Style};
use benches::trial::Trial;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput};

/// Runs every contender in one state with one number of tenants.
struct Round<'a, 'c> {
    group: &'a mut BenchmarkGroup<'c, WallTime>,
    state: State,
    tenants: u32,
    samples: usize,
    empty_loop_ns: f64,
    cells: &'a mut Vec<Cell>,
}

impl Visitor for Round<'_, '_> {
    fn visit<C: Contender>(&mut self, entry: &Entry, build: impl Fn(u32) -> C) {
        let (state, tenants) = (self.state, self.tenants);
        let mut trial = None;
        let mut measure = || {
            self.group
                .bench_function(BenchmarkId::new(&entry.name, tenants), |bencher| {
                    let trial = trial.get_or_insert_with(|| {
                        let jobs = (tenants, entry.costs);
                        Trial::new(state, jobs, || build(tenants), self.empty_loop_ns)
                            .unwrap_or_else(|failure| give_up(failure))
                    });
                    trial.prepare();
                    bencher.iter_custom(|iterations| {
                        trial
                            .sample(iterations)
                            .unwrap_or_else(|failure| give_up(failure))
                    });
                });
        };
        let ran = catch_unwind(AssertUnwindSafe(&mut measure));
        let outcome = match ran {
            Ok(()) => {
                let samples = trial
                    .as_ref()
                    .and_then(|trial| trial.last_samples(self.samples));
                samples.and_then(Timed::of).map(Outcome::Timed)
            }
            Err(cause) => Some(cause.downcast::<Failure>().map_or_else(
                |_| Outcome::Failed("panicked, as told above".to_owned()),
                |failure| Outcome::from(*failure),
            )),
        };
        let Some(outcome) = outcome else {
            return;
        };
        if let Outcome::Failed(reason) | Outcome::Slow(reason) = &outcome {
            println!("\n{}/{}/{tenants}: {reason}", state.name(), entry.name);
        }
        self.cells.push(Cell {
            state,
            contender: entry.name.clone(),
            is_floor: entry.is_floor,
            tenants,
            workload: trial.map_or_else(String::new, |trial| trial.fingerprint()),
            outcome,
        });
    }
}

/// Leaves criterion without a number: it has no other way out of a benchmark.
fn give_up(failure: Failure) -> ! {
    resume_unwind(Box::new(failure))
}

fn main() -> ExitCode {
    let sizes = Sizes::from_environment();
    let core = clock::pin();
    let empty_loop_ns = clock::empty_loop_ns();
    match core {
        Some(core) => println!("pinned to core {core}"),
        None => println!("NOT pinned: this platform does not let a thread choose its core"),
    }
    println!("the empty loop takes {empty_loop_ns:.2} ns a turn, subtracted from every operation");

    let mut criterion = Criterion::default()
        .sample_size(sizes.samples)
        .warm_up_time(sizes.warm_up)
        .measurement_time(sizes.measurement)
        .nresamples(2_000)
        .configure_from_args();
    if sizes.smoke {
        criterion = criterion.without_plots();
    }
    let mut cells = Vec::new();
    for state in State::ALL {
        let mut group = criterion.benchmark_group(state.name());
        group
            .sampling_mode(SamplingMode::Flat)
            .throughput(Throughput::Elements(1));
        for &tenants in &sizes.tenants {
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
    }
    criterion.final_summary();

    let style = Style::of_output();
    for state in State::ALL {
        let grid = Grid::of(&cells, state);
        if !grid.is_empty() {
            println!("\n{}: {}", state.name(), state.operation());
            println!("{}", table::of_state(style, state, &grid));
        }
    }
    let failed = cells
        .iter()
        .filter(|cell| matches!(cell.outcome, Outcome::Failed(_)))
        .count();
    if failed > 0 {
        println!("\n{failed} benchmarks FAILED");
        return ExitCode::from(3);
    }
    ExitCode::SUCCESS
}
