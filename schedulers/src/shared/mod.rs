//! Owned queues made shared.

mod lock_free;
mod locked;

pub use lock_free::LockFree;
pub use locked::Locked;
