//! What benchmarks record, and how it is kept, compared and shown.
//!
//! The ground under the lab and the benchmarks, so that what counts instructions builds in a fraction of
//! the time that the lab takes. Nothing here measures: [`runs`] are data, [`page`] and [`cell`] are how
//! people read them.

#![allow(clippy::missing_panics_doc)] // an `expect` states an invariant that no caller can break

pub mod cell;
pub mod error;
pub mod number;
pub mod page;
pub mod rank;
pub mod runs;
