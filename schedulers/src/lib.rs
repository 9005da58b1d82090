//! Fair queues.

mod bitmap;
pub mod discipline;
mod identity;
mod lag;
mod lanes;
#[cfg(feature = "laws")]
pub mod laws;
mod queue;
mod refusal;
mod registry;
mod settings;
mod shared;
mod slab;
mod tenant;
mod tenant_queue;
mod tiers;

pub use identity::{Identity, JobId, Ticket};
pub use lag::{LagMax, Share};
pub use lanes::{Head, Lanes, Standing};
pub use queue::{FairQueue, SharedFairQueue, Taken};
pub use refusal::{Refusal, Refused, UnknownTenant};
pub use settings::{Quantum, QuantumZero, Settings};
pub use shared::Locked;
pub use tenant::{Cost, Limits, Tenant, Weight, WeightOutOfRange};
pub use tenant_queue::TenantQueue;
