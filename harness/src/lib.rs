//! The lab: the same schedulers under the same workloads, in simulated time and with real workers.
//!
//! Data flows one way, and each arrow is a function that reads only what stands left of it:
//! scenario -> [`trace`] -> [`drive`] -> [`log`] -> [`measure`] -> [`record`] -> [`report`]. Generation is pure and seeded;
//! measuring is pure over trace and log, so simulated and real runs share it.

#![allow(clippy::missing_panics_doc)] // an `expect` states an invariant that no caller can break

pub mod command;
pub mod drive;
pub mod flame;
pub mod gate;
pub mod laws;
pub mod log;
pub mod measure;
pub mod paired;
pub mod record;
pub mod report;
pub mod scenario;
pub mod scheduler;
pub mod shape_check;
pub mod shared_pool;
pub mod tail;
pub mod trace;
pub mod verify;
