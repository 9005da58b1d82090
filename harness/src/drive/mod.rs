//! Drivers: a trace and a queue in, a log out.

mod calendar;
mod clients;
mod rate_gate;
mod real;
mod server;
mod simulated;
mod tasks;
mod threads;

pub(crate) use calendar::Calendar;
pub use clients::Retry;
pub(crate) use rate_gate::RateGate;
pub use real::SharedQueue;
use schedulers::admission::RateLimit;
use schedulers::{Limits, Quantum, Settings};
pub(crate) use server::{Server, Started};
pub use simulated::{simulate, simulate_with_clients};
pub use tasks::run_tasks;
pub use threads::run_threads;

use crate::trace::Trace;

/// The pool that serves a trace, and the limits that hold for every tenant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pool {
    /// How many jobs can run at once; at least 1.
    pub workers: u32,
    /// Cap and backlog limit of every tenant.
    pub limits: Limits,
    /// What each tenant is held to in front of the queue, if anything.
    pub rate_limit: Option<RateLimit>,
}

impl Pool {
    /// What a queue for this trace is built with. The quantum is the trace's mean cost.
    #[must_use]
    pub fn settings(&self, trace: &Trace) -> Settings {
        Settings {
            tenants_max: u32::try_from(trace.tenants()).expect("TENANTS_MAX is below 2^32"),
            limits: self.limits,
            quantum: Quantum::new(trace.cost_mean()).expect("a mean cost is at least 1"),
            ..Settings::default()
        }
    }
}
