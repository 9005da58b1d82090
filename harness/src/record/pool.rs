//! One run of the shared pool, summed up, with the field names of the published expectations.

use serde::Serialize;

use crate::shared_pool::{Account, SharedPool};
use records::number::{real, share};

/// Tenants from this rank on are summed up as the small ones.
const SMALL_FROM_RANK: usize = 6;
/// Ranks that are shown one by one, beside the last.
const PICKED: [usize; 3] = [1, 10, 50];

/// One run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PoolRecord {
    /// Everything that was asked for.
    #[serde(flatten)]
    pub parameters: SharedPool,
    /// All tenants together.
    #[serde(flatten)]
    pub total: Account,
    /// The largest single request that was let through.
    pub units_of_one_request_max: u32,
    /// The small tenants together.
    pub rank6_to_last: PoolTenantRecord,
    /// Ranks 1, 10, 50 and the last.
    pub picked: Vec<RankRecord>,
}

/// One tenant by its rank.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RankRecord {
    /// From 1, the largest.
    pub rank: usize,
    /// What it asked and got.
    #[serde(flatten)]
    pub tenant: PoolTenantRecord,
}

/// What one tenant, or several as one, asked and got.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct PoolTenantRecord {
    /// The counts.
    #[serde(flatten)]
    pub account: Account,
    /// Rounds from arrival to finish, on average. `null` where nothing finished.
    pub delay_rounds_mean: Option<f64>,
    /// Its share of all requests that were let through.
    pub request_share: f64,
    /// Its share of their units.
    pub work_share: f64,
    /// Work share over request share. `null` without requests.
    pub noise_ratio: Option<f64>,
}

impl PoolRecord {
    /// Sums up one run: the accounts by rank.
    #[must_use]
    pub fn new(parameters: &SharedPool, accounts: &[Account]) -> Self {
        let total = Account::sum(accounts);
        let small = accounts.get(SMALL_FROM_RANK - 1..).unwrap_or_default();
        let mut ranks: Vec<usize> = PICKED
            .into_iter()
            .filter(|&rank| rank <= accounts.len())
            .collect();
        if ranks.last() != Some(&accounts.len()) {
            ranks.push(accounts.len());
        }
        Self {
            parameters: *parameters,
            total,
            units_of_one_request_max: total.units_max,
            rank6_to_last: PoolTenantRecord::new(&Account::sum(small), &total),
            picked: ranks
                .into_iter()
                .map(|rank| RankRecord {
                    rank,
                    tenant: PoolTenantRecord::new(&accounts[rank - 1], &total),
                })
                .collect(),
        }
    }

    /// The largest tenant.
    #[must_use]
    pub fn largest(&self) -> &PoolTenantRecord {
        &self.picked[0].tenant
    }
}

impl PoolTenantRecord {
    fn new(account: &Account, total: &Account) -> Self {
        let request_share = share(account.requests, total.requests);
        let work_share = share(account.units, total.units);
        Self {
            account: *account,
            delay_rounds_mean: (account.done > 0)
                .then(|| real(account.delay_rounds) / real(account.done)),
            request_share,
            work_share,
            noise_ratio: (account.requests > 0).then(|| work_share / request_share),
        }
    }
}
