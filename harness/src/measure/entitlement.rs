//! Share against entitlement over time: who got less than an equal split would have given.
//!
//! The run is cut into windows of equal length. In each, a tenant's demand is the work that it had
//! unserved at the start and the work that arrived; its entitlement is its max-min share of the
//! pool: equal shares, what one does not need going to those that need more.

use schedulers::Tenant;
use serde::Serialize;

use crate::log::{EventKind, Log};
use crate::trace::{Trace, position};
use records::number::real;

const WINDOWS: usize = 20;

/// What one tenant and all others got of the pool, window by window.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Entitlement {
    /// The tenant that is shown alone.
    pub tenant: String,
    /// In order of time.
    pub windows: Vec<Window>,
    /// The most by which any tenant fell short of its entitlement in any window, as a share of the pool.
    pub shortfall_max: f64,
    /// Jain's index of what each tenant got of what it was entitled to, over the whole run: 1 when
    /// all got the same part of it, 1/n when one alone got anything. `null` where nobody asked.
    pub jain_index: Option<f64>,
}

/// Shares of the pool's worker-time in one window.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct Window {
    /// Where it begins.
    pub from_us: u64,
    /// What the tenant got.
    pub tenant_share: f64,
    /// What it was entitled to.
    pub tenant_entitlement: f64,
    /// What all others got together.
    pub others_share: f64,
    /// What they were entitled to together.
    pub others_entitlement: f64,
}

/// Worker-time of one tenant, by window.
#[derive(Clone, Copy, Default)]
struct Account {
    arrived_us: [u64; WINDOWS],
    served_us: [u64; WINDOWS],
}

/// Follows `shown` and the rest through the run.
#[must_use]
pub fn entitlement(trace: &Trace, log: &Log, shown: Tenant) -> Entitlement {
    let width_us = log.end_us().div_ceil(WINDOWS as u64).max(1);
    let accounts = accounts(trace, log, width_us);
    let capacity = f64::from(log.workers) * real(width_us);
    let mut unserved_us = vec![0_u64; accounts.len()];
    let mut windows = Vec::with_capacity(WINDOWS);
    let mut shortfall_max = 0.0_f64;
    // What each was entitled to, over all windows, as shares of the pool.
    let mut entitled_sum = vec![0.0; accounts.len()];
    for index in 0..WINDOWS {
        for (unserved_us, account) in unserved_us.iter_mut().zip(&accounts) {
            *unserved_us += account.arrived_us[index];
        }
        let level = water_level(&unserved_us, capacity);
        let mut window = Window {
            from_us: width_us * index as u64,
            ..Window::default()
        };
        for (place, (unserved_us, account)) in unserved_us.iter_mut().zip(&accounts).enumerate() {
            let served_us = account.served_us[index];
            let entitled = real(*unserved_us).min(level) / capacity;
            let got = real(served_us) / capacity;
            shortfall_max = shortfall_max.max(entitled - got);
            entitled_sum[place] += entitled;
            let (share, entitlement) = if place == position(shown) {
                (&mut window.tenant_share, &mut window.tenant_entitlement)
            } else {
                (&mut window.others_share, &mut window.others_entitlement)
            };
            *share += got;
            *entitlement += entitled;
            *unserved_us = unserved_us.saturating_sub(served_us);
        }
        windows.push(window);
    }
    Entitlement {
        tenant: trace.name(shown).to_owned(),
        windows,
        shortfall_max,
        jain_index: jain_index(
            accounts
                .iter()
                .zip(&entitled_sum)
                .filter(|(_, entitled)| **entitled > 0.0)
                .map(|(account, entitled)| {
                    real(account.served_us.iter().sum()) / capacity / entitled
                }),
        ),
    }
}

/// `(sum x)^2 / (n sum x^2)`, of R. Jain, D. Chiu and W. Hawe (1984). `None` without a positive value.
fn jain_index(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut count, mut sum, mut squares) = (0, 0.0, 0.0);
    for value in values {
        count += 1;
        sum += value;
        squares += value * value;
    }
    (squares > 0.0).then(|| sum * sum / (real(count) * squares))
}

fn accounts(trace: &Trace, log: &Log, width_us: u64) -> Vec<Account> {
    let window_of = |at_us: u64| {
        usize::try_from(at_us / width_us).map_or(WINDOWS - 1, |window| window.min(WINDOWS - 1))
    };
    let mut accounts = vec![Account::default(); trace.tenants()];
    let mut started_us = vec![0; trace.jobs().len()];
    for event in &log.events {
        let job = &trace.jobs()[event.job as usize];
        let account = &mut accounts[position(job.tenant)];
        match event.kind {
            EventKind::Pushed => account.arrived_us[window_of(event.at_us)] += job.service_us,
            EventKind::Refused | EventKind::RateLimited => {}
            EventKind::Started => started_us[event.job as usize] = event.at_us,
            EventKind::Finished => {
                let start_us = started_us[event.job as usize];
                for window in window_of(start_us)..=window_of(event.at_us) {
                    let from_us = width_us * window as u64;
                    let overlap_us = event.at_us.min(from_us + width_us) - start_us.max(from_us);
                    account.served_us[window] += overlap_us;
                }
            }
        }
    }
    accounts
}

/// The level up to which every demand is met when the capacity is poured out equally.
fn water_level(demands_us: &[u64], capacity: f64) -> f64 {
    let mut demands_us: Vec<u64> = demands_us
        .iter()
        .copied()
        .filter(|&demand| demand > 0)
        .collect();
    demands_us.sort_unstable();
    let mut left = capacity;
    let mut tenants = real(demands_us.len() as u64);
    for demand_us in demands_us {
        let equal = left / tenants;
        if real(demand_us) >= equal {
            return equal;
        }
        left -= real(demand_us);
        tenants -= 1.0;
    }
    f64::INFINITY
}
