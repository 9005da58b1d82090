//! Records: what a run comes to, in the stable form that `--json` prints.
//!
//! Every document has `schema_version` ([`SCHEMA_VERSION`]) and `verb`. Fields are added freely; one
//! is renamed, removed or given another meaning only with another version. Times are integer
//! microseconds, shares are reals from 0 to 1, and `null` means that nothing was observed.

mod burst;
mod pool;
mod replay;
mod run;
mod tenant;

pub use burst::{BurstRecord, StrategyRecord};
pub use pool::{PoolRecord, PoolTenantRecord, RankRecord};
pub use replay::{ReplayRecord, ReplayRow};
pub use run::RunRecord;
pub use tenant::{TenantRecord, top_tenants};

/// The version of every JSON document of the lab.
pub const SCHEMA_VERSION: u32 = 1;
