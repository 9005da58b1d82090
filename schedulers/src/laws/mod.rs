//! The laws that every scheduler holds: a test kit for those of the registry and for your own.
//!
//! A law is a function of a [`Subject`]: it builds the queue, works it, and returns a [`Violation`]
//! that says what was expected, what was seen, by which operations, and how to replay it.
//!
//! ```
//! use schedulers::laws::{Subject, check_all};
//! # use schedulers::{TenantQueue, discipline::ActiveList};
//! # type MyQueue<J> = TenantQueue<ActiveList, J>;
//!
//! let subject = Subject { name: "my_queue", new: |settings| Box::new(MyQueue::new(settings)) };
//! if let Err(violation) = check_all(&subject) {
//!     panic!("{violation}");
//! }
//! ```
//!
//! A queue with many owners is wrapped in [`Lowered`](crate::Lowered). What the laws compare with is the [`Ledger`],
//! which is told what a queue answered and knows what it should have answered; [`Naive`] is the
//! ledger as a queue, and holds the laws too. [`check_same`] compares the order of two schedulers,
//! and [`check_memory`] needs an allocator that counts, so neither is among [`LAWS`].
//!
//! Random operations come from a fixed seed. `LAWS_OPERATIONS` makes each random law run longer, and
//! `LAWS_SEED` runs other sequences, or those that failed somewhere else.

mod aspects;
mod batches;
mod books;
mod cancels;
mod closing;
mod effort;
mod extremes;
mod fairness;
mod law;
mod ledger;
mod live;
mod memory;
mod naive;
mod operation;
mod random;
mod releases;
mod run;
mod same;
mod stage;
mod tally;
mod threads;
mod tickets;
mod waking;
mod windows;

pub use effort::Effort;
pub use law::{Breach, Law, Subject, Violation};
pub use ledger::{Ledger, Waiting};
pub use memory::check_memory;
pub use naive::Naive;
pub use same::check_same;
pub use tally::Tally;
pub use threads::{SHARED_LAWS, SharedLaw, SharedSubject, check_all_shared};

/// A job of the laws: how many jobs its queue had accepted before it.
pub type Job = u64;

/// Every law. The more elementary ones come first, so that the first to fail names the fault.
pub const LAWS: &[Law] = &[
    aspects::EXACTLY_ONCE,
    aspects::ORDER_WITHIN_TENANT,
    aspects::WORK_CONSERVING,
    aspects::ONLY_THE_ELIGIBLE,
    aspects::REFUSALS,
    aspects::CANCELLATION,
    aspects::COUNTERS,
    same::IDLE_CALLS_CHANGE_NOTHING,
    batches::BATCHES_ARE_SINGLE_CALLS,
    releases::RELEASE_CHANGES_NOTHING,
    closing::CLOSE_KEEPS_WHAT_WAITS,
    tickets::FOREIGN_IDS_CANCEL_NOTHING,
    tickets::FOREIGN_TICKETS_PANIC,
    live::LIMITS_REACH_QUEUED_WORK,
    extremes::EXTREMES,
    fairness::LAG_WITHIN_BOUND,
    fairness::FLUID_SHARES,
    cancels::CANCELS_KEEP_THE_SHARES,
    live::WEIGHTS_REACH_QUEUED_WORK,
    waking::IDLENESS_EARNS_NO_HOARD,
    waking::WAKING_COSTS_NO_PENALTY,
    books::SETTLED_COSTS_KEEP_THE_BOOKS,
];

/// Holds a scheduler to every law, and gives the number of operations that it went through.
///
/// # Errors
///
/// The first law that it breaks.
pub fn check_all(subject: &Subject) -> Result<u64, Box<Violation>> {
    let effort = Effort::from_environment();
    LAWS.iter().map(|law| law.check(subject, &effort)).sum()
}
