//! The counted benchmarks from the first line to the exit code: audited, then counted, then written down.

use std::env;
use std::fs;
use std::io;
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;

use records::page::{Page, Table};
use records::runs::{self, Count, Counts, Environment, Fingerprint, Load, Run};

use super::valgrind::{self, Counted};
use crate::failure::Failure;
use crate::selection::Selection;
use crate::sizes::Sizes;
use crate::tally::Tally;
use crate::workload::SEED;

/// The name of this benchmark.
const BENCH: &str = "instructions";

/// Set to anything but 0, to have counted nothing is an error and no skip.
const REQUIRED: &str = "COUNTS_REQUIRED";

/// Nothing was counted.
const UNCOUNTED: u8 = 2;

/// A benchmark was wrong.
const WRONG: u8 = 3;

/// A line of the registry.
#[derive(Clone, Copy, Debug)]
pub struct Scheduler {
    /// As in the registry.
    pub name: &'static str,
    /// Its benchmarks.
    pub benchmarks: &'static [Benchmark],
    /// Does what the process' arguments say: hands all its benchmarks to the runner, or is the run of
    /// one that the runner asked for.
    pub run: fn(),
}

/// One operation of a scheduler with so many tenants.
#[derive(Clone, Copy, Debug)]
pub struct Benchmark {
    /// The operation, as the benchmark's function is called.
    pub operation: &'static str,
    /// How many tenants.
    pub tenants: u32,
    /// Runs it without valgrind.
    pub audit: fn() -> Result<Audit, Failure>,
}

/// What a run without valgrind shows: that the work is right, and what it allocates.
#[derive(Clone, Copy, Debug)]
pub struct Audit {
    /// How many operations the batch is.
    pub operations: usize,
    /// What came out of it.
    pub tally: Tally,
    /// Blocks that it asked of the allocator, growing one included.
    pub allocations: usize,
    /// Bytes that it asked of the allocator.
    pub bytes: usize,
}

/// A benchmark that is to be counted.
struct Audited {
    scheduler: &'static str,
    benchmark: Benchmark,
    audit: Audit,
}

impl Audited {
    fn name(&self) -> String {
        name(self.scheduler, self.benchmark)
    }

    fn count(&self, counted: Counted) -> Count {
        let Tally { count, sum, order } = self.audit.tally;
        let parts = [count, sum, order].map(u64::to_le_bytes);
        Count {
            allocations: self.audit.allocations as u64,
            bytes: self.audit.bytes as u64,
            cycles: counted.cycles,
            instructions: counted.instructions,
            l1_hits: counted.l1_hits,
            ll_hits: counted.ll_hits,
            operations: self.audit.operations as u64,
            ram_hits: counted.ram_hits,
            work: Fingerprint::of(&parts.concat()).hex(),
        }
    }
}

fn name(scheduler: &str, benchmark: Benchmark) -> String {
    format!("{}/{scheduler}/{}", benchmark.operation, benchmark.tenants)
}

