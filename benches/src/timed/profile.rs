//! `--profile-time`: samples stacks while criterion runs a benchmark, and leaves a flamegraph.
//!
//! This is criterion's own hook over pprof; pprof's ready-made one is for an older criterion.
//!
//! pprof counts stacks by the functions in them, not by the instructions: of all samples that it takes
//! for alike, it keeps the place of the first. Everything that is hot here is inlined into one loop, so
//! thousands of samples would all be drawn at one place in it. So every batch is called on a path of its
//! own ([`Paths`]), which makes its stack another one.

use std::hint::black_box;
use std::path::Path;

use criterion::profiler::Profiler;
use harness::flame::{NO_PROFILE, SAMPLES_MIN, Stacks, folder, of_benchmark, write_index};
use pprof::ProfilerGuard;

/// How often a second the stack is asked for. Kernels with a coarse clock answer less often: the number
/// of samples is printed.
const FREQUENCY: i32 = 997;

/// How many functions make a path; there are two to the power of it.
const PATH: u32 = 13;

/// Calls one thing after the other, each on a path of its own; where nothing is profiled, directly.
#[derive(Clone, Debug)]
pub struct Paths {
    is_profiling: bool,
    /// The number of the next path.
    next: usize,
}

impl Paths {
    /// None was taken yet.
    #[must_use]
    #[allow(clippy::new_without_default)] // it looks at the command line
    pub fn new() -> Self {
        Self {
            is_profiling: is_profiling(),
            next: 0,
        }
    }

    /// Calls it on the next path.
    ///
    /// # Panics
    ///
    /// Never: every path ends with the call.
    pub fn call<T>(&mut self, run: impl FnOnce() -> T) -> T {
        if !self.is_profiling {
            return run();
        }
        self.next += 1;
        let (mut run, mut result) = (Some(run), None);
        step(self.next, PATH, &mut || {
            result = run.take().map(|run| run());
        });
        result.expect("a path ends with the call")
    }
}

fn step(number: usize, left: u32, run: &mut dyn FnMut()) {
    match (left, number % 2) {
        (0, _) => run(),
        (_, 0) => even(number / 2, left - 1, run),
        _ => odd(number / 2, left - 1, run),
    }
}

#[inline(never)]
fn even(number: usize, left: u32, run: &mut dyn FnMut()) {
    step(number, left, run);
    black_box(0); // something is left to do here, and another thing than in `odd`: so both are called
}

#[inline(never)]
fn odd(number: usize, left: u32, run: &mut dyn FnMut()) {
    step(number, left, run);
    black_box(1);
}

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
            Err(error) => println!("\n{NO_PROFILE}: {error}"),
        }
    }

    fn stop_profiling(&mut self, benchmark: &str, _: &Path) {
        let Some(guard) = self.guard.take() else {
            return;
        };
        if let Err(why) = keep(&guard, benchmark) {
            println!("\n{NO_PROFILE} of {benchmark}: {why}");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_ends_with_the_call_whatever_its_number() {
        let mut paths = Paths {
            is_profiling: true,
            next: 0,
        };
        let called: Vec<u32> = (0..100).map(|number| paths.call(|| number)).collect();
        assert_eq!((called, paths.next), ((0..100).collect(), 100));
    }
}
