//! Puts a trace together: names to handles, jobs into order, sizes checked.

use std::collections::HashMap;

use schedulers::Tenant;

use super::{JOBS_MAX, Job, TENANTS_MAX, TIME_US_MAX, Trace, position};
use records::error::BadInput;

/// A trace in the making. Jobs may come in any order.
#[derive(Clone, Default, Debug)]
pub struct TraceBuilder {
    /// In the order in which they were named; `finish` renumbers them.
    names: Vec<String>,
    by_name: HashMap<String, Tenant>,
    jobs: Vec<Job>,
}

impl TraceBuilder {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The tenant of this name: a new one at its first mention.
    ///
    /// # Errors
    ///
    /// If that is one tenant more than [`TENANTS_MAX`].
    pub fn tenant(&mut self, name: &str) -> Result<Tenant, BadInput> {
        if let Some(&tenant) = self.by_name.get(name) {
            return Ok(tenant);
        }
        if self.names.len() == TENANTS_MAX {
            return Err(BadInput::new(format!("more than {TENANTS_MAX} tenants")));
        }
        let handle = u32::try_from(self.names.len()).expect("TENANTS_MAX is below 2^32");
        let tenant = Tenant::new(handle);
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), tenant);
        Ok(tenant)
    }

    /// Adds a job. Its tenant came from this builder.
    ///
    /// # Errors
    ///
    /// If that is one job more than [`JOBS_MAX`].
    pub fn add(&mut self, job: Job) -> Result<(), BadInput> {
        if self.jobs.len() == JOBS_MAX {
            return Err(BadInput::new(format!("more than {JOBS_MAX} jobs")));
        }
        self.jobs.push(job);
        Ok(())
    }

    /// How many jobs were added.
    #[must_use]
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Whether no job was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// The trace: sorted by arrival, ties in the order of addition, tenants renumbered by their
    /// first job; those without a job are forgotten.
    ///
    /// # Errors
    ///
    /// If the run could outlast [`TIME_US_MAX`].
    pub fn finish(self) -> Result<Trace, BadInput> {
        let Self {
            mut names,
            mut jobs,
            ..
        } = self;
        jobs.sort_by_key(|job| job.arrival_us);
        check_horizon(&jobs)?;

        let mut renumbered: Vec<Option<Tenant>> = vec![None; names.len()];
        let mut ordered = Vec::new();
        for job in &mut jobs {
            let old = position(job.tenant);
            job.tenant = *renumbered[old].get_or_insert_with(|| {
                ordered.push(std::mem::take(&mut names[old]));
                Tenant::new(u32::try_from(ordered.len() - 1).expect("TENANTS_MAX is below 2^32"))
            });
        }
        Ok(Trace {
            names: ordered,
            jobs,
        })
    }

    /// Divides all arrivals by `factor`, for a replay that is faster than life.
    pub fn speed_up(&mut self, factor: f64) {
        for job in &mut self.jobs {
            job.arrival_us = records::number::round(records::number::real(job.arrival_us) / factor);
        }
    }

    /// Moves the earliest arrival to instant 0: traces often count from an epoch.
    pub fn start_at_zero(&mut self) {
        let first = self
            .jobs
            .iter()
            .map(|job| job.arrival_us)
            .min()
            .unwrap_or(0);
        for job in &mut self.jobs {
            job.arrival_us -= first;
        }
    }

    /// Keeps the first jobs in arrival order.
    pub fn truncate(&mut self, jobs_max: usize) {
        self.jobs.sort_by_key(|job| job.arrival_us);
        self.jobs.truncate(jobs_max);
    }
}

/// With one worker, the run ends at the last arrival plus all service at the latest.
fn check_horizon(jobs: &[Job]) -> Result<(), BadInput> {
    let last = jobs.last().map_or(0, |job| job.arrival_us);
    let service: u128 = jobs.iter().map(|job| u128::from(job.service_us)).sum();
    if u128::from(last) + service > u128::from(TIME_US_MAX) {
        return Err(BadInput::new(format!(
            "the run could last longer than {TIME_US_MAX} us: times or service times are absurd, or in another unit"
        )));
    }
    Ok(())
}
