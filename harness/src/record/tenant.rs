//! One tenant, or several as one: what it asked for, what it got, how long it waited.

use schedulers::Tenant;
use serde::Serialize;

use crate::measure::{Ledger, Tally, Waits};
use crate::trace::Trace;

/// A row about one tenant or a group of tenants.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TenantRecord {
    /// Its name in the source, or what the group is called.
    pub tenant: String,
    /// How many tenants the row is about.
    pub tenants: usize,
    /// Jobs accepted.
    pub requests: u64,
    /// Jobs refused.
    pub refused: u64,
    /// Jobs finished.
    pub done: u64,
    /// Its share of all accepted jobs.
    pub request_share: f64,
    /// Its share of all work.
    pub work_share: f64,
    /// Work share over request share: above 1, its requests are heavier than the mean. `null`
    /// without requests.
    pub noise_ratio: Option<f64>,
    /// How long its jobs waited.
    pub waits: Waits,
}

impl TenantRecord {
    /// A row about one tenant.
    #[must_use]
    pub fn one(trace: &Trace, ledger: &Ledger, tenant: Tenant) -> Self {
        let waits = Waits::of_sorted(ledger.waits(tenant));
        Self::new(
            trace.name(tenant).to_owned(),
            1,
            ledger,
            ledger.tally(tenant),
            waits,
        )
    }

    /// A row about several tenants together.
    #[must_use]
    pub fn group(name: &str, ledger: &Ledger, tenants: &[Tenant]) -> Self {
        let tally = ledger.tally_of(tenants.iter().copied());
        let waits = ledger.waits_of(tenants.iter().copied());
        Self::new(name.to_owned(), tenants.len(), ledger, &tally, waits)
    }

    fn new(tenant: String, tenants: usize, ledger: &Ledger, tally: &Tally, waits: Waits) -> Self {
        let (request_share, work_share) = (ledger.request_share(tally), ledger.work_share(tally));
        Self {
            tenant,
            tenants,
            requests: tally.accepted,
            refused: tally.refused,
            done: tally.done,
            request_share,
            work_share,
            noise_ratio: (request_share > 0.0).then(|| work_share / request_share),
            waits,
        }
    }
}

/// The `top` tenants with most work, each in a row, and all others in one: never an unbounded list.
#[must_use]
pub fn top_tenants(trace: &Trace, ledger: &Ledger, top: usize) -> Vec<TenantRecord> {
    let tenants = ledger.by_work();
    let (named, others) = tenants.split_at(top.min(tenants.len()));
    let mut rows: Vec<TenantRecord> = named
        .iter()
        .map(|&tenant| TenantRecord::one(trace, ledger, tenant))
        .collect();
    if !others.is_empty() {
        rows.push(TenantRecord::group("others", ledger, others));
    }
    rows
}
