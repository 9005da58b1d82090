//! Tenants by name.

mod owned;
mod refusal;
mod roster;
#[cfg(feature = "keyed")]
mod shared;

pub use owned::{Keyed, KeyedTicket};
pub use refusal::{KeyedRefusal, TooManyTenants};
#[cfg(feature = "keyed")]
pub use shared::{KeyedJob, SharedKeyed, SharedKeyedTicket};
