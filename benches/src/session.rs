//! A benchmark from its first line to its exit code.

use std::fs;
use std::process::ExitCode;

use criterion::Criterion;

use crate::clock;
use crate::environment::{Environment, Load};
use crate::memory::Memory;
use crate::places;
use crate::report;
use crate::results::{Cell, Run, compare_with_floor};
use crate::round;
use crate::sizes::Sizes;
use crate::state::State;
use crate::table::Style;

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
        let core = clock::pin();
        let empty_loop_ns = clock::empty_loop_ns();
        let environment = Environment::now(bench, core, empty_loop_ns, sizes.smoke);
        println!(
            "thread: {}; seed: {}",
            environment.affinity, environment.seed
        );
        println!("empty loop: {empty_loop_ns:.2} ns a turn, subtracted from every operation");
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

    /// Prints the tables of what ran, writes the JSON, and gives the exit code.
    #[must_use]
    pub fn end(mut self, weigh: impl FnOnce() -> Vec<Memory>) -> ExitCode {
        if self.cells.is_empty() {
            return ExitCode::SUCCESS; // listed, or run as a test, and all was well
        }
        self.environment.after = Load::now();
        compare_with_floor(&mut self.cells);
        let run = Run {
            environment: self.environment,
            cells: self.cells,
            memory: weigh(),
        };
        println!("\n{}", report::of_run(Style::of_output(), &run));
        println!(
            "criterion's report: {}",
            places::target()
                .join("criterion/report/index.html")
                .display()
        );
        match write(self.bench, &run) {
            Ok(path) => println!("these tables as data: {path}"),
            Err(error) => println!("the results were not written: {error}"),
        }
        match run.failures() {
            0 => ExitCode::SUCCESS,
            failures => {
                println!("{failures} benchmarks FAILED");
                ExitCode::from(FAILED)
            }
        }
    }
}

fn write(bench: &str, run: &Run) -> std::io::Result<String> {
    let path = places::last_run().join(format!("{bench}.json"));
    fs::create_dir_all(places::last_run())?;
    fs::write(&path, serde_json::to_string_pretty(run)? + "\n")?;
    Ok(path.display().to_string())
}
