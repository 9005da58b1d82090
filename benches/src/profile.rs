//! `--profile-time`: samples stacks while criterion runs a benchmark, and leaves a flamegraph.
//!
//! This is criterion's own hook over pprof; pprof's ready-made one is for an older criterion.

use std::path::Path;

use criterion::profiler::Profiler;
use harness::flame::{SAMPLES_MIN, Stacks, folder, of_benchmark, write_index};
use pprof::ProfilerGuard;

/// How often a second the stack is asked for. Kernels with a coarse clock answer less often: the number
/// of samples is printed.
const FREQUENCY: i32 = 997;

/// Whether this process profiles, and so times nothing.
#[must_use]
pub fn is_profiling() -> bool {
    std::env::args().any(|argument| argument.starts_with("--profile-time"))
}

/// Samples one benchmark after the other.
#[allow(missing_debug_implementations)] // the guard is pprof's
#[derive(Default)]
pub struct Sampler {
    guard: Option<ProfilerGuard<'static>>,
}

impl Profiler for Sampler {
    fn start_profiling(&mut self, _: &str, _: &Path) {
        match ProfilerGuard::new(FREQUENCY) {
            Ok(guard) => self.guard = Some(guard),
            Err(error) => println!("\nno profile: {error}"),
        }
    }

    fn stop_profiling(&mut self, benchmark: &str, _: &Path) {
        let Some(guard) = self.guard.take() else {
            return;
        };
        if let Err(why) = keep(&guard, benchmark) {
            println!("\nno flamegraph of {benchmark}: {why}");
        }
    }
}

fn keep(guard: &ProfilerGuard<'_>, benchmark: &str) -> Result<(), String> {
    let report = guard.report().build().map_err(|error| error.to_string())?;
    let mut stacks = Stacks::default();
    for (frames, count) in &report.data {
        // From the outermost on; a frame is a function and all that were inlined into it.
        let outermost_first = frames
            .frames
            .iter()
            .rev()
            .flat_map(|frame| frame.iter().rev());
        let names: Vec<String> = outermost_first.map(pprof::Symbol::name).collect();
        stacks.add(
            names.iter().map(String::as_str),
            u64::try_from(*count).unwrap_or(0),
        );
    }
    let profile = of_benchmark(&folder(), benchmark);
    profile.write(&stacks).map_err(|error| error.to_string())?;
    write_index(&folder()).map_err(|error| error.to_string())?;
    let (samples, outside) = (stacks.samples(), stacks.outside());
    let picture = profile.picture.display();
    println!("\n{samples} samples in the timed loops ({outside} outside are not shown): {picture}");
    if samples < SAMPLES_MIN {
        println!(
            "warning: under {SAMPLES_MIN} samples, small frames mean nothing: profile for longer"
        );
    }
    Ok(())
}
