//! What many threads at one queue found: the records, and their tables.

mod aims;
mod record;
mod tables;

pub use record::{Contended, SHARED_FLOOR, Shape, Wait, compare_with_shared_floor};
pub(super) use tables::tables;
