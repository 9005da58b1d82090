//! A replay, summed up: the trace, and what each scheduler made of it.

use std::collections::BTreeMap;

use schedulers::Tenant;
use schedulers::admission::RateLimit;
use serde::Serialize;

use super::{TenantRecord, top_tenants};
use crate::drive::Pool;
use crate::log::Log;
use crate::measure::{Idle, Ledger, Verdict, Waits, entitlement, idle, largest_lag};
use crate::trace::{Job, Shape, Source, Trace};

/// The whole document.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ReplayRecord {
    /// The file, as it was named.
    pub file: String,
    /// Its format.
    pub format: &'static str,
    /// What a unit of cost is.
    pub cost_unit: &'static str,
    /// Where tenants come from, in words.
    pub tenants_from: String,
    /// Jobs that are replayed.
    pub jobs: usize,
    /// Tenants that have any.
    pub tenants: usize,
    /// Lines that were skipped.
    pub skipped: u64,
    /// The same, by reason.
    pub skipped_because: BTreeMap<&'static str, u64>,
    /// Jobs that stood behind a later one and were sorted.
    pub reordered: u64,
    /// The trace's own figures.
    pub shape: Shape,
    /// How many jobs can run at once.
    pub workers: u32,
    /// Work that arrives over what the workers can do meanwhile: above 1, the backlog grows.
    pub offered_load: f64,
    /// What changed between two windows, if that was asked.
    pub verdict: Option<Verdict>,
    /// One entry for each scheduler, under each limit.
    pub schedulers: Vec<ReplayRow>,
}

/// What one scheduler made of the trace.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ReplayRow {
    /// Its registered name.
    pub scheduler: String,
    /// The cap of every tenant.
    pub in_flight_max: Option<u32>,
    /// The backlog limit of every tenant.
    pub backlog_max: Option<u32>,
    /// What every tenant was held to in front of the queue.
    pub rate_limit: Option<RateLimit>,
    /// Jobs finished.
    pub done: u64,
    /// Jobs refused.
    pub refused: u64,
    /// Waits of all jobs.
    pub waits: Waits,
    /// The tenant with most work.
    pub top_tenant: TenantRecord,
    /// The half of the tenants with least work, together. Equal to `top_tenant` where it is alone.
    pub bottom_half: TenantRecord,
    /// The tenant whose waits are worst: by p95, then by the longest, then by work.
    pub worst_tenant: TenantRecord,
    /// Jain's index of what each tenant got of what it was entitled to.
    pub jain_index: Option<f64>,
    /// The largest lag in cost between two eligible tenants, of the 64 with most work.
    pub lag_cost_max: u64,
    /// What capacity idled beside waiting work, and how busy the pool was.
    #[serde(flatten)]
    pub idle: Idle,
    /// When the last job ended.
    pub end_us: u64,
    /// The tenants with most work, and the others as one.
    pub top_tenants: Vec<TenantRecord>,
}

impl ReplayRecord {
    /// About a trace, before any scheduler ran.
    #[must_use]
    pub fn new(file: String, source: &Source, workers: u32) -> Self {
        Self {
            file,
            format: source.format,
            cost_unit: source.cost_unit,
            tenants_from: source.tenants_from.clone(),
            jobs: source.trace.jobs().len(),
            tenants: source.trace.tenants(),
            skipped: source.skipped.values().sum(),
            skipped_because: source.skipped.clone(),
            reordered: source.reordered,
            shape: Shape::new(&source.trace),
            workers,
            offered_load: source.trace.offered_load(workers),
            verdict: None,
            schedulers: Vec::new(),
        }
    }
}

impl ReplayRow {
    /// Sums up one run, listing `top` tenants one by one. The trace has at least one job.
    #[must_use]
    pub fn new(scheduler: &str, pool: &Pool, trace: &Trace, log: &Log, top: usize) -> Self {
        let ledger = Ledger::new(trace, log);
        let by_work = ledger.by_work();
        let top_tenant = by_work[0];
        let bottom_half = &by_work[by_work.len() / 2..];
        let limit = |limit: u32| (limit != u32::MAX).then_some(limit);
        Self {
            scheduler: scheduler.to_owned(),
            in_flight_max: limit(pool.limits.in_flight_max),
            backlog_max: limit(pool.limits.backlog_max),
            rate_limit: pool.rate_limit,
            done: ledger.total.done,
            refused: ledger.total.refused,
            waits: ledger.waits_of(ledger.tenants()),
            top_tenant: TenantRecord::one(trace, &ledger, top_tenant),
            bottom_half: TenantRecord::group("bottom half", &ledger, bottom_half),
            worst_tenant: TenantRecord::one(trace, &ledger, worst(&ledger, &by_work)),
            jain_index: entitlement(trace, log, top_tenant).jain_index,
            lag_cost_max: largest_lag(trace, log, &ledger, |job: &Job| u64::from(job.cost.units())),
            idle: idle(trace, log),
            end_us: log.end_us(),
            top_tenants: top_tenants(trace, &ledger, top),
        }
    }
}

/// The first of the worst.
fn worst(ledger: &Ledger, by_work: &[Tenant]) -> Tenant {
    let badness = |tenant: Tenant| {
        let waits = Waits::of_sorted(ledger.waits(tenant));
        (waits.p95_us, waits.max_us)
    };
    let first = by_work[0];
    by_work
        .iter()
        .fold((first, badness(first)), |worst, &tenant| {
            let badness = badness(tenant);
            if badness > worst.1 {
                (tenant, badness)
            } else {
                worst
            }
        })
        .0
}
