//! What each fair queue costs, measured side by side and checked before it is timed.
//!
//! A *contender* is a scheduler of the registry or a floor. In each *state* it is driven by loops
//! that are compiled once for it, over a workload made from a seed before the clock starts. First
//! the same loops drive it under audit; only a contender that answers as a queue must is timed.
//!
//! | To add | Touch |
//! |---|---|
//! | a scheduler | nothing here: a line in the registry of `schedulers` is enough |
//! | a floor | [`floors`], and a line in [`contender::for_each_contender`] |
//! | a floor of many threads | [`shared::floors`], and a line in [`shared::contender::for_each_shared_contender`] |
//! | a state | its words in [`harness::runs::State`], its workload and its batch in [`state::Driven`] |

pub mod admission;
pub mod azure;
pub mod clock;
pub mod contender;
pub mod costs;
pub mod counted;
pub mod driver;
pub mod failure;
#[cfg(feature = "self-test")]
pub mod fault;
pub mod floors;
pub mod memory;
pub mod oracle;
pub mod paired;
pub mod profile;
pub mod round;
pub mod session;
pub mod shared;
pub mod sizes;
pub mod state;
pub mod tally;
pub mod trial;
pub mod workload;
