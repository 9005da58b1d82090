//! A benchmark from its first line to its exit code.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use criterion::Criterion;
use harness::runs::{
    self, Cell, Counts, Environment, Load, Memory, Run, State, compare_with_floor, failures,
};

use crate::clock;
use crate::memory;
use crate::round;
use crate::sizes::Sizes;
use crate::workload::SEED;

/// The exit code of a run in which a contender was wrong.
const FAILED: u8 = 3;

/// One process of `cargo bench`.
#[derive(Debug)]
pub struct Session {
    bench: &'static str,
    sizes: Sizes,
    environment: Environment,
    cells: Vec<Cell>,
}

impl Session {
    /// Pins the thread, weighs the empty loop, and says so.
    #[must_use]
    pub fn begin(bench: &'static str) -> Self {
        let sizes = Sizes::from_environment();
        let mut environment = Environment::now(bench, SEED, sizes.smoke);
        if let Some(core) = clock::pin() {
            environment.affinity = format!("core {core}");
        }
        if memory::is_counted() {
            environment.allocator.push_str(", counted");
        }
        environment.empty_loop_ns = clock::empty_loop_ns();
        println!("pinned to: {}", environment.affinity);
        println!("seed: {}", environment.seed);
        println!(
            "empty loop: {:.2} ns a turn, subtracted from every operation",
            environment.empty_loop_ns
        );
        Self {
            bench,
            sizes,
            environment,
            cells: Vec::new(),
        }
    }

    /// How much there is to do.
    #[must_use]
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
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

    /// Prints the tables of what was timed, writes the JSON, and gives the exit code. Where nothing
    /// was timed (a list, a test, a filter that fits nothing), only failures are told.
    #[must_use]
    pub fn end(mut self, weigh: impl FnOnce() -> Vec<Memory>) -> ExitCode {
        let is_timed = |cell: &Cell| cell.ns().is_some();
        if self.cells.iter().any(is_timed) {
            self.report(weigh());
        }
        match failures(&self.cells) {
            0 => ExitCode::SUCCESS,
            failures => {
                println!("{failures} benchmarks FAILED");
                ExitCode::from(FAILED)
            }
        }
    }

    fn report(&mut self, memory: Vec<Memory>) {
        self.environment.after = Load::now();
        compare_with_floor(&mut self.cells);
        let run = Run {
            environment: self.environment.clone(),
            cells: self.cells.clone(),
            memory,
            counts: Counts::new(),
        };
        println!("\n{}", runs::of_run(&run).text());
        let html = runs::target().join("criterion/report/index.html");
        println!("criterion's report: {}", html.display());
        match write(self.bench, &run) {
            Ok(path) => println!("these tables as data: {}", path.display()),
            Err(error) => println!("the results were not written: {error}"),
        }
    }
}

/// Writes the results of this run to where the last run's are.
pub(crate) fn write(bench: &str, run: &Run) -> io::Result<PathBuf> {
    let path = runs::last_run().join(format!("{bench}.json"));
    fs::create_dir_all(runs::last_run())?;
    fs::write(&path, serde_json::to_string_pretty(run)? + "\n")?;
    Ok(path)
}