/// Does what the arguments and the environment say.
#[must_use]
pub fn main(schedulers: &[Scheduler]) -> ExitCode {
    let asked = asked_for();
    if let Some(scheduler) = schedulers
        .iter()
        .find(|known| asked.as_deref() == Some(known.name))
    {
        (scheduler.run)();
        return ExitCode::SUCCESS;
    }
    let selection = Selection::of(env::args().skip(1));
    let audited = match audit(schedulers, &selection) {
        Ok(audited) if audited.is_empty() => return uncounted(),
        Ok(audited) => audited,
        Err(failures) => {
            println!("{failures} benchmarks FAILED");
            return ExitCode::from(WRONG);
        }
    };
    println!("{} benchmarks are right: {BENCH}", audited.len());
    let sizes = Sizes::from_environment();
    if sizes.smoke {
        return uncounted();
    }
    if !valgrind::is_there() {
        println!(
            "{BENCH} SKIPPED: there is no valgrind; `apt-get install valgrind`, or your system's way"
        );
        return uncounted();
    }
    let environment = Environment::now(BENCH, SEED, false);
    match count(&audited).and_then(|counts| report(counts, environment)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// How it ends when nothing was counted: well, unless that was asked for.
fn uncounted() -> ExitCode {
    match env::var_os(REQUIRED) {
        Some(value) if value != "0" && !value.is_empty() => ExitCode::from(UNCOUNTED),
        _ => ExitCode::SUCCESS,
    }
}

/// The scheduler whose benchmarks this process is to hand to the runner, or to run one of.
fn asked_for() -> Option<String> {
    let mut arguments = env::args().skip(1);
    match arguments.next().as_deref() {
        Some("--iai-run") => arguments.next(),
        _ => env::var(valgrind::SCHEDULER).ok(),
    }
}

/// Runs what is selected without valgrind; how many were wrong, if any was.
fn audit(schedulers: &[Scheduler], selection: &Selection) -> Result<Vec<Audited>, usize> {
    let mut audited = Vec::new();
    let mut failures = 0;
    for scheduler in schedulers {
        for &benchmark in scheduler.benchmarks {
            let name = name(scheduler.name, benchmark);
            if !selection.has(&name) {
                continue;
            }
            match (benchmark.audit)() {
                Ok(audit) => audited.push(Audited {
                    scheduler: scheduler.name,
                    benchmark,
                    audit,
                }),
                Err(failure) => {
                    println!("{name} {failure}");
                    failures += 1;
                }
            }
        }
    }
    if failures == 0 {
        Ok(audited)
    } else {
        Err(failures)
    }
}

/// Counts under valgrind: each scheduler's benchmarks one after the other, as many schedulers at a
/// time as there are cores. Counts do not mind company.
fn count(audited: &[Audited]) -> Result<Counts, String> {
    match fs::remove_dir_all(valgrind::home()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(format!("{}: {error}", valgrind::home().display()));
        }
        _ => {}
    }
    let mut schedulers: Vec<&str> = audited.iter().map(|audited| audited.scheduler).collect();
    schedulers.dedup();
    let waiting = Mutex::new(schedulers.into_iter());
    let next = || waiting.lock().ok()?.next();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let work = || {
            while let Some(scheduler) = next() {
                valgrind::count(scheduler)?;
                println!("counted: {scheduler}");
            }
            Ok::<(), String>(())
        };
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let mut done = workers.into_iter().map(thread::ScopedJoinHandle::join);
        done.try_for_each(|joined| joined.map_err(|_| "a worker panicked".to_owned())?)
    })?;
    let read = audited.iter().map(|audited| {
        let Benchmark {
            operation, tenants, ..
        } = audited.benchmark;
        let counted = valgrind::read(audited.scheduler, operation, tenants)?;
        Ok((audited.name(), audited.count(counted)))
    });
    read.collect()
}

fn report(counts: Counts, mut environment: Environment) -> Result<(), String> {
    println!("\n{}", page(&counts).text());
    environment.after = Load::now();
    let run = Run {
        environment,
        cells: Vec::new(),
        memory: Vec::new(),
        contended: Vec::new(),
        counts,
    };
    let path = runs::leave(BENCH, &run).map_err(|error| format!("the results: {error}"))?;
    println!("these tables as data: {}", path.display());
    Ok(())
}

/// A line for each benchmark.
fn page(counts: &Counts) -> Page {
    let headings = [
        "benchmark",
        "instructions",
        "cycles",
        "allocations",
        "bytes",
    ];
    let title = "Counted, for one operation";
    let mut table = Table::of_figures(title, headings.map(str::to_owned));
    for (name, count) in counts {
        table.row([
            name.clone(),
            format!("{:.1}", count.each(count.instructions)),
            format!("{:.1}", count.each(count.cycles)),
            format!("{:.4}", count.each(count.allocations)),
            format!("{:.1}", count.each(count.bytes)),
        ]);
    }
    table.note(
        "cycles are estimated from cache hits: 1 in the first cache, 5 in the last, 35 in memory",
    );
    table.into()
}
