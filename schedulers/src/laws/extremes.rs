//! The law of extremes: the largest costs, weights and totals give the right answer in finite time.

use super::law::{Breach, Law, Subject, expect};
use super::stage::Stage;
use super::windows::Windows;
use crate::{Cost, Limits, Share, Tenant, Weight};

pub(super) const EXTREMES: Law = Law {
    name: "extremes",
    statement: "costs far beyond a quantum, the largest costs and weights, and accounts far beyond 32 \
                bits never make a queue hang, wrap or panic",
    verify: |subject, _| {
        Ok(costs_beyond_the_quantum(subject)?
            + largest_cost_and_weight(subject)?
            + deepest_debt(subject)?
            + largest_refund(subject)?)
    },
};

const A: Tenant = Tenant::new(0);
const B: Tenant = Tenant::new(1);

/// A million rounds from the first job, alone and among many such tenants.
fn costs_beyond_the_quantum(subject: &Subject) -> Result<u64, Breach> {
    let mut operations = 0;
    for tenants in [1, 2, 300] {
        for cost in [1_000_000, u32::MAX] {
            let mut stage = Stage::new(subject, 1);
            for index in 0..tenants {
                stage.push(Tenant::new(index), Cost::new(cost))?;
            }
            for _ in 0..tenants {
                stage.serve()?;
            }
            expect("what is left", &0, &stage.queue.len())?;
            operations += stage.operations;
        }
    }
    Ok(operations)
}

/// The lag bound at both ends of the scale at once: a round that is one job, and one that is 10^15.
fn largest_cost_and_weight(subject: &Subject) -> Result<u64, Breach> {
    let mut operations = 0;
    for quantum in [1, u32::MAX] {
        let mut stage = Stage::new(subject, quantum);
        let Some(lag_max) = stage.queue.lag_max() else {
            continue;
        };
        let mut windows = Windows::new(lag_max);
        stage.configure(
            A,
            Limits {
                weight: Weight::MAX,
                ..Limits::default()
            },
        )?;
        for (tenant, cost) in [(A, Cost::MAX), (B, Cost::UNIT)] {
            stage.keep(tenant, cost)?;
            windows.pushed(tenant, cost);
            windows.refresh(tenant, &stage.ledger);
        }
        for _ in 0..1_000 {
            let (tenant, cost) = stage.serve()?;
            windows.served(tenant, cost)?;
            stage.keep(A, Cost::MAX)?;
            stage.keep(B, Cost::UNIT)?;
        }
        operations += stage.operations;
    }
    Ok(operations)
}

/// A thousand jobs that said 1 and cost 2^32: while others have work, who owes so much waits where
/// cost is shared; alone it is served at once.
fn deepest_debt(subject: &Subject) -> Result<u64, Breach> {
    let mut stage = Stage::new(subject, 1);
    for _ in 0..1_000 {
        stage.push(A, Cost::UNIT)?;
        let ticket = stage.take()?;
        stage.complete(ticket, Cost::MAX);
    }
    stage.push_many(A, Cost::UNIT, 2)?;
    stage.push_many(B, Cost::new(1_000), 500)?;
    let mut served = [0, 0];
    for _ in 0..500 {
        let (tenant, _) = stage.serve()?;
        served[tenant.position()] += 1;
    }
    if stage
        .queue
        .lag_max()
        .is_some_and(|lag_max| lag_max.share == Share::Cost)
    {
        expect("jobs of who owes, and of who does not", &[0, 500], &served)?;
    }
    while !stage.queue.is_empty() {
        stage.serve()?;
    }
    Ok(stage.operations)
}

/// A thousand jobs that said 2^32 and cost nothing: then everybody is still served in finite turns.
fn largest_refund(subject: &Subject) -> Result<u64, Breach> {
    let mut stage = Stage::new(subject, 1);
    stage.push_many(A, Cost::MAX, 1_000)?;
    let tickets: Result<Vec<_>, _> = (0..999).map(|_| stage.take()).collect();
    for ticket in tickets? {
        stage.complete(ticket, Cost::ZERO);
    }
    stage.push_many(A, Cost::UNIT, 10)?;
    stage.push_many(B, Cost::UNIT, 10)?;
    while !stage.queue.is_empty() {
        stage.serve()?;
    }
    Ok(stage.operations)
}
