//! Scenarios: what is asked, and what the answer should be.

mod expectation;
mod file;
mod noisy_burst;
mod replay;

pub use expectation::differences;
pub use file::{Expectation, Kind, Names, Parameters, Scenario, scenario_directory};
pub use noisy_burst::{NOISY, NoisyBurst};
pub use replay::{Replay, workers_for};
