//! Records of runs: what a benchmark found and on what machine, kept for good, and compared.
//!
//! The benchmarks write these records; here they are archived, turned into tables and spliced into the
//! README. Nothing here measures.

mod admission;
mod archive;
mod build;
mod comparable;
mod compare;
mod contention;
mod counts;
mod distinct;
mod environment;
mod figure;
mod fingerprint;
mod json;
mod places;
mod results;
mod splice;
mod stamp;
mod state;
mod statistics;
mod tables;
mod toolchain;

pub use admission::{
    ADMISSION_TABLES, AdmissionRun, Beside, Checked, Demand, LAYERS, LIMITER, PEER, Weighed,
    admission_tables,
};
pub use archive::{FLAMEGRAPHS, figures, keep, latest, leave, nothing_in, read, read_admission};
pub use build::Build;
pub use comparable::{Difference, Measured};
pub use compare::{Change, Compared, Comparison, THRESHOLD_MAX};
pub use contention::{Contended, SHARED_FLOOR, Shape, Wait, compare_with_shared_floor};
pub use counts::{Count, Counts};
pub use environment::{Environment, Load};
pub use figure::{Figure, Figures, Standing, Unit};
pub use fingerprint::Fingerprint;
pub use json::read_json;
pub use places::{kept_runs, last_run, root, target};
pub use results::{
    Cell, FLOOR, Grid, Memory, Outcome, PER_JOB_MAX, PER_TENANT_MAX, Run, Timed, compare_with_floor,
};
pub use splice::{has_marker, splice};
pub use stamp::Stamp;
pub use state::State;
pub use statistics::{growth_exponent, median, per_mille, percentile};
pub use tables::{Named, of_run, tables};
pub use toolchain::Toolchain;
