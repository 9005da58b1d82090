//! Counted instead of timed: instructions, cache hits and allocations of single operations.
//!
//! Counts repeat where times drift, so a rise of one percent can be told from none. They are taken of
//! one thread, with every hash seeded; what several threads do to each other is left to wall time.
//!
//! Allocations are counted by the allocator, in a run of the same code without valgrind: its tool for
//! them, DHAT, would run every benchmark once more for two numbers that need no simulation.

mod batch;
mod operation;
mod prepared;
mod session;
mod valgrind;

use std::env;

use iai_callgrind::LibraryBenchmarkConfig;

pub use operation::Operation;
pub use prepared::Prepared;
pub use session::{Audit, Benchmark, Scheduler, main};

/// How valgrind is run: with the runner's own cache sizes, the same on every machine, and with nothing of
/// the environment, whose size would move the stack. Where it was started valgrind tells all the same: what
/// is padded here is equally long in every folder.
#[must_use]
pub fn configuration() -> LibraryBenchmarkConfig {
    let folder = env::current_dir().unwrap_or_default();
    let mut configuration = LibraryBenchmarkConfig::default();
    configuration.env("COUNTED_PADDING", valgrind::padding(folder.as_os_str()));
    #[cfg(feature = "self-test")]
    configuration.pass_through_env(crate::fault::VARIABLE);
    configuration
}
