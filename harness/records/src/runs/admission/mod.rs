//! What a rate limiter costs beside its peer: the records, and their tables.

pub(super) mod figures;
mod record;
mod tables;

pub use record::{AdmissionRun, Beside, Checked, Demand, LAYERS, LIMITER, PEER, Weighed};
pub use tables::{ADMISSION_TABLES, admission_tables};
