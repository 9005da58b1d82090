//! The law of closing.

use super::Job;
use super::law::{Breach, Law, Subject, expect};
use super::stage::Stage;
use crate::{Cost, Limits, Refusal, Tenant, Ticket};

pub(super) const CLOSE_KEEPS_WHAT_WAITS: Law = Law {
    name: "close_keeps_what_waits",
    statement: "a closed queue refuses pushes, and gives what waits by takes, or all of it at once",
    verify: |subject, _| Ok(close_and_drain(subject)? + close_and_reclaim(subject)?),
};

const FREE: Tenant = Tenant::new(0);
const CAPPED: Tenant = Tenant::new(1);
const PAUSED: Tenant = Tenant::new(2);

/// Jobs 1 to 3 wait for the capped tenant, which has job 0 in flight; 4 to 6 for the paused one, and
/// 7 to 9 for the free one.
fn set_up(subject: &Subject) -> Result<(Stage, Ticket), Breach> {
    let mut stage = Stage::new(subject, 1);
    stage.configure(
        CAPPED,
        Limits {
            in_flight_max: 1,
            ..Limits::default()
        },
    )?;
    stage.push_many(CAPPED, Cost::UNIT, 4)?;
    let ticket = stage.take()?;
    stage.push_many(PAUSED, Cost::UNIT, 3)?;
    stage.set_paused(PAUSED, true)?;
    stage.push_many(FREE, Cost::UNIT, 3)?;
    Ok((stage, ticket))
}

/// What could be taken before can be taken still, and what becomes eligible later.
fn close_and_drain(subject: &Subject) -> Result<u64, Breach> {
    let (mut stage, ticket) = set_up(subject)?;
    expect(
        "is_closed of an open queue",
        &false,
        &stage.queue.is_closed(),
    )?;
    stage.queue.close();
    stage.queue.close();
    refuses(&mut stage)?;
    expect(
        "the jobs of the free tenant",
        &vec![7, 8, 9],
        &drain(&mut stage),
    )?;
    stage.complete(ticket, Cost::UNIT);
    expect(
        "those of the capped tenant",
        &vec![1, 2, 3],
        &drain(&mut stage),
    )?;
    stage.set_paused(PAUSED, false)?;
    expect(
        "those of the paused tenant",
        &vec![4, 5, 6],
        &drain(&mut stage),
    )?;
    refuses(&mut stage)?;
    Ok(stage.operations)
}

/// Everything comes back but what is in flight, and that can still be completed.
fn close_and_reclaim(subject: &Subject) -> Result<u64, Breach> {
    let (mut stage, ticket) = set_up(subject)?;
    let reclaimed = stage.queue.close_and_reclaim();
    for (tenant, expected) in [(FREE, [7, 8, 9]), (CAPPED, [1, 2, 3]), (PAUSED, [4, 5, 6])] {
        let own = reclaimed.iter().filter(|&&(owner, _)| owner == tenant);
        let own: Vec<Job> = own.map(|&(_, job)| job).collect();
        expect("the reclaimed jobs of a tenant", &expected.to_vec(), &own)?;
    }
    expect("how many jobs are reclaimed", &9, &reclaimed.len())?;
    refuses(&mut stage)?;
    expect("what is left to take", &Vec::new(), &drain(&mut stage))?;
    expect(
        "what is left to reclaim",
        &Vec::new(),
        &stage.queue.close_and_reclaim(),
    )?;
    expect("in flight", &1, &stage.queue.in_flight(CAPPED))?;
    stage.complete(ticket, Cost::MAX);
    expect("in flight", &0, &stage.queue.in_flight(CAPPED))?;
    Ok(stage.operations)
}

/// Takes and completes while there is something to take.
fn drain(stage: &mut Stage) -> Vec<Job> {
    let mut jobs = Vec::new();
    while let Some(taken) = stage.queue.take() {
        jobs.push(taken.job);
        stage.complete(taken.ticket, Cost::UNIT);
    }
    jobs
}

fn refuses(stage: &mut Stage) -> Result<(), Breach> {
    expect("is_closed", &true, &stage.queue.is_closed())?;
    let refused = stage.queue.push(FREE, Cost::UNIT, Job::MAX).err();
    let refusal = refused.map(|refused| (refused.job, refused.refusal));
    expect(
        "a push after close",
        &Some((Job::MAX, Refusal::Closed)),
        &refusal,
    )
}
