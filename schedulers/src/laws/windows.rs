//! Lag, over every window of time at once.
//!
//! Of two tenants, let the *lead* be the service of one less that of the other, each over its
//! weight. The lag over a window is how far the lead moved in it. So over all windows that end now,
//! the lag is greatest from the moment at which the lead was least, or most: two moments to remember
//! for each pair, and no window is left out.

use std::collections::BTreeMap;

use super::ledger::Ledger;
use super::{Breach, Job};
use crate::{Cost, LagMax, Tenant, Weight};

/// What a scheduler that shares by `lag_max` has given the tenants that stay eligible.
pub(super) struct Windows {
    lag_max: LagMax,
    accounts: BTreeMap<Tenant, Account>,
    /// Pairs of tenants that are both eligible, the smaller handle first.
    pairs: BTreeMap<(Tenant, Tenant), Pair>,
}

/// A tenant.
struct Account {
    /// All that it was ever served, as `lag_max` counts it.
    service: u64,
    /// The largest cost of a job that it ever pushed.
    cost_max: Cost,
    /// Its weight while it is eligible.
    eligible: Option<Weight>,
}

/// What two tenants had been served when the first one's lead was least, and when it was most, since
/// both are eligible.
struct Pair {
    least: (u64, u64),
    most: (u64, u64),
}

/// A lag beyond the bound.
#[derive(Debug)]
pub(super) struct Excess {
    /// Who got too much.
    pub(super) ahead: Tenant,
    /// Who got too little.
    pub(super) behind: Tenant,
    /// What each was served in the window, in that order.
    service: (u64, u64),
    lag_max: LagMax,
}

impl Windows {
    pub(super) const fn new(lag_max: LagMax) -> Self {
        Self {
            lag_max,
            accounts: BTreeMap::new(),
            pairs: BTreeMap::new(),
        }
    }

    /// The tenant pushed a job of this cost.
    pub(super) fn pushed(&mut self, tenant: Tenant, cost: Cost) {
        let account = self.account(tenant);
        account.cost_max = account.cost_max.max(cost);
    }

    /// The tenant's weight or eligibility may have changed: windows with it may end, or begin.
    pub(super) fn refresh(&mut self, tenant: Tenant, ledger: &Ledger<Job>) {
        let now = ledger
            .is_eligible(tenant)
            .then(|| ledger.limits(tenant).weight);
        let before = std::mem::replace(&mut self.account(tenant).eligible, now);
        if now == before {
            return;
        }
        self.pairs
            .retain(|pair, _| pair.0 != tenant && pair.1 != tenant);
        if now.is_some() {
            for other in self.others(tenant) {
                let names = (tenant.min(other), tenant.max(other));
                let start = (
                    self.accounts[&names.0].service,
                    self.accounts[&names.1].service,
                );
                let pair = Pair {
                    least: start,
                    most: start,
                };
                self.pairs.insert(names, pair);
            }
        }
    }

    /// The tenant was served a job of this cost, and was eligible until then.
    pub(super) fn served(&mut self, tenant: Tenant, cost: Cost) -> Result<(), Excess> {
        let service = self.lag_max.share.of(cost);
        self.account(tenant).service += service;
        for other in self.others(tenant) {
            self.extend((tenant.min(other), tenant.max(other)))?;
        }
        Ok(())
    }

    /// Extends every window of a pair to now.
    fn extend(&mut self, names: (Tenant, Tenant)) -> Result<(), Excess> {
        let (a, b) = (&self.accounts[&names.0], &self.accounts[&names.1]);
        let (Some(weight_a), Some(weight_b)) = (a.eligible, b.eligible) else {
            return Ok(());
        };
        let Some(pair) = self.pairs.get_mut(&names) else {
            return Ok(());
        };
        let share = self.lag_max.share;
        let lead = |service: (u64, u64)| {
            i128::from(service.0) * i128::from(share.divisor(weight_b))
                - i128::from(service.1) * i128::from(share.divisor(weight_a))
        };
        let now = (a.service, b.service);
        let cost_max = a.cost_max.max(b.cost_max);
        for (start, first_is_ahead) in [(pair.least, true), (pair.most, false)] {
            let service = (now.0 - start.0, now.1 - start.1);
            let [one, other] = [(service.0, weight_a), (service.1, weight_b)];
            if !self.lag_max.allows(one, other, cost_max) {
                let (ahead, behind, service) = if first_is_ahead {
                    (names.0, names.1, service)
                } else {
                    (names.1, names.0, (service.1, service.0))
                };
                return Err(Excess {
                    ahead,
                    behind,
                    service,
                    lag_max: self.lag_max,
                });
            }
        }
        if lead(now) < lead(pair.least) {
            pair.least = now;
        }
        if lead(now) > lead(pair.most) {
            pair.most = now;
        }
        Ok(())
    }

    fn others(&self, tenant: Tenant) -> Vec<Tenant> {
        let eligible = self
            .accounts
            .iter()
            .filter(|(_, account)| account.eligible.is_some());
        eligible
            .map(|(&other, _)| other)
            .filter(|&other| other != tenant)
            .collect()
    }

    fn account(&mut self, tenant: Tenant) -> &mut Account {
        self.accounts.entry(tenant).or_insert(Account {
            service: 0,
            cost_max: Cost::ZERO,
            eligible: None,
        })
    }
}

impl From<Excess> for Breach {
    fn from(excess: Excess) -> Self {
        let Excess {
            ahead,
            behind,
            service,
            lag_max,
        } = excess;
        Self::new(
            format!("{ahead} and {behind}, both eligible all the while, within {lag_max:?}"),
            format!(
                "{ahead} was served {}, and {behind} {}",
                service.0, service.1
            ),
        )
    }
}
