//! The law of foreign tickets.

use std::panic::{self, AssertUnwindSafe};

use super::law::{Breach, Law, Subject, expect};
use super::stage::Stage;
use crate::{Cost, Tenant};

pub(super) const FOREIGN_TICKETS_PANIC: Law = Law {
    name: "foreign_tickets_panic",
    statement: "a ticket given to a queue that did not issue it panics, and changes neither queue",
    verify: |subject, _| foreign_tickets_panic(subject),
};

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
