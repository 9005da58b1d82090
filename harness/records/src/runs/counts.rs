//! Counts: what a batch of one operation took, as valgrind and the allocator counted it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::number::real;

/// The counts of each benchmark, by its name: `operation/scheduler/tenants`.
pub type Counts = BTreeMap<String, Count>;

/// What one batch of operations took. Fields in the order of the alphabet, as they are written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Count {
    /// Blocks asked of the allocator, growing one included.
    pub allocations: u64,
    /// Bytes asked of the allocator.
    pub bytes: u64,
    /// Estimated cycles: a hit in the first cache is one, in the last five, in memory 35.
    pub cycles: u64,
    /// Instructions executed.
    pub instructions: u64,
    /// Reads and writes served by the first cache, instructions included.
    pub l1_hits: u64,
    /// Those served by the last cache.
    pub ll_hits: u64,
    /// How many operations the batch is.
    pub operations: u64,
    /// Those served by memory.
    pub ram_hits: u64,
    /// Fingerprint of what came out, and in which order: batches of other work are not compared.
    pub work: String,
}

impl Count {
    /// A count of the whole batch, for one operation.
    #[must_use]
    pub fn each(&self, of_batch: u64) -> f64 {
        real(of_batch) / real(self.operations)
    }
}
