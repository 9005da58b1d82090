//! The law of memory, which needs an allocator that counts.

use super::law::{Breach, Subject, Violation};
use super::{Effort, Job};
use crate::{Cost, FairQueue, JobId, Limits, Settings, Tenant};

/// Jobs, or tenants, of a burst.
const BURST: u32 = 1 << 18;
/// Bytes that a queue may keep when all of a burst has gone: three for each two of it. (A queue keeps two
/// chunks of nodes and a small ring, up to 40 KiB, and one of eight shards that eight times.)
const BYTES_KEPT: usize = BURST as usize * 3 / 2;
/// Bytes that a queue may hold for each of a few jobs that are left of many: eight nodes of them.
const BYTES_PER_JOB: usize = 8 * 32;
/// Fills a queue, and empties it in some way.
type Leave = fn(&mut dyn FairQueue<Job>);

/// Checks that memory falls back when a burst has gone, however it went. `allocated` tells how many
/// bytes the thread's allocator has handed out and not got back; nothing else may allocate meanwhile.
///
/// A queue of 2^18 jobs, or as many tenants, keeps at most three bytes for each two once they are gone, and at
/// most 256 bytes for each job that is left.
///
/// # Errors
///
/// The way of leaving after which too much is held.
pub fn check_memory(subject: &Subject, allocated: fn() -> usize) -> Result<(), Box<Violation>> {
    let ways: [(&str, Leave); 8] = [
        ("a burst was drained", burst_drained),
        ("a burst was cancelled", burst_cancelled),
        ("a burst was drained but for a few", burst_nearly_drained),
        ("a burst was reclaimed", burst_reclaimed),
        (
            "many tenants were drained and left",
            tenants_drained_and_left,
        ),
        ("many tenants left with their jobs", tenants_left),
        ("many tenants of as many limits left", limits_left),
        (
            "each of many tenants pushed and cancelled",
            cancelled_in_turn,
        ),
    ];
    for (way, leave) in ways {
        let before = allocated();
        let mut queue = (subject.new)(&Settings::default());
        leave(&mut *queue);
        let held = allocated().saturating_sub(before);
        let allowed = BYTES_KEPT + BYTES_PER_JOB * queue.len();
        if held > allowed {
            return Err(Box::new(Violation {
                law: "memory",
                statement: "memory falls back after a burst, and after tenants leave",
                scheduler: subject.name,
                breach: Breach::new(
                    format!("at most {allowed} bytes after {way}"),
                    format!("{held} bytes"),
                ),
                effort: Effort::new(0, 0),
            }));
        }
    }
    Ok(())
}

const NOISY: Tenant = Tenant::new(0);

fn push(queue: &mut dyn FairQueue<Job>, tenant: Tenant, job: u32) -> JobId {
    let accepted = queue.push(tenant, Cost::UNIT, Job::from(job));
    accepted.expect("a queue without limits accepts a push")
}

fn burst(queue: &mut dyn FairQueue<Job>) {
    for job in 0..BURST {
        push(queue, NOISY, job);
    }
}

fn serve(queue: &mut dyn FairQueue<Job>, jobs: u32) {
    for _ in 0..jobs {
        let taken = queue.take().expect("a queue with work gives a job");
        queue.complete(taken.ticket, Cost::UNIT);
    }
}

fn burst_drained(queue: &mut dyn FairQueue<Job>) {
    burst(queue);
    serve(queue, BURST);
}

/// Nothing is ever taken.
fn burst_cancelled(queue: &mut dyn FairQueue<Job>) {
    let ids: Vec<JobId> = (0..BURST).map(|job| push(queue, NOISY, job)).collect();
    for id in ids {
        queue.cancel(id).expect("a waiting job is cancelled");
    }
}

fn burst_nearly_drained(queue: &mut dyn FairQueue<Job>) {
    burst(queue);
    serve(queue, BURST - 1_000);
}

fn burst_reclaimed(queue: &mut dyn FairQueue<Job>) {
    burst(queue);
    drop(queue.close_and_reclaim());
}

/// In the order of the handles: the table of lanes can only shrink once the last has left.
fn for_each_tenant(visit: impl FnMut(Tenant)) {
    (0..BURST).map(Tenant::new).for_each(visit);
}

fn tenants_drained_and_left(queue: &mut dyn FairQueue<Job>) {
    for_each_tenant(|tenant| {
        push(queue, tenant, tenant.index());
    });
    serve(queue, BURST);
    for_each_tenant(|tenant| {
        queue.remove(tenant);
    });
}

/// Nothing is ever taken.
fn tenants_left(queue: &mut dyn FairQueue<Job>) {
    for_each_tenant(|tenant| {
        push(queue, tenant, tenant.index());
    });
    for_each_tenant(|tenant| {
        queue.remove(tenant);
    });
}

fn limits_left(queue: &mut dyn FairQueue<Job>) {
    for_each_tenant(|tenant| {
        let limits = Limits {
            backlog_max: tenant.index(),
            ..Limits::default()
        };
        queue.configure(tenant, limits).expect("below the maximum");
    });
    for_each_tenant(|tenant| {
        queue.remove(tenant);
    });
}

/// One job at a time, and nothing is ever taken; then everybody leaves.
fn cancelled_in_turn(queue: &mut dyn FairQueue<Job>) {
    for_each_tenant(|tenant| {
        let id = push(queue, tenant, tenant.index());
        queue.cancel(id).expect("a waiting job is cancelled");
    });
    for_each_tenant(|tenant| {
        queue.remove(tenant);
    });
}
