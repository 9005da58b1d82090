//! The law of cancels and shares.

use std::collections::VecDeque;

use super::law::{Breach, Law, Subject};
use super::stage::Stage;
use super::windows::Windows;
use crate::{Cost, JobId, Tenant};

pub(super) const CANCELS_KEEP_THE_SHARES: Law = Law {
    name: "cancels_keep_the_shares",
    statement: "a tenant that cancels its first job again and again is within lag_max all the same",
    verify: |subject, _| {
        // What comes to the front costs less than what left it, more, or the same.
        let costs = [(20, 1), (1, 20), (5, 5)];
        costs
            .into_iter()
            .map(|costs| cancel_heads(subject, costs))
            .sum()
    },
};

const CANCELLER: Tenant = Tenant::new(1);
const OTHERS: [Tenant; 2] = [Tenant::new(0), Tenant::new(2)];

/// Every other job of one tenant is cancelled when it comes to the front.
fn cancel_heads(subject: &Subject, (cancelled, served): (u32, u32)) -> Result<u64, Breach> {
    let [cancelled, served] = [cancelled, served].map(Cost::new);
    let mut stage = Stage::new(subject, 3);
    let Some(lag_max) = stage.queue.lag_max() else {
        return Ok(0);
    };
    let mut windows = Windows::new(lag_max);
    let mut lane: VecDeque<JobId> = VecDeque::new();
    for _ in 0..200 {
        for cost in [served, cancelled] {
            lane.push_back(stage.push(CANCELLER, cost)?);
            windows.pushed(CANCELLER, cost);
        }
    }
    for tenant in OTHERS {
        stage.push_many(tenant, served, 400)?;
        windows.pushed(tenant, served);
        windows.refresh(tenant, &stage.ledger);
    }
    windows.refresh(CANCELLER, &stage.ledger);
    while stage.queue.backlog(CANCELLER) > 2 {
        let (tenant, cost) = stage.serve()?;
        windows.served(tenant, cost)?;
        if tenant == CANCELLER {
            lane.pop_front();
            stage.cancel(lane.pop_front().expect("one for each that was served"))?;
        }
        OTHERS
            .into_iter()
            .try_for_each(|other| stage.keep(other, served))?;
    }
    Ok(stage.operations)
}
