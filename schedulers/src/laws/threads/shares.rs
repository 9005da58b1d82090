//! The law of shares: many threads do not make a fair queue unfair.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::{SharedLaw, SharedSubject};
use crate::laws::law::Breach;
use crate::laws::{Effort, Job};
use crate::{Cost, Settings, Tenant};

pub(super) const SHARES_UNDER_THREADS: SharedLaw = SharedLaw {
    name: "shares_under_threads",
    statement: "tenants that always have work are served within lag_max and two turns for each thread, \
                and who was quiet is reached within that and one turn of each of the others",
    verify: shares,
};

const BUSY: u32 = 32;
const THREADS: u64 = 3;

/// Every job that is taken is pushed again by the thread that took it, which completes it after that.
fn shares(subject: &SharedSubject, effort: &Effort) -> Result<u64, Breach> {
    let queue = (subject.new)(&Settings::default());
    let queue = &*queue;
    let Some(lag_max) = queue.lag_max() else {
        return Ok(0);
    };
    // At cost 1 and weight 1 the bound is a number of turns; every thread may be about to take, and
    // about to count what it took.
    let lag = lag_max.fixed + 2 * lag_max.jobs + 2 * THREADS;
    let wait = (lag + 1) * u64::from(BUSY);
    let takes = effort.operations / 3 + 1;
    let quiet = Tenant::new(BUSY);
    let count = AtomicU64::new(0);
    // The count once the quiet tenant's push had returned; the maximum before that.
    let woken_at = AtomicU64::new(u64::MAX);
    let turns: Vec<AtomicU64> = (0..=BUSY).map(|_| AtomicU64::new(0)).collect();
    let push = |tenant: Tenant, job: Job| {
        let accepted = queue.push(tenant, Cost::UNIT, job).map(|_| ());
        accepted.map_err(|refused| Breach::new("an accepted push", refused.to_string()))
    };
    for job in 0..2 * THREADS + 2 {
        (0..BUSY).try_for_each(|index| push(Tenant::new(index), job))?;
    }
    let work = || -> Result<(), Breach> {
        while count.load(Ordering::SeqCst) < takes {
            // Before the take: a thread that is set aside in between must not look like a long wait.
            let before = count.load(Ordering::SeqCst);
            let Some(next) = queue.take() else {
                return Err(Breach::new("a job, as everybody has work", "None"));
            };
            let number = count.fetch_add(1, Ordering::SeqCst);
            let tenant = next.ticket.tenant();
            turns[tenant.position()].fetch_add(1, Ordering::SeqCst);
            if tenant == quiet {
                let waited = before.saturating_sub(woken_at.load(Ordering::SeqCst));
                if waited > wait {
                    return Err(Breach::new(
                        format!("a quiet tenant served within {wait} takes"),
                        format!("after {waited}"),
                    ));
                }
            } else {
                push(tenant, next.job)?;
            }
            queue.complete(next.ticket, Cost::UNIT);
            // Now and then the quiet tenant has one job, and no other before that one is taken.
            if number % 500 == 499 && queue.backlog(quiet) == 0 {
                woken_at.store(u64::MAX, Ordering::SeqCst);
                push(quiet, 0)?;
                woken_at.store(count.load(Ordering::SeqCst), Ordering::SeqCst);
            }
        }
        Ok(())
    };
    let verdicts: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .map(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    });
    verdicts.into_iter().collect::<Result<Vec<()>, _>>()?;
    let turns: Vec<u64> = turns
        .iter()
        .map(|turns| turns.load(Ordering::SeqCst))
        .collect();
    let (quiet_turns, busy) = turns.split_last().expect("all tenants");
    let spread = busy
        .iter()
        .max()
        .zip(busy.iter().min())
        .map_or(0, |(most, least)| most - least);
    if spread > lag {
        return Err(Breach::new(
            format!("turns within {lag} of each other"),
            format!("{turns:?}"),
        ));
    }
    if takes > 2_000 && *quiet_turns == 0 {
        return Err(Breach::new("a quiet tenant that is served", "never"));
    }
    Ok(3 * takes)
}
