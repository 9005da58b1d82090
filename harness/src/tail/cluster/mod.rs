//! Several servers in simulated time, each with a queue of the library and workers of its own.
//!
//! `workload` says which requests come, when, and what each needs of which server; `policy` where its
//! leaves are sent; `simulate` plays it on any scheduler of the registry. The workload is drawn
//! before the run, so every policy and every scheduler meets the same requests.

mod policy;
mod simulate;
#[cfg(test)]
mod tests;
mod workload;

pub use policy::Policy;
use schedulers::{Quantum, Settings};
use serde::Serialize;
pub(super) use workload::{LeafOf, Workload, check_size, check_span, exponential, exponential_us};

use crate::scheduler::Scheduler;

/// The servers, and how a client reaches them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cluster {
    pub(super) servers: u32,
    /// Of each server.
    pub(super) workers: u32,
    pub(super) scheduler: Scheduler,
    pub(super) settings: Settings,
    /// What any message takes: a job to its server, its answer back, and a cancellation.
    pub(super) message_us: u64,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    /// Of each measured request, from its arrival to the answer of its last leaf.
    pub(super) took_us: Vec<u64>,
    pub(super) tally: Tally,
}

/// What it cost to serve the measured requests.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct Tally {
    /// Leaves that were needed.
    pub leaves: u64,
    /// Copies sent, at least one for each leaf.
    pub sent: u64,
    /// Copies that were cancelled while they waited or were on their way.
    pub cancelled: u64,
    /// Copies that ran although another copy of the same leaf ran too.
    pub ran_twice: u64,
    /// Server time that was spent on those, as a share of what was spent on all copies.
    pub wasted_share: f64,
    /// The most jobs, anybody's, that waited or ran on one server at once.
    pub jobs_on_a_server_max: u64,
}

/// Settings without limits, in which a job of the usual length is a turn.
pub(super) fn settings(service_us: u64) -> Settings {
    let usual = u32::try_from(service_us)
        .ok()
        .and_then(|us| Quantum::new(us).ok());
    Settings {
        quantum: usual.unwrap_or(Quantum::UNIT),
        ..Settings::default()
    }
}
