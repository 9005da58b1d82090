//! Owned queues made shared, and shared queues made to wait.

mod locked;
#[cfg(feature = "waiting")]
mod waiting;

pub use locked::Locked;
#[cfg(feature = "waiting")]
pub use waiting::{Closed, Waiting};
