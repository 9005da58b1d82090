//! The laws of live changes: what is configured holds at once, for what already waits too.

use super::Effort;
use super::law::{Breach, Law, Subject, expect};
use super::stage::Stage;
use super::windows::Windows;
use crate::{Cost, Limits, Refusal, Tenant, Ticket, Weight};

pub(super) const LIMITS_REACH_QUEUED_WORK: Law = Law {
    name: "limits_reach_queued_work",
    statement: "a new cap, limit or pause holds at once, for waiting jobs too, and loses none",
    verify: |subject, _| Ok(caps(subject)? + limits(subject)? + pauses(subject)?),
};

pub(super) const WEIGHTS_REACH_QUEUED_WORK: Law = Law {
    name: "weights_reach_queued_work",
    statement: "from the moment at which a weight changes, service follows the new one",
    verify: weights_reach_queued_work,
};

const A: Tenant = Tenant::new(0);
const B: Tenant = Tenant::new(1);

/// Raised, lowered, none and zero: never more in flight than the cap, and a parked tenant comes back
/// with the completion that takes it below.
fn caps(subject: &Subject) -> Result<u64, Breach> {
    let mut stage = Stage::new(subject, 1);
    stage.push_many(A, Cost::UNIT, 20)?;
    let mut in_flight: Vec<Ticket> = Vec::new();
    for in_flight_max in [1, 3, 0, 2, 5, 4, 1, u32::MAX] {
        stage.configure(
            A,
            Limits {
                in_flight_max,
                ..Limits::default()
            },
        )?;
        // What is above the new cap must land before anything can be taken.
        while in_flight.len() > in_flight_max as usize {
            expect("a take above the cap", &true, &stage.queue.take().is_none())?;
            let ticket = in_flight.pop().expect("some are in flight");
            stage.complete(ticket, Cost::UNIT);
        }
        while in_flight.len() < (in_flight_max as usize).min(6) {
            in_flight.push(stage.take()?);
        }
        if in_flight_max != u32::MAX {
            expect("a take at the cap", &true, &stage.queue.take().is_none())?;
            stage.push(B, Cost::UNIT)?;
            let (tenant, _) = stage.serve()?;
            expect("who is served past a parked tenant", &B, &tenant)?;
        }
        expect("in flight", &in_flight.len(), &stage.queue.in_flight(A))?;
    }
    Ok(stage.operations)
}

/// A limit below the backlog refuses pushes and keeps the jobs.
fn limits(subject: &Subject) -> Result<u64, Breach> {
    let mut stage = Stage::new(subject, 1);
    stage.push_many(A, Cost::UNIT, 5)?;
    for backlog_max in [0, 2, 5] {
        stage.configure(
            A,
            Limits {
                backlog_max,
                ..Limits::default()
            },
        )?;
        let refused = stage.queue.push(A, Cost::UNIT, u64::MAX);
        let full = Refusal::TenantFull {
            tenant: A,
            backlog_max,
        };
        let refusal = refused.err().map(|refused| (refused.job, refused.refusal));
        expect("a push above the limit", &Some((u64::MAX, full)), &refusal)?;
        expect("the backlog", &5, &stage.queue.backlog(A))?;
    }
    stage.configure(
        A,
        Limits {
            backlog_max: 6,
            ..Limits::default()
        },
    )?;
    stage.push(A, Cost::UNIT)?;
    stage.serve()?;
    stage.push(A, Cost::UNIT)?;
    expect("the backlog", &6, &stage.queue.backlog(A))?;
    Ok(stage.operations)
}

/// Pausing twice is pausing once; a paused tenant still pushes; a resumed one has its jobs in order.
fn pauses(subject: &Subject) -> Result<u64, Breach> {
    let mut stage = Stage::new(subject, 1);
    stage.push_many(A, Cost::UNIT, 3)?;
    for _ in 0..2 {
        stage.set_paused(A, true)?;
        expect("a take while paused", &true, &stage.queue.take().is_none())?;
        stage.push(A, Cost::UNIT)?;
    }
    // The cap of a paused tenant is another matter, and holds when it is resumed.
    stage.configure(
        A,
        Limits {
            in_flight_max: 4,
            ..Limits::default()
        },
    )?;
    expect("a take while paused", &true, &stage.queue.take().is_none())?;
    stage.set_paused(A, false)?;
    stage.set_paused(A, false)?;
    for job in 0..4 {
        let taken = stage.queue.take().map(|taken| taken.job);
        expect("the jobs of a resumed tenant", &Some(job), &taken)?;
    }
    expect("a take at the cap", &true, &stage.queue.take().is_none())?;
    Ok(stage.operations + 6)
}

/// From equal to unequal, to the other way round, to far apart, and back.
fn weights_reach_queued_work(subject: &Subject, _effort: &Effort) -> Result<u64, Breach> {
    let mut stage = Stage::new(subject, 1);
    let Some(lag_max) = stage.queue.lag_max() else {
        return Ok(0);
    };
    let mut windows = Windows::new(lag_max);
    stage.push_many(A, Cost::new(2), 1_500)?;
    stage.push_many(B, Cost::new(3), 1_500)?;
    windows.pushed(A, Cost::new(2));
    windows.pushed(B, Cost::new(3));
    let phases = [
        (1, 1, 100),
        (3, 1, 400),
        (1, 3, 200),
        (1, 1_000, 200),
        (1_024, 1, 200),
        (1, 1, 100),
    ];
    for (weight_a, weight_b, turns) in phases {
        for (tenant, weight) in [(A, weight_a), (B, weight_b)] {
            let weight = Weight::new(weight).expect("in range");
            stage.configure(
                tenant,
                Limits {
                    weight,
                    ..Limits::default()
                },
            )?;
            windows.refresh(tenant, &stage.ledger);
        }
        for _ in 0..turns {
            let (tenant, cost) = stage.serve()?;
            windows.served(tenant, cost)?;
        }
    }
    Ok(stage.operations)
}
