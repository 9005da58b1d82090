//! The law of released tenants.

use super::law::{Breach, Law, Subject, expect};
use super::operation::scripts;
use super::run::{Answer, Run};
use super::stage::Stage;
use super::{Effort, random};
use crate::{Cost, Limits, Tenant};

pub(super) const RELEASE_CHANGES_NOTHING: Law = Law {
    name: "release_changes_nothing",
    statement: "a tenant is released only if all else goes on as if it had not been, and always once its \
                jobs have ended at the cost that was said",
    verify: |subject, effort| {
        Ok(changes_nothing(subject, effort)? + keeps_debts(subject)? + lets_go(subject)?)
    },
};

/// Tenants that meet often in random scripts.
const TENANTS: u32 = 8;

/// Beside each other: a queue that is asked to release tenants all the time, and one that is not.
fn changes_nothing(subject: &Subject, effort: &Effort) -> Result<u64, Breach> {
    random::for_each_script(effort, scripts(), |script| {
        let mut run = Run::new(subject, &script.settings, None);
        let mut twin = Run::new(subject, &script.settings, None);
        let mut turns = (0..TENANTS).cycle();
        let mut operations = 0;
        for operation in script.unfolded() {
            let expected = twin.apply(&operation)?;
            let seen = run.apply(&operation)?;
            expect(
                &format!("the answers to {operation:?} without releases"),
                &expected,
                &seen,
            )?;
            for answer in &seen {
                if let Answer::Completed(tenant) | Answer::Cancelled(tenant, _) = answer {
                    run.release(*tenant)?;
                }
            }
            run.release(Tenant::new(turns.next().expect("turns have no end")))?;
            operations += 1;
        }
        Ok(operations)
    })
}

const OWES: Tenant = Tenant::new(0);
const OWNS: Tenant = Tenant::new(1);

/// A job that cost far more than was said is paid for, whether or not its tenant was released between.
fn keeps_debts(subject: &Subject) -> Result<u64, Breach> {
    let serve = |releases: bool| -> Result<(Vec<Tenant>, u64), Breach> {
        let mut stage = Stage::new(subject, 1);
        stage.push(OWES, Cost::UNIT)?;
        let ticket = stage.take()?;
        stage.complete(ticket, Cost::new(100));
        if releases {
            stage.queue.release(OWES);
        }
        stage.push_many(OWES, Cost::UNIT, 50)?;
        stage.push_many(OWNS, Cost::UNIT, 50)?;
        let turns = (0..100).map(|_| stage.serve().map(|(tenant, _)| tenant));
        Ok((turns.collect::<Result<_, _>>()?, stage.operations))
    };
    let ((expected, operations), (seen, more)) = (serve(false)?, serve(true)?);
    expect("who is served after a debt", &expected, &seen)?;
    Ok(operations + more)
}

/// Nobody keeps a tenant of whom there is nothing to keep.
fn lets_go(subject: &Subject) -> Result<u64, Breach> {
    let mut stage = Stage::new(subject, 5);
    let expect_release = |stage: &mut Stage, expected: bool, who: &str| {
        let seen = stage.queue.release(OWES);
        expect(&format!("a release of {who}"), &expected, &seen)
    };
    expect_release(&mut stage, true, "a tenant never seen")?;
    stage.push_many(OWES, Cost::new(3), 2)?;
    expect_release(&mut stage, false, "a tenant with jobs")?;
    let tickets = [stage.take()?, stage.take()?];
    for ticket in tickets {
        expect_release(&mut stage, false, "a tenant with a job in flight")?;
        stage.complete(ticket, Cost::new(3));
    }
    expect_release(&mut stage, true, "a tenant whose jobs have ended")?;
    let capped = Limits {
        in_flight_max: 1,
        ..Limits::default()
    };
    stage.configure(OWES, capped)?;
    expect_release(&mut stage, false, "a tenant with limits of its own")?;
    stage.configure(OWES, Limits::default())?;
    expect_release(&mut stage, true, "a tenant with default limits again")?;
    stage.set_paused(OWES, true)?;
    expect_release(&mut stage, false, "a paused tenant")?;
    stage.set_paused(OWES, false)?;
    expect_release(&mut stage, true, "a resumed tenant")?;
    Ok(stage.operations + 9)
}
