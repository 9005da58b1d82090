//! Correct before timed: what every thread wrote down, put together.

use std::collections::HashMap;

use schedulers::{Offer, Tenant};

use crate::failure::Failure;
use crate::timed::shared::numbers::{number, producer};
use crate::timed::shared::witness::Log;
use crate::workload::Job;

/// Checks an audited run: every job pushed came out once, by a thread or as left in the queue, and as
/// the tenant's that pushed it; and no thread saw two jobs of one producer and tenant in the wrong
/// order. (Of jobs that two threads take, nobody can say which came first.)
///
/// # Errors
///
/// The first job that is wrong.
pub fn check(logs: &[Log], left: &[Offer<Job>]) -> Result<(), Failure> {
    let pushed = logs.iter().flat_map(|log| &log.pushed);
    let mut waiting: HashMap<Job, Tenant> = pushed.map(|&(tenant, job)| (job, tenant)).collect();
    let left: Vec<_> = left.iter().map(|offer| (offer.tenant, offer.job)).collect();
    let taken: Vec<_> = logs.iter().map(|log| &log.taken).chain([&left]).collect();
    for &(tenant, job) in taken.iter().copied().flatten() {
        check_owner(tenant, job, waiting.remove(&job))?;
    }
    if let Some((job, tenant)) = waiting.into_iter().next() {
        return Failure::wrong(format!("{tenant}: {} was lost", name(job)));
    }
    taken.into_iter().try_for_each(|taken| check_order(taken))
}

fn check_owner(tenant: Tenant, job: Job, owner: Option<Tenant>) -> Result<(), Failure> {
    let job = name(job);
    match owner {
        Some(owner) if owner == tenant => Ok(()),
        Some(owner) => Failure::wrong(format!("{tenant}: {job} came, which is of {owner}")),
        None => Failure::wrong(format!("{tenant}: {job} came twice, or was never pushed")),
    }
}

fn check_order(taken: &[(Tenant, Job)]) -> Result<(), Failure> {
    let mut last: HashMap<(u64, Tenant), Job> = HashMap::new();
    for &(tenant, job) in taken {
        if let Some(before) = last.insert((producer(job), tenant), job)
            && before > job
        {
            let (job, before) = (name(job), name(before));
            return Failure::wrong(format!("{tenant}: {job} came after {before}"));
        }
    }
    Ok(())
}

fn name(job: Job) -> String {
    format!("job {} of producer {}", number(job), producer(job))
}
