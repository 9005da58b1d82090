//! Scenarios: what is asked.

mod noisy_burst;

pub use noisy_burst::{NOISY, NoisyBurst};
