//! Wall time, next to floors of the same run.
//!
//! A *contender* is a scheduler of the registry or a floor. In each *state* it is driven by loops that are
//! compiled once for it, over a workload made from a seed before the clock starts. First the same loops
//! drive it under audit; only a contender that answers as a queue must is timed.

pub mod admission;
pub mod azure;
pub mod clock;
pub mod contender;
pub mod driver;
pub mod floors;
pub mod memory;
pub mod oracle;
pub mod paired;
pub mod profile;
pub mod round;
pub mod session;
pub mod shared;
pub mod state;
pub mod trial;
