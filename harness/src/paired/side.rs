//! What takes turns, and the words in which another process is asked to.

use std::fmt;

use serde::{Deserialize, Serialize};

use records::error::BadInput;

/// One side of a comparison: a queue that can be built, run for a while, and closed.
///
/// Built with the same number of batches, it does the same work in every block.
pub trait Side {
    /// Makes a new queue; each run of it is so many batches.
    ///
    /// # Errors
    ///
    /// It cannot be had.
    fn build(&mut self, batches: u64) -> Result<(), Fault>;

    /// Runs it, and times nothing but the batches.
    ///
    /// # Errors
    ///
    /// It answered as no queue may.
    fn run(&mut self) -> Result<Sample, Fault>;

    /// Closes the books: every job pushed was taken, or is still there, once.
    ///
    /// # Errors
    ///
    /// A job was lost or came twice.
    fn close(&mut self) -> Result<(), Fault>;
}

/// What one run took, and what it did.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sample {
    /// As the clock said, the bare loop included.
    pub elapsed_ns: f64,
    /// How many operations.
    pub operations: u64,
    /// How many jobs came out.
    pub jobs: u64,
    /// Of which jobs came out, in which order.
    pub checksum: u64,
}

impl Sample {
    /// Nanoseconds an operation.
    #[must_use]
    pub fn ns(&self) -> f64 {
        self.elapsed_ns / records::number::real(self.operations)
    }
}

/// Why there is no number.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// A side was wrong, or did not do what the other did. A failure.
    Wrong(String),
    /// There was no way to measure.
    Unmeasured(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrong(reason) => write!(formatter, "wrong: {reason}"),
            Self::Unmeasured(reason) => write!(formatter, "not measured: {reason}"),
        }
    }
}

impl std::error::Error for Fault {}

/// Without what is to be read or built there is no way to measure.
impl From<BadInput> for Fault {
    fn from(error: BadInput) -> Self {
        Self::Unmeasured(error.to_string())
    }
}

/// What a process with sides is told, a JSON line each. Sides are counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Build this side, with so many batches a run.
    Build(usize, u64),
    /// Run this side.
    Run(usize),
    /// Close this side.
    Close(usize),
}

/// What it answers, a JSON line each, beginning with [`Reply::Ready`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// Every side passed its audit.
    Ready(Ready),
    /// Built, or closed.
    Done,
    /// Run.
    Ran(Sample),
    /// Could not.
    Fault(Fault),
}

/// What a process says about itself before it takes orders.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ready {
    /// The core it is pinned to.
    pub affinity: String,
    /// Of each side: how many batches make a run long enough to be timed, and short enough to wait for.
    pub batches: Vec<u64>,
    /// Of each side: the fingerprint of its workload.
    pub workloads: Vec<String>,
}
