//! The shape of a trace: how skewed, how bursty, how heavy. Counts to check a reader against.

use serde::Serialize;

use super::{Trace, position};
use records::number::share;
use records::rank::nearest_rank;

/// A few figures that tell one trace from another.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Shape {
    /// From the first arrival to the last.
    pub span_us: u64,
    /// How many instants have an arrival.
    pub distinct_times: usize,
    /// The most arrivals within one second.
    pub busiest_second: usize,
    /// The most arrivals within ten seconds.
    pub busiest_ten_seconds: usize,
    /// The most arrivals within a minute.
    pub busiest_minute: usize,
    /// The most arrivals within an hour.
    pub busiest_hour: usize,
    /// The tenant with most jobs, and its share of all jobs.
    pub most_jobs: TenantShare,
    /// The tenant with most service time, and its share of it.
    pub most_work: TenantShare,
    /// The smallest cost.
    pub cost_min: Option<u64>,
    /// Half of the jobs cost at most this.
    pub cost_p50: Option<u64>,
    /// 99 of 100 jobs cost at most this.
    pub cost_p99: Option<u64>,
    /// The largest cost.
    pub cost_max: Option<u64>,
    /// How many jobs cost nothing.
    pub cost_zero_jobs: usize,
}

/// A tenant and its share of something.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TenantShare {
    /// Its name.
    pub tenant: String,
    /// Of the whole.
    pub share: f64,
}

impl Shape {
    /// Looks at a trace with at least one job.
    #[must_use]
    pub fn new(trace: &Trace) -> Self {
        let mut costs: Vec<u64> = trace
            .jobs()
            .iter()
            .map(|job| u64::from(job.cost.units()))
            .collect();
        costs.sort_unstable();
        let times: Vec<u64> = trace.jobs().iter().map(|job| job.arrival_us).collect();
        let distinct = times.windows(2).filter(|pair| pair[0] != pair[1]).count() + 1;
        Self {
            span_us: times
                .last()
                .zip(times.first())
                .map_or(0, |(last, first)| last - first),
            distinct_times: distinct,
            busiest_second: busiest(&times, 1_000_000),
            busiest_ten_seconds: busiest(&times, 10_000_000),
            busiest_minute: busiest(&times, 60_000_000),
            busiest_hour: busiest(&times, 3_600_000_000),
            most_jobs: largest(trace, |_| 1),
            most_work: largest(trace, |service_us| service_us),
            cost_min: costs.first().copied(),
            cost_p50: nearest_rank(&costs, 50),
            cost_p99: nearest_rank(&costs, 99),
            cost_max: costs.last().copied(),
            cost_zero_jobs: costs.partition_point(|&cost| cost == 0),
        }
    }
}

/// The most times within any stretch shorter than `window_us`; the times are sorted.
fn busiest(times: &[u64], window_us: u64) -> usize {
    let mut start = 0;
    let within = times.iter().enumerate().map(|(end, &time)| {
        while time - times[start] >= window_us {
            start += 1;
        }
        end + 1 - start
    });
    within.max().unwrap_or(0)
}

/// The tenant with the most of something that a job's service time says.
fn largest(trace: &Trace, amount: impl Fn(u64) -> u64) -> TenantShare {
    let mut amounts = vec![0_u64; trace.tenants()];
    for job in trace.jobs() {
        amounts[position(job.tenant)] += amount(job.service_us);
    }
    let first = trace.jobs()[0].tenant;
    let tenants = trace.jobs().iter().map(|job| job.tenant);
    let tenant = tenants.fold(first, |best, tenant| {
        let (amount, most) = (amounts[position(tenant)], amounts[position(best)]);
        if amount > most || (amount == most && tenant < best) {
            tenant
        } else {
            best
        }
    });
    TenantShare {
        tenant: trace.name(tenant).to_owned(),
        share: share(amounts[position(tenant)], amounts.iter().sum()),
    }
}
