//! The noisy burst: tenants that each ask for a little, and one that dumps thousands of jobs at once.

use schedulers::admission::RateLimit;
use schedulers::{Cost, Limits, Tenant};
use serde::{Deserialize, Serialize};

use crate::drive::Pool;
use crate::trace::{JOBS_MAX, Job, TENANTS_MAX, Trace, TraceBuilder};
use records::error::BadInput;

/// What the noisy tenant is called.
pub const NOISY: &str = "noisy";

/// The parameters, with the published experiment as the default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NoisyBurst {
    /// Jobs that can run at once.
    pub workers: u32,
    /// How long each job takes.
    pub service_us: u64,
    /// How many tenants ask for a little.
    pub normal_tenants: u32,
    /// The time from one job of a normal tenant to its next.
    pub period_us: u64,
    /// Normal tenant `i` has its first job at `i` times this.
    pub phase_us: u64,
    /// How many jobs the noisy tenant dumps.
    pub burst_jobs: u32,
    /// When it does so.
    pub burst_at_us: u64,
    /// Normal jobs arrive before this instant.
    pub arrivals_until_us: u64,
    /// The cap of every tenant; none where absent.
    pub in_flight_max: Option<u32>,
    /// The backlog limit of every tenant; none where absent.
    pub backlog_max: Option<u32>,
    /// What every tenant is held to before it reaches the queue; nothing where absent.
    pub rate_limit: Option<RateLimit>,
    /// What a request of a normal tenant costs, in tokens and in the scheduler's account.
    pub normal_cost: u32,
    /// What a request of the noisy tenant costs.
    pub noisy_cost: u32,
}

impl Default for NoisyBurst {
    fn default() -> Self {
        Self {
            workers: 20,
            service_us: 100_000,
            normal_tenants: 20,
            period_us: 500_000,
            phase_us: 25_000,
            burst_jobs: 2_000,
            burst_at_us: 2_000_000,
            arrivals_until_us: 12_000_000,
            in_flight_max: None,
            backlog_max: None,
            rate_limit: None,
            normal_cost: 1,
            noisy_cost: 1,
        }
    }
}

impl NoisyBurst {
    /// The pool that the scenario runs on.
    #[must_use]
    pub fn pool(&self) -> Pool {
        Pool {
            workers: self.workers,
            limits: Limits {
                in_flight_max: self.in_flight_max.unwrap_or(u32::MAX),
                backlog_max: self.backlog_max.unwrap_or(u32::MAX),
                ..Limits::default()
            },
            rate_limit: self.rate_limit,
        }
    }

    /// The same scenario, `scale` times shorter.
    #[must_use]
    pub fn shortened(&self, scale: u32) -> Self {
        let faster = |limit: RateLimit| RateLimit {
            rate: limit.rate.saturating_mul(scale),
            ..limit
        };
        let scale = u64::from(scale);
        Self {
            rate_limit: self.rate_limit.map(faster),
            service_us: self.service_us / scale,
            period_us: self.period_us / scale,
            phase_us: self.phase_us / scale,
            burst_at_us: self.burst_at_us / scale,
            arrivals_until_us: self.arrivals_until_us / scale,
            ..*self
        }
    }

    /// The jobs: at one instant in tenant order, the noisy tenant last, its jobs one after another.
    ///
    /// # Errors
    ///
    /// If a parameter makes no sense, or they ask for more than a trace may hold.
    pub fn trace(&self) -> Result<Trace, BadInput> {
        self.check()?;
        let mut builder = TraceBuilder::new();
        for index in 0..self.normal_tenants {
            let tenant = builder.tenant(&format!("normal {index}"))?;
            let first_us = self.phase_us.saturating_mul(u64::from(index));
            let arrivals =
                std::iter::successors(Some(first_us), |at| at.checked_add(self.period_us));
            for arrival_us in arrivals.take_while(|&at| at < self.arrivals_until_us) {
                builder.add(self.job(arrival_us, tenant, self.normal_cost))?;
            }
        }
        let noisy = builder.tenant(NOISY)?;
        for _ in 0..self.burst_jobs {
            builder.add(self.job(self.burst_at_us, noisy, self.noisy_cost))?;
        }
        builder.finish()
    }

    fn job(&self, arrival_us: u64, tenant: Tenant, cost: u32) -> Job {
        Job {
            arrival_us,
            service_us: self.service_us,
            tenant,
            cost: Cost::new(cost),
        }
    }

    /// Refuses what would take for ever or fill the memory before anything is generated.
    fn check(&self) -> Result<(), BadInput> {
        if self.workers == 0 {
            return Err(BadInput::new("no workers: give at least 1"));
        }
        if self.period_us == 0 && self.normal_tenants > 0 {
            return Err(BadInput::new(
                "period_us is 0: give at least 1, or no normal tenants",
            ));
        }
        if self.normal_tenants as usize >= TENANTS_MAX {
            return Err(BadInput::new(format!(
                "{} normal tenants are more than the {TENANTS_MAX} tenants that one trace may have",
                self.normal_tenants
            )));
        }
        let normal_jobs: u128 = (0..u128::from(self.normal_tenants))
            .map(|index| {
                let first_us = index * u128::from(self.phase_us);
                let left_us = u128::from(self.arrivals_until_us).saturating_sub(first_us);
                left_us.div_ceil(u128::from(self.period_us))
            })
            .sum();
        let jobs = normal_jobs + u128::from(self.burst_jobs);
        if jobs > JOBS_MAX as u128 {
            return Err(BadInput::new(format!(
                "{jobs} jobs are more than the {JOBS_MAX} that one trace may have: shorten it, or ask for fewer"
            )));
        }
        Ok(())
    }
}
