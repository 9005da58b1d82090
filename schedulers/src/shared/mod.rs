//! Owned queues made shared, and shared queues made to wait.

mod due_shards;
mod gate;
mod lock_free;
mod locked;
mod paced;
mod placement;
mod room;
mod sharded;
mod under_lock;
#[cfg(feature = "waiting")]
mod waiting;

pub use lock_free::{Deficits, LockFree, Turns};
pub use locked::Locked;
pub use paced::Paced;
pub use placement::{Shards, ShardsOutOfRange};
pub use sharded::Sharded;
#[cfg(feature = "waiting")]
pub use waiting::{Closed, Waiting};
