//! The noisy burst, summed up: what the neighbours waited and what the noisy tenant paid.

use serde::Serialize;

use super::{TenantRecord, top_tenants};
use crate::drive::Retry;
use crate::log::Log;
use crate::measure::{Entitlement, Idle, Ledger, Waits, entitlement, idle, largest_lag};
use crate::scenario::{NOISY, NoisyBurst};
use crate::trace::{Job, Trace, position};

/// One scheduler's result.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BurstRecord {
    /// Its registered name.
    pub scheduler: String,
    /// Everything that was asked for.
    #[serde(flatten)]
    pub parameters: NoisyBurst,
    /// Jobs of normal tenants that were served.
    pub normal_jobs: usize,
    /// Half of them waited at most this long.
    pub p50_us: Option<u64>,
    /// 95 of 100 waited at most this long.
    pub p95_us: Option<u64>,
    /// 99 of 100 waited at most this long.
    pub p99_us: Option<u64>,
    /// None waited longer.
    pub max_us: Option<u64>,
    /// When the noisy tenant's last job was done, from its burst on.
    pub noisy_after_burst_us: Option<u64>,
    /// How many of its jobs were served.
    pub noisy_done: u64,
    /// Jobs refused for good, anyone's.
    pub rejected: u64,
    /// Those of them that the rate limit refused, in front of the queue.
    pub rate_limited: u64,
    /// Those of them that were not the noisy tenant's.
    pub normal_rejected: u64,
    /// Jobs that were accepted and never started, for a cap of 0.
    pub unserved: u64,
    /// What capacity idled beside waiting work.
    #[serde(flatten)]
    pub idle: Idle,
    /// Jain's index of what each tenant got of what it was entitled to.
    pub jain_index: Option<f64>,
    /// The largest lag in jobs between two eligible tenants, of the 64 with most work.
    pub lag_jobs_max: u64,
    /// The noisy tenant's share of accepted jobs.
    pub noisy_request_share: f64,
    /// Its share of all work.
    pub noisy_work_share: f64,
    /// Its work share over its request share.
    pub noisy_noise_ratio: Option<f64>,
    /// The noisy tenant's share of the pool, and the others', against what they were entitled to.
    pub share_over_time: Option<Entitlement>,
    /// The tenants with most work, and the others as one.
    pub top_tenants: Vec<TenantRecord>,
}

/// One way to protect the neighbours, and what came of it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StrategyRecord {
    /// What is done, in a word or two.
    pub strategy: &'static str,
    /// What clients do with what is refused.
    #[serde(flatten)]
    pub retry: Retry,
    /// How often any client was refused: each time, also where it came back and was let through.
    pub refusals: u64,
    /// Those of the noisy tenant.
    pub noisy_refusals: u64,
    /// How long its served jobs waited, from the first time that it would have asked.
    pub noisy_waits: Waits,
    /// What came of it. What came back and was let through is not counted as rejected.
    #[serde(flatten)]
    pub result: BurstRecord,
}

impl StrategyRecord {
    /// Sums up one run. `came_back` says by tenant how often it was refused and did not give up.
    #[must_use]
    pub fn new(
        strategy: &'static str,
        retry: Retry,
        result: BurstRecord,
        trace: &Trace,
        log: &Log,
        came_back: &[u64],
    ) -> Self {
        let ledger = Ledger::new(trace, log);
        let noisy = trace.find(NOISY);
        let noisy_back = noisy.and_then(|tenant| came_back.get(position(tenant)));
        Self {
            strategy,
            retry,
            refusals: ledger.total.refused + came_back.iter().sum::<u64>(),
            noisy_refusals: ledger.tally_of(noisy).refused + noisy_back.unwrap_or(&0),
            noisy_waits: ledger.waits_of(noisy),
            result,
        }
    }
}

impl BurstRecord {
    /// Sums up one run, listing `top` tenants one by one.
    #[must_use]
    pub fn new(
        scheduler: &str,
        parameters: &NoisyBurst,
        trace: &Trace,
        log: &Log,
        top: usize,
    ) -> Self {
        let ledger = Ledger::new(trace, log);
        let noisy = trace.find(NOISY);
        let normal = ledger.waits_of(ledger.tenants().filter(|&tenant| Some(tenant) != noisy));
        let noisy_tally = ledger.tally_of(noisy);
        let noisy_row = noisy.map(|tenant| TenantRecord::one(trace, &ledger, tenant));
        let share_over_time = ledger
            .by_work()
            .first()
            .map(|&largest| entitlement(trace, log, noisy.unwrap_or(largest)));
        Self {
            scheduler: scheduler.to_owned(),
            parameters: *parameters,
            normal_jobs: normal.count,
            p50_us: normal.p50_us,
            p95_us: normal.p95_us,
            p99_us: normal.p99_us,
            max_us: normal.max_us,
            noisy_after_burst_us: (noisy_tally.done > 0).then(|| {
                noisy_tally
                    .last_end_us
                    .saturating_sub(parameters.burst_at_us)
            }),
            noisy_done: noisy_tally.done,
            rejected: ledger.total.refused,
            rate_limited: ledger.total.rate_limited,
            normal_rejected: ledger.total.refused - noisy_tally.refused,
            unserved: ledger.total.accepted - ledger.total.started,
            idle: idle(trace, log),
            jain_index: share_over_time
                .as_ref()
                .and_then(|shares| shares.jain_index),
            lag_jobs_max: largest_lag(trace, log, &ledger, |_: &Job| 1),
            noisy_request_share: ledger.request_share(&noisy_tally),
            noisy_work_share: ledger.work_share(&noisy_tally),
            noisy_noise_ratio: noisy_row.and_then(|row| row.noise_ratio),
            share_over_time,
            top_tenants: top_tenants(trace, &ledger, top),
        }
    }
}
