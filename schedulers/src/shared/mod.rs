//! Owned queues made shared.

mod due_shards;
mod gate;
mod locked;
mod paced;
mod placement;
mod room;
mod sharded;
mod under_lock;

pub use locked::Locked;
pub use paced::Paced;
pub use placement::{Shards, ShardsOutOfRange};
pub use sharded::Sharded;
