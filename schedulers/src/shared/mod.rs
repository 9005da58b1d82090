//! Owned queues made shared.

mod locked;

pub use locked::Locked;
