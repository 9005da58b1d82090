//! A trace file as a scenario: which one, how it is read, and the pool that serves it.

use std::path::PathBuf;

use schedulers::Limits;
use schedulers::admission::RateLimit;
use serde::Deserialize;

use crate::drive::Pool;
use crate::trace::{ReadOptions, Source, Trace, read};
use records::error::BadInput;

/// The highest offered load of a pool whose size nobody chose.
const LOAD_MAX: f64 = 0.8;

/// What a scenario file says about a replay.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// The trace, relative to the scenario's file.
    pub file: PathBuf,
    /// Of everything that is drawn.
    #[serde(default)]
    pub seed: u64,
    /// See [`ReadOptions::lenient`].
    #[serde(default)]
    pub lenient: bool,
    /// See [`ReadOptions::zipf_tenants`].
    pub zipf_tenants: Option<u32>,
    /// See [`workers_for`].
    pub workers: Option<u32>,
    /// The cap of every tenant; none where absent.
    pub in_flight_max: Option<u32>,
    /// The backlog limit of every tenant; none where absent.
    pub backlog_max: Option<u32>,
    /// What every tenant is held to before it reaches the queue; nothing where absent.
    pub rate_limit: Option<RateLimit>,
}

impl Replay {
    /// Reads the trace.
    ///
    /// # Errors
    ///
    /// As [`read`].
    pub fn source(&self) -> Result<Source, BadInput> {
        let defaults = ReadOptions::default();
        let options = ReadOptions {
            lenient: self.lenient,
            seed: self.seed,
            zipf_tenants: self.zipf_tenants.unwrap_or(defaults.zipf_tenants),
            ..defaults
        };
        read(&self.file, &options)
    }

    /// The pool that serves it.
    #[must_use]
    pub fn pool(&self, trace: &Trace) -> Pool {
        Pool {
            workers: self.workers.unwrap_or_else(|| workers_for(trace)),
            limits: Limits {
                in_flight_max: self.in_flight_max.unwrap_or(u32::MAX),
                backlog_max: self.backlog_max.unwrap_or(u32::MAX),
                ..Limits::default()
            },
            rate_limit: self.rate_limit,
        }
    }
}

/// As few workers as keep the offered load at or below 0.8, and no more than there are jobs: that
/// many a burst at one instant would ask for.
#[must_use]
pub fn workers_for(trace: &Trace) -> u32 {
    let workers = records::number::round((trace.offered_load(1) / LOAD_MAX).ceil());
    let jobs = trace.jobs().len() as u64;
    u32::try_from(workers.clamp(1, jobs)).expect("JOBS_MAX is below 2^32")
}
