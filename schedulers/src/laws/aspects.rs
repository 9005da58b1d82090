//! The laws that a ledger alone can judge, each by one aspect of random operations.

use super::law::{Breach, Law, Subject};
use super::operation::scripts;
use super::run::{Aspect, Run};
use super::{Effort, random};

pub(super) const EXACTLY_ONCE: Law = Law {
    name: "exactly_once",
    statement: "every accepted job is taken, cancelled or given back exactly once, and no other is",
    verify: |subject, effort| hold(subject, effort, Aspect::ExactlyOnce),
};

pub(super) const ORDER_WITHIN_TENANT: Law = Law {
    name: "order_within_tenant",
    statement: "the jobs of a tenant are taken in the order in which they were pushed",
    verify: |subject, effort| hold(subject, effort, Aspect::Order),
};

pub(super) const WORK_CONSERVING: Law = Law {
    name: "work_conserving",
    statement: "take gives None only when no tenant is eligible",
    verify: |subject, effort| hold(subject, effort, Aspect::WorkConserving),
};

pub(super) const ONLY_THE_ELIGIBLE: Law = Law {
    name: "only_the_eligible",
    statement: "a tenant at its cap or paused is not served, and never has more than its cap in flight",
    verify: |subject, effort| hold(subject, effort, Aspect::OnlyEligible),
};

pub(super) const REFUSALS: Law = Law {
    name: "refusals",
    statement: "a call is refused when it must be, for the right reason, and a push hands back its job",
    verify: |subject, effort| hold(subject, effort, Aspect::Refusals),
};

pub(super) const CANCELLATION: Law = Law {
    name: "cancellation",
    statement: "cancel takes out the very job named while it waits, and a stale id cancels nothing",
    verify: |subject, effort| hold(subject, effort, Aspect::Cancellation),
};

pub(super) const COUNTERS: Law = Law {
    name: "counters",
    statement: "len, backlog and in flight are right after every operation",
    verify: |subject, effort| hold(subject, effort, Aspect::Counters),
};

fn hold(subject: &Subject, effort: &Effort, aspect: Aspect) -> Result<u64, Breach> {
    random::for_each_script(effort, scripts(), |script| {
        Run::new(subject, &script.settings, Some(aspect)).perform(script)
    })
}
