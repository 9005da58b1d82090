//! The parameters of the noisy burst as flags, each of which replaces that of a named scenario.

use clap::Args;

use super::rate_flags::{RateFlags, endpoint_costs};
use crate::scenario::{NoisyBurst, Parameters, Scenario};
use records::error::BadInput;

/// A scenario, and what is to be different.
#[derive(Args, Clone, Debug)]
pub(super) struct BurstFlags {
    /// A noisy-burst scenario: its name, or its .toml file
    #[arg(default_value = "noisy-burst")]
    scenario: String,
    /// Jobs that can run at once
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    workers: Option<u32>,
    /// How long each job takes
    #[arg(long)]
    service_us: Option<u64>,
    /// How many tenants ask for a little
    #[arg(long)]
    normal_tenants: Option<u32>,
    /// From one job of a normal tenant to its next
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    period_us: Option<u64>,
    /// Normal tenant i has its first job at i times this
    #[arg(long)]
    phase_us: Option<u64>,
    /// Jobs that the noisy tenant dumps at once
    #[arg(long)]
    burst_jobs: Option<u32>,
    /// When it does
    #[arg(long)]
    burst_at_us: Option<u64>,
    /// Normal jobs arrive before this instant
    #[arg(long)]
    arrivals_until_us: Option<u64>,
    /// The cap: the most jobs of one tenant that run at once
    #[arg(long)]
    in_flight_max: Option<u32>,
    /// The limit: the most jobs of one tenant that wait; more are refused
    #[arg(long)]
    backlog_max: Option<u32>,
    #[command(flatten)]
    rate: RateFlags,
    /// What a request costs, by whose endpoint it asks: the tokens it takes and the scheduler's charge
    #[arg(long, value_name = "normal=N,noisy=N", value_parser = |text: &str| endpoint_costs(text, ["normal", "noisy"]))]
    endpoint_costs: Option<[Option<u32>; 2]>,
}

impl BurstFlags {
    /// The scenario's parameters, with those of the flags.
    pub(super) fn parameters(&self) -> Result<NoisyBurst, BadInput> {
        let Parameters::NoisyBurst(base) =
            Scenario::named(&self.scenario)?.parameters(&toml::Table::new())?
        else {
            return Err(BadInput::new(format!(
                "{} is no noisy-burst scenario",
                self.scenario
            )));
        };
        let [normal_cost, noisy_cost] = self.endpoint_costs.unwrap_or_default();
        Ok(NoisyBurst {
            workers: self.workers.unwrap_or(base.workers),
            service_us: self.service_us.unwrap_or(base.service_us),
            normal_tenants: self.normal_tenants.unwrap_or(base.normal_tenants),
            period_us: self.period_us.unwrap_or(base.period_us),
            phase_us: self.phase_us.unwrap_or(base.phase_us),
            burst_jobs: self.burst_jobs.unwrap_or(base.burst_jobs),
            burst_at_us: self.burst_at_us.unwrap_or(base.burst_at_us),
            arrivals_until_us: self.arrivals_until_us.unwrap_or(base.arrivals_until_us),
            in_flight_max: self.in_flight_max.or(base.in_flight_max),
            backlog_max: self.backlog_max.or(base.backlog_max),
            rate_limit: self.rate.rate_limit().or(base.rate_limit),
            normal_cost: normal_cost.unwrap_or(base.normal_cost),
            noisy_cost: noisy_cost.unwrap_or(base.noisy_cost),
        })
    }
}
