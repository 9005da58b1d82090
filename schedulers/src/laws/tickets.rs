//! The laws of foreign tickets and job ids.

use std::panic::{self, AssertUnwindSafe};

use super::law::{Breach, Law, Subject, expect};
use super::stage::Stage;
use crate::{Cost, Tenant};

pub(super) const FOREIGN_TICKETS_PANIC: Law = Law {
    name: "foreign_tickets_panic",
    statement: "a ticket given to a queue that did not issue it panics, and changes neither queue",
    verify: |subject, _| foreign_tickets_panic(subject),
};

pub(super) const FOREIGN_IDS_CANCEL_NOTHING: Law = Law {
    name: "foreign_ids_cancel_nothing",
    statement: "an id that another queue gave cancels nothing, however alike the two queues are",
    verify: |subject, _| foreign_ids_cancel_nothing(subject),
};

/// Two queues with the same history, so that all but the queue is the same in their ids.
fn foreign_ids_cancel_nothing(subject: &Subject) -> Result<u64, Breach> {
    let mut issuer = Stage::new(subject, 1);
    let mut other = Stage::new(subject, 1);
    for index in [0, 1, 0, 2, 0] {
        let id = issuer.push(Tenant::new(index), Cost::UNIT)?;
        other.push(Tenant::new(index), Cost::UNIT)?;
        expect("a foreign id", &None, &other.queue.cancel(id))?;
        expect("what waits", &other.ledger.len(), &other.queue.len())?;
    }
    Ok(issuer.operations + other.operations)
}

fn foreign_tickets_panic(subject: &Subject) -> Result<u64, Breach> {
    let tenant = Tenant::new(0);
    let mut issuer = Stage::new(subject, 1);
    let mut other = Stage::new(subject, 1);
    for stage in [&mut issuer, &mut other] {
        stage.push_many(tenant, Cost::UNIT, 2)?;
    }
    let ticket = issuer.take()?;
    let _own = other.take()?;
    let completed = panic::catch_unwind(AssertUnwindSafe(|| {
        other.queue.complete(ticket, Cost::UNIT);
    }));
    expect("a panic", &true, &completed.is_err())?;
    expect(
        "in flight where it was issued",
        &1,
        &issuer.queue.in_flight(tenant),
    )?;
    expect(
        "in flight where it was not",
        &1,
        &other.queue.in_flight(tenant),
    )?;
    expect(
        "the backlog where it was not",
        &1,
        &other.queue.backlog(tenant),
    )?;
    Ok(issuer.operations + other.operations)
}
