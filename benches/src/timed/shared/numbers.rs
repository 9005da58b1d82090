//! Jobs by number: who pushed one, and how many that thread had pushed before.

use crate::workload::Job;

/// A job's number begins with that of the thread that pushes it.
const PRODUCER_SHIFT: u32 = 40;

/// The first job of a thread.
#[must_use]
pub const fn first_job(producer: u64) -> Job {
    producer << PRODUCER_SHIFT
}

/// Who pushed a job.
#[must_use]
pub const fn producer(job: Job) -> u64 {
    job >> PRODUCER_SHIFT
}

/// How many the same thread had pushed before.
#[must_use]
pub const fn number(job: Job) -> u64 {
    job & (first_job(1) - 1)
}
