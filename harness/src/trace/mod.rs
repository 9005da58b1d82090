//! What arrives: jobs in arrival order, each of a tenant.
//!
//! Every driver takes a [`Trace`], wherever it came from: generated from a scenario or read from a
//! file. It is checked once, when it is built, so that no driver or measure can overflow.

mod builder;
mod format;
mod lines;
mod read;
mod servegen;
mod shape;
mod timestamp;
mod zipf;

pub use builder::TraceBuilder;
pub use format::{Columns, FORMATS, SwfCost, TimeUnit};
pub use read::{ReadOptions, Source, format_names, read};
use schedulers::{Cost, Tenant};

pub use shape::Shape;
pub use zipf::Zipf;

use records::number::share;

/// The most jobs of one trace: about 2 GB with its log.
pub const JOBS_MAX: usize = 1 << 24;
/// The most tenants of one trace.
pub const TENANTS_MAX: usize = 1 << 20;
/// The latest instant of a run that a trace may lead to: some 36,000 years, in microseconds.
pub const TIME_US_MAX: u64 = 1 << 60;

/// One job, as it arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Job {
    /// When it arrives, from the start of the trace.
    pub arrival_us: u64,
    /// How long a worker is busy with it.
    pub service_us: u64,
    /// Whose it is.
    pub tenant: Tenant,
    /// What the scheduler is told that it costs.
    pub cost: Cost,
}

/// Jobs in arrival order; jobs that arrive at one instant keep the order in which they were added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// By handle. Handles are dense, in the order of each tenant's first job.
    names: Vec<String>,
    /// By arrival. `last arrival + all service` is at most [`TIME_US_MAX`].
    jobs: Vec<Job>,
}

impl Trace {
    /// The jobs, in arrival order.
    #[must_use]
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// How many tenants there are; handles are below this.
    #[must_use]
    pub fn tenants(&self) -> usize {
        self.names.len()
    }

    /// What the source calls the tenant.
    #[must_use]
    pub fn name(&self, tenant: Tenant) -> &str {
        &self.names[position(tenant)]
    }

    /// The tenant that the source calls so.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Tenant> {
        let position = self.names.iter().position(|known| known == name)?;
        u32::try_from(position).ok().map(Tenant::new)
    }

    /// Work that arrives over what so many workers can do from the first arrival to the last.
    /// Everything at one instant is taken as within one microsecond.
    #[must_use]
    pub fn offered_load(&self, workers: u32) -> f64 {
        let arrivals = self.jobs.first().zip(self.jobs.last());
        let span_us = arrivals.map_or(0, |(first, last)| last.arrival_us - first.arrival_us);
        let work_us = self.jobs.iter().map(|job| job.service_us).sum();
        share(work_us, span_us.max(1)) / f64::from(workers)
    }

    /// The mean cost, rounded up, at least 1: a quantum that lets the usual job pass in one turn.
    #[must_use]
    pub fn cost_mean(&self) -> u32 {
        let total: u64 = self
            .jobs
            .iter()
            .map(|job| u64::from(job.cost.units()))
            .sum();
        let mean = total.div_ceil((self.jobs.len() as u64).max(1));
        u32::try_from(mean.max(1)).expect("a mean is at most the largest cost")
    }
}

/// A tenant's place in a table of tenants.
#[must_use]
pub const fn position(tenant: Tenant) -> usize {
    tenant.index() as usize
}
