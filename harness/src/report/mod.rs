//! Reports: records as pages that people read.

mod burst;
mod compare;
mod csv_rows;
mod gate;
mod pair;
mod pool;
mod published;
mod replay;
mod run;
mod strategies;
mod verify;

pub use burst::{burst_page, burst_study};
pub use compare::compare_page;
pub use csv_rows::csv_rows;
pub use gate::{gate_page, self_test_page};
pub use pair::pair_page;
pub use pool::{pool_page, pool_study};
pub use replay::replay_page;
pub use run::run_page;
pub use strategies::strategies_page;
pub use verify::verify_page;
