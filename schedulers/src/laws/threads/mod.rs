//! The laws under threads: what a queue with many owners holds while all of them use it at once.
//!
//! Threads come and go as the machine pleases, so these laws find a race with some luck and never
//! blame a queue without one. The models in `tests/models` leave nothing to luck, at tiny sizes.

mod closing;
mod pool;
mod shares;
mod storm;

use std::fmt;

use super::law::{Breach, Violation, judge};
use super::{Effort, Job};
use crate::{Settings, SharedFairQueue};

/// A queue with many owners, under the laws.
#[derive(Clone, Copy)]
pub struct SharedSubject {
    /// What it is called in a [`Violation`].
    pub name: &'static str,
    /// Builds an empty queue.
    pub new: fn(&Settings) -> Box<dyn SharedFairQueue<Job>>,
}

impl fmt::Debug for SharedSubject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// A law of queues with many owners, and how it is checked.
#[derive(Clone, Copy, Debug)]
pub struct SharedLaw {
    /// Its name.
    pub name: &'static str,
    /// What every scheduler must do.
    pub statement: &'static str,
    /// Gives the number of operations that were checked.
    verify: fn(&SharedSubject, &Effort) -> Result<u64, Breach>,
}

/// Every law under threads. The more elementary ones come first.
pub const SHARED_LAWS: &[SharedLaw] = &[
    pool::EXACTLY_ONCE_UNDER_THREADS,
    storm::CAPS_AND_CANCELS_UNDER_THREADS,
    closing::CLOSE_UNDER_THREADS,
    closing::RECLAIM_UNDER_THREADS,
    shares::SHARES_UNDER_THREADS,
];

impl SharedLaw {
    /// Holds one scheduler to this law, and gives the number of operations that were checked. A panic
    /// breaks the law too.
    ///
    /// # Errors
    ///
    /// What the scheduler did instead.
    pub fn check(&self, subject: &SharedSubject, effort: &Effort) -> Result<u64, Box<Violation>> {
        let law = (self.name, self.statement);
        judge(law, subject.name, effort, |effort| {
            (self.verify)(subject, effort)
        })
    }
}

/// Holds a queue with many owners to every law under threads, and gives the number of operations.
///
/// # Errors
///
/// The first law that it breaks.
pub fn check_all_shared(subject: &SharedSubject) -> Result<u64, Box<Violation>> {
    let effort = Effort::from_environment();
    SHARED_LAWS
        .iter()
        .map(|law| law.check(subject, &effort))
        .sum()
}
