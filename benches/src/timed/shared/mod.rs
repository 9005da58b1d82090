//! Many threads at one queue.
//!
//! The same order of things as with one thread: a contender is first run under audit, by the loops that
//! will be timed, and every timed run closes its books. What is new is when a sample counts: each
//! thread is pinned and reads the clock itself, and unless all were at the queue for nine tenths of
//! the time, the sample is void.

pub mod contender;
pub mod floors;
pub mod interval;
pub mod keyed;
pub mod ledger;
pub mod numbers;
pub mod plan;
pub mod round;
pub mod signals;
pub mod stage;
pub mod trial;
pub mod witness;
pub mod worker;
