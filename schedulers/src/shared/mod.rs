//! Owned queues made shared.

mod lock_free;
mod locked;

pub use lock_free::{Deficits, LockFree, Turns};
pub use locked::Locked;
