//! The gate: whether the working tree became slower, with evidence, and never a pass for want of it.
//!
//! In this order: the laws hold; no count rose beyond its limit, against the baseline that is committed
//! for this platform or against another commit, built here; no paired time rose beyond its own. What
//! cannot be measured does not pass. A rise comes with the functions it is in.

pub mod baseline;
pub mod cause;
pub mod compare;
pub mod counting;
pub mod platform;
mod request;
pub mod self_test;
mod steps;
mod times;

pub use request::{Against, Kind, Report, Request};
pub use steps::run;
