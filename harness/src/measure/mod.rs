//! Measures: pure functions of a trace and a log, the same for simulated and real runs.

mod distribution;
mod entitlement;
mod idle;
mod lag;
mod ledger;
mod spread;
mod verdict;
mod waits;

pub use distribution::Distribution;
pub use entitlement::{Entitlement, Window, entitlement};
pub use idle::{Idle, idle};
pub use lag::{LAG_TENANTS_MAX, largest_lag};
pub use ledger::{Ledger, Tally};
pub use spread::Spread;
pub use verdict::{Asked, Change, Heaviest, Shares, Stretch, Verdict, verdict};
pub use waits::Waits;
