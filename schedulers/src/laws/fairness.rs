//! The laws of fairness among tenants that stay eligible.

use super::law::{Breach, Law, Subject};
use super::operation::{Operation, Script, honest_scripts};
use super::run::{Answer, Run};
use super::stage::Stage;
use super::windows::Windows;
use super::{Effort, random};
use crate::{Cost, LagMax, Limits, Settings, Tenant, Weight};

pub(super) const LAG_WITHIN_BOUND: Law = Law {
    name: "lag_within_bound",
    statement: "over every window in which two tenants stay eligible, their service over weight is \
                within lag_max",
    verify: lag_within_bound,
};

pub(super) const FLUID_SHARES: Law = Law {
    name: "fluid_shares",
    statement: "at every moment, tenants that are always eligible are within lag_max of the share of \
                a fluid that flows by weight",
    verify: fluid_shares,
};

fn lag_within_bound(subject: &Subject, effort: &Effort) -> Result<u64, Breach> {
    if (subject.new)(&Settings::default()).lag_max().is_none() {
        return Ok(0); // it promises nothing
    }
    random::for_each_script(effort, honest_scripts(), |script| {
        watch_lag(subject, script)
    })
}

fn watch_lag(subject: &Subject, script: &Script) -> Result<u64, Breach> {
    let mut run = Run::new(subject, &script.settings, None);
    let Some(lag_max) = run.queue().lag_max() else {
        return Err(Breach::new("the same promise for all settings", "none"));
    };
    let mut windows = Windows::new(lag_max);
    let mut operations = 0;
    // One by one, as eligibility may change within a batch.
    let singles = script.unfolded().flat_map(|operation| match operation {
        Operation::TakeBatch(max) => vec![Operation::Take; max],
        other => other.singles(),
    });
    for operation in singles {
        for answer in run.apply(&operation)? {
            watch(&mut windows, &run, &answer)?;
        }
        operations += 1;
    }
    Ok(operations)
}

fn watch(windows: &mut Windows, run: &Run, answer: &Answer) -> Result<(), Breach> {
    match *answer {
        Answer::Pushed(tenant, Ok(job)) => {
            windows.pushed(tenant, run.cost(job));
            windows.refresh(tenant, &run.ledger);
        }
        Answer::Taken(Some((tenant, job))) => {
            windows.served(tenant, run.cost(job))?;
            windows.refresh(tenant, &run.ledger);
        }
        Answer::Completed(tenant) | Answer::Cancelled(tenant, _) | Answer::Changed(tenant, _) => {
            windows.refresh(tenant, &run.ledger);
        }
        Answer::Removed(tenant, _) => windows.refresh(tenant, &run.ledger),
        _ => {}
    }
    Ok(())
}

/// Weights that divide each other and weights that do not, costs below and far above the quantum.
fn fluid_shares(subject: &Subject, _effort: &Effort) -> Result<u64, Breach> {
    let mut operations = 0;
    for weights in [
        &[1, 1, 1][..],
        &[1, 2, 3, 5, 8],
        &[1, 1_000],
        &[7, 11, 13, 1, 1, 1, 1],
    ] {
        for costs in [&[1][..], &[0, 1, 5, 20], &[1, 1_000], &[u32::MAX, 1]] {
            for quantum in [1, 10, 5_000] {
                operations += flow(subject, weights, costs, quantum)?;
            }
        }
    }
    Ok(operations)
}

/// Each tenant's jobs cost what the list says, one after the other, each from another place on.
fn flow(subject: &Subject, weights: &[u32], costs: &[u32], quantum: u32) -> Result<u64, Breach> {
    let mut stage = Stage::new(subject, quantum);
    let Some(lag_max) = stage.queue.lag_max() else {
        return Ok(0);
    };
    let tenants: Vec<(Tenant, Weight)> = (0..)
        .map(Tenant::new)
        .zip(
            weights
                .iter()
                .map(|&weight| Weight::new(weight).expect("in range")),
        )
        .collect();
    for &(tenant, weight) in &tenants {
        stage.configure(
            tenant,
            Limits {
                weight,
                ..Limits::default()
            },
        )?;
    }
    let cost = |turn: usize| Cost::new(costs[turn % costs.len()]);
    let mut services = vec![0; weights.len()];
    for turn in 0..200 {
        for &(tenant, _) in &tenants {
            stage.keep(tenant, cost(turn + tenant.index() as usize))?;
        }
        let (tenant, cost) = stage.serve()?;
        services[tenant.index() as usize] += u128::from(lag_max.share.of(cost));
        within_fluid_share(lag_max, &tenants, &services, costs)?;
    }
    Ok(stage.operations)
}

/// Service less fluid share is the average of the leads over all tenants, each by its weight; so it
/// is within the average of the bounds. Everything times the sum of weights: nothing is rounded.
fn within_fluid_share(
    lag_max: LagMax,
    tenants: &[(Tenant, Weight)],
    services: &[u128],
    costs: &[u32],
) -> Result<(), Breach> {
    let divisors: Vec<u128> = tenants
        .iter()
        .map(|&(_, weight)| lag_max.share.divisor(weight).into())
        .collect();
    let sum: u128 = divisors.iter().sum();
    let total: u128 = services.iter().sum();
    let cost_max = costs
        .iter()
        .copied()
        .max()
        .map_or(0, |cost| lag_max.share.of(Cost::new(cost)));
    for (position, (&service, &own)) in services.iter().zip(&divisors).enumerate() {
        let others = divisors
            .iter()
            .enumerate()
            .filter(|&(other, _)| other != position);
        let bound: u128 = others
            .map(|(_, &other)| {
                u128::from(lag_max.fixed) * own * other
                    + u128::from(lag_max.jobs) * u128::from(cost_max) * (own + other)
            })
            .sum();
        if (service * sum).abs_diff(own * total) > bound {
            return Err(Breach::new(
                format!("tenant {position} of {tenants:?} has {own} in {sum} of {total}"),
                format!("{services:?}"),
            ));
        }
    }
    Ok(())
}
