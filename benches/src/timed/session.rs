//! A benchmark from its first line to its exit code.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use criterion::Criterion;
use harness::flame::PINNED;
use records::page::Page;
use records::runs::{
    self, AdmissionRun, Cell, Checked, Contended, Counts, Environment, Load, Memory, Run, State,
    Weighed, compare_with_floor, compare_with_shared_floor,
};

use crate::sizes::Sizes;
use crate::timed::clock;
use crate::timed::memory;
use crate::timed::paired::noise_floor;
use crate::timed::round;
use crate::timed::shared;
use crate::timed::shared::plan::Plan;
use crate::timed::shared::trial::Rules;
use crate::workload::SEED;

/// The exit code of a run in which a contender was wrong.
const FAILED: u8 = 3;

/// The part of a sample in which all of its threads must have been at the queue.
const OVERLAP_MIN: f64 = 0.9;

/// How many threads a benchmark measures with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Threads {
    /// This one, pinned to one core.
    One,
    /// Its own, each pinned to a core when it starts. This one only waits for them.
    Many,
}

/// One process of `cargo bench`.
#[derive(Debug)]
pub struct Session {
    bench: &'static str,
    sizes: Sizes,
    rules: Rules,
    environment: Environment,
    cells: Vec<Cell>,
    contended: Vec<Contended>,
}

impl Session {
    /// Pins the thread, weighs the empty loop, and says so.
    #[must_use]
    pub fn begin(bench: &'static str, threads: Threads) -> Self {
        let sizes = Sizes::from_environment();
        let mut environment = Environment::now(bench, SEED, sizes.smoke);
        if memory::is_counted() {
            environment.allocator.push_str(", counted");
        }
        let rules = Rules {
            cores: clock::cores(),
            overlap_min: if sizes.smoke { 0.0 } else { OVERLAP_MIN },
            nothing_ns: clock::nothing_ns(),
            full_length: !sizes.smoke,
        };
        environment.empty_loop_ns = clock::empty_loop_ns();
        match threads {
            Threads::One => {
                if let Some(core) = clock::pin() {
                    environment.affinity = format!("core {core}");
                }
                println!(
                    "empty loop: {:.2} ns a turn, subtracted from every operation",
                    environment.empty_loop_ns
                );
            }
            Threads::Many => {
                let cores = rules.cores.iter().map(|core| core.id.to_string());
                let cores = cores.collect::<Vec<_>>().join(" and ");
                environment.affinity = format!("each thread to the next of cores {cores}");
                println!(
                    "a single take: {:.0} ns for the clock subtracted",
                    rules.nothing_ns
                );
            }
        }
        println!("{PINNED}{}", environment.affinity);
        println!("seed: {}", environment.seed);
        Self {
            bench,
            sizes,
            rules,
            environment,
            cells: Vec::new(),
            contended: Vec::new(),
        }
    }

    /// How much there is to do.
    #[must_use]
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// When a sample of several threads counts.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Criterion for this run.
    #[must_use]
    pub fn criterion(&self) -> Criterion {
        round::criterion(&self.sizes)
    }

    /// Measures a state with each number of tenants.
    pub fn measure(&mut self, criterion: &mut Criterion, state: State, tenants: &[u32]) {
        let empty_loop_ns = self.environment.empty_loop_ns;
        let cells = round::measure(criterion, state, tenants, &self.sizes, empty_loop_ns);
        self.cells.extend(cells);
    }

    /// Measures a plan of many threads with each number of tenants.
    pub fn measure_shared(&mut self, criterion: &mut Criterion, plan: Plan, tenants: &[u32]) {
        let contended = shared::round::measure(criterion, plan, tenants, &self.sizes, &self.rules);
        self.contended.extend(contended);
    }

    /// Prints the tables of what was timed, writes the JSON, and gives the exit code. Where nothing
    /// was timed (a list, a test, a filter that fits nothing), only failures are told.
    #[must_use]
    pub fn end(mut self, weigh: impl FnOnce() -> Vec<Memory>) -> ExitCode {
        compare_with_floor(&mut self.cells);
        compare_with_shared_floor(&mut self.contended);
        let mut run = Run {
            environment: self.environment,
            cells: self.cells,
            memory: Vec::new(),
            contended: self.contended,
            counts: Counts::new(),
        };
        if run.is_timed() {
            run.memory = weigh();
            if !self.sizes.smoke {
                run.environment.noise_floor = noise_floor(SEED);
            }
            run.environment.after = Load::now();
            report(self.bench, &run);
        }
        exit_code(run.failures())
    }

    /// The same for rate limiters, which criterion does not run.
    #[must_use]
    pub fn end_admission(self, checks: Vec<Checked>, weighed: Vec<Weighed>) -> ExitCode {
        let mut run = AdmissionRun {
            environment: self.environment,
            checks,
            weighed,
        };
        if !run.checks.is_empty() {
            run.environment.after = Load::now();
            let tables = runs::admission_tables(&run).into_iter();
            let tables = tables.map(|named| named.table).collect();
            println!("\n{}", Page { tables }.text());
            tell(runs::leave(self.bench, &run));
        }
        exit_code(run.failures())
    }
}

fn exit_code(failures: usize) -> ExitCode {
    if failures == 0 {
        return ExitCode::SUCCESS;
    }
    println!("{failures} benchmarks FAILED");
    ExitCode::from(FAILED)
}

fn report(bench: &str, run: &Run) {
    println!("\n{}", runs::of_run(run).text());
    if let Some(floor) = run.environment.noise_floor {
        let percent = floor * 100.0;
        println!("noise floor: identical code differed from itself by up to {percent:.1} %");
    }
    let html = runs::target().join("criterion/report/index.html");
    println!("criterion's report: {}", html.display());
    tell(runs::leave(bench, run));
}

fn tell(written: io::Result<PathBuf>) {
    match written {
        Ok(path) => println!("these tables as data: {}", path.display()),
        Err(error) => println!("the results were not written: {error}"),
    }
}
