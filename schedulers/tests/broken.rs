//! Queues that are broken on purpose. Each fails, and first on the law that it breaks: so every law
//! of these can fail, and says what is wrong.

mod faults;

use faults::{
    BatchRegrouped, CapIgnored, Faultless, Favourite, Forgiving, Hoarder, JobSwapped, Lost,
    OrderSwapped, Right, Sleeper, Twice, Unsettled,
};
use schedulers::laws::{Effort, Job, LAWS, Subject};
use schedulers::{FairQueue, Settings};

/// The laws that a queue breaks, in the order in which they stand; found as they are looked for.
fn broken_laws(
    new: fn(&Settings) -> Box<dyn FairQueue<Job>>,
) -> impl Iterator<Item = &'static str> {
    let subject = Subject {
        name: "broken on purpose",
        new,
    };
    let effort = Effort::new(10_000, 1);
    let broken = LAWS
        .iter()
        .filter(move |law| law.check(&subject, &effort).is_err());
    broken.map(|law| law.name)
}

#[test]
fn a_right_queue_in_the_same_wrapping_breaks_no_law() {
    let mut broken = broken_laws(|settings| faults::wrap(Faultless::new(Right::new(settings))));
    assert_eq!(broken.next(), None);
}

#[test]
fn losing_a_job_breaks_exactly_once() {
    let mut broken = broken_laws(|settings| faults::wrap(Lost::new(Right::new(settings))));
    assert_eq!(broken.next(), Some("exactly_once"));
}

#[test]
fn giving_a_job_twice_breaks_exactly_once() {
    let mut broken = broken_laws(|settings| faults::wrap(Twice::new(Right::new(settings))));
    assert_eq!(broken.next(), Some("exactly_once"));
}

#[test]
fn swapping_the_jobs_of_a_tenant_breaks_order_within_tenant() {
    let mut broken = broken_laws(|settings| faults::wrap(OrderSwapped::new(Right::new(settings))));
    assert_eq!(broken.next(), Some("order_within_tenant"));
}

#[test]
fn sleeping_while_work_waits_breaks_work_conserving() {
    let mut broken = broken_laws(|settings| faults::wrap(Sleeper::new(Right::new(settings))));
    assert_eq!(broken.next(), Some("work_conserving"));
}

#[test]
fn ignoring_the_cap_breaks_only_the_eligible() {
    let mut broken = broken_laws(|settings| faults::wrap(CapIgnored::new(Right::new(settings))));
    assert_eq!(broken.next(), Some("only_the_eligible"));
}

#[test]
fn handing_back_another_job_breaks_refusals() {
    let mut broken = broken_laws(|settings| faults::wrap(JobSwapped::new(Right::new(settings))));
    assert_eq!(broken.next(), Some("refusals"));
}

#[test]
fn releasing_a_tenant_in_debt_breaks_release_changes_nothing() {
    let mut broken = broken_laws(|settings| faults::wrap(Forgiving::new(Right::new(settings))));
    assert_eq!(broken.next(), Some("release_changes_nothing"));
}

#[test]
fn never_releasing_breaks_release_changes_nothing() {
    let mut broken = broken_laws(|settings| faults::wrap(Hoarder::new(Right::new(settings))));
    assert_eq!(broken.next(), Some("release_changes_nothing"));
}

#[test]
fn regrouping_a_batch_breaks_batches_are_single_calls() {
    let mut broken =
        broken_laws(|settings| faults::wrap(BatchRegrouped::new(Right::new(settings))));
    assert_eq!(broken.next(), Some("batches_are_single_calls"));
}

#[test]
fn favouring_a_tenant_breaks_lag_within_bound() {
    let mut broken = broken_laws(|settings| faults::wrap(Favourite::new(Right::new(settings))));
    assert_eq!(broken.next(), Some("lag_within_bound"));
}

#[test]
fn forgetting_to_settle_breaks_the_books_alone() {
    let broken = broken_laws(|settings| faults::wrap(Unsettled::new(Right::new(settings))));
    // The deepest debt is one of the extremes.
    assert_eq!(
        broken.collect::<Vec<_>>(),
        ["extremes", "settled_costs_keep_the_books"]
    );
}
