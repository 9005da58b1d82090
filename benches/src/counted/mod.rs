//! Counted instead of timed: instructions, cache hits and allocations of single operations.
//!
//! Counts repeat where times drift, so a rise of one percent can be told from none. They are taken of
//! one thread, with every hash seeded; what several threads do to each other is left to wall time.

mod operation;
mod prepared;

pub use operation::Operation;
pub use prepared::Prepared;
