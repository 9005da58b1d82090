//! `LockFree`, each model about one meeting of two or three operations.

use schedulers::{
    Cost, JobId, Limits, LockFree, Settings, SharedFairQueue, Taken, Tenant, Turns, UnknownTenant,
};

use crate::checker::{Arc, both, check, thread};

const A: Tenant = Tenant::new(0);
const B: Tenant = Tenant::new(1);

type Queue = Arc<LockFree<Turns, u32>>;

fn queue(limits: Limits) -> Queue {
    Arc::new(LockFree::new(&Settings {
        tenants_max: 2,
        limits,
        ..Settings::default()
    }))
}

fn capped(in_flight_max: u32) -> Limits {
    Limits {
        in_flight_max,
        ..Limits::default()
    }
}

fn push(queue: &LockFree<Turns, u32>, tenant: Tenant, job: u32) -> JobId {
    let accepted = queue.push(tenant, Cost::UNIT, job);
    accepted.expect("no limits")
}

fn job(taken: Option<Taken<u32>>) -> Option<u32> {
    taken.map(|taken| taken.job)
}

/// Takes and completes until there is nothing.
fn drain(queue: &LockFree<Turns, u32>) -> Vec<u32> {
    let mut jobs = Vec::new();
    while let Some(taken) = queue.take() {
        jobs.push(taken.job);
        queue.complete(taken.ticket, Cost::UNIT);
    }
    assert_eq!(queue.len(), 0);
    jobs
}

fn sorted(jobs: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let mut jobs: Vec<u32> = jobs.into_iter().collect();
    jobs.sort_unstable();
    jobs
}

/// A tenant that a take is about to find idle becomes eligible: its job is found afterwards.
#[test]
fn activation_meets_release() {
    check(|| {
        let queue = queue(Limits::default());
        push(&queue, A, 1);
        assert_eq!(drain(&queue), [1]);
        // The tenant's bit is lowered by this take, or by none.
        let other = Arc::clone(&queue);
        let (taken, ()) = both(
            move || job(other.take()),
            || {
                push(&queue, A, 2);
            },
        );
        assert_eq!(sorted(taken.into_iter().chain(drain(&queue))), [2]);
    });
}

/// The same where the bit is stale: a take has to lower it, while somebody pushes.
#[test]
fn activation_meets_the_lowering_of_a_stale_bit() {
    check(|| {
        let queue = queue(Limits::default());
        push(&queue, A, 1);
        assert_eq!(job(queue.take()), Some(1));
        let other = Arc::clone(&queue);
        let (taken, ()) = both(
            move || job(other.take()),
            || {
                push(&queue, A, 2);
            },
        );
        assert_eq!(sorted(taken.into_iter().chain(drain(&queue))), [2]);
    });
}

/// Two who push to a tenant whose bit is just being lowered: when either has returned, there is a job.
#[test]
fn a_push_that_has_returned_is_seen_though_another_rests() {
    check(|| {
        let queue = queue(Limits::default());
        push(&queue, A, 1);
        assert_eq!(job(queue.take()), Some(1));
        let [one, other] = [Arc::clone(&queue), Arc::clone(&queue)];
        let pusher = thread::spawn(move || {
            push(&one, A, 2);
        });
        let taker = thread::spawn(move || job(other.take()));
        push(&queue, A, 3);
        let mine = job(queue.take());
        let others = taker.join().expect("no panic");
        // There were two jobs, or one that the other take has.
        assert!(mine.is_some() || others.is_some());
        pusher.join().expect("no panic");
        let all = mine.into_iter().chain(others).chain(drain(&queue));
        assert_eq!(sorted(all), [2, 3]);
    });
}

/// The last job is taken while another is pushed: both come out, in order.
#[test]
fn a_take_of_the_last_job_meets_a_push() {
    check(|| {
        let queue = queue(Limits::default());
        push(&queue, A, 1);
        let other = Arc::clone(&queue);
        let (taken, ()) = both(
            move || job(other.take()),
            || {
                push(&queue, A, 2);
            },
        );
        assert_eq!(taken, Some(1));
        assert_eq!(drain(&queue), [2]);
    });
}

/// Two takes of one tenant with two jobs have one each, and none answers `None`.
#[test]
fn two_takes_of_one_tenant() {
    check(|| {
        let queue = queue(Limits::default());
        push(&queue, A, 1);
        push(&queue, A, 2);
        let other = Arc::clone(&queue);
        let (one, another) = both(move || job(other.take()), || job(queue.take()));
        assert_eq!(sorted(one.into_iter().chain(another)), [1, 2]);
    });
}

/// Two takes never exceed a cap.
#[test]
fn two_takes_at_a_cap() {
    check(|| {
        let queue = queue(capped(1));
        push(&queue, A, 1);
        push(&queue, A, 2);
        let other = Arc::clone(&queue);
        let (one, another) = both(move || job(other.take()), || job(queue.take()));
        assert_eq!(sorted(one.into_iter().chain(another)), [1]);
        assert_eq!(queue.in_flight(A), 1);
    });
}

/// A job is pushed and another waits; one take elsewhere cannot have both, so this one finds one.
#[test]
fn a_take_is_none_only_when_nothing_was_eligible() {
    check(|| {
        let queue = queue(Limits::default());
        push(&queue, A, 1);
        let other = Arc::clone(&queue);
        let (one, another) = both(
            move || job(other.take()),
            || {
                push(&queue, B, 2);
                job(queue.take())
            },
        );
        assert_eq!(sorted(one.into_iter().chain(another)), [1, 2]);
    });
}

/// The completion that frees the only slot, while a take parks the tenant: the next job is found.
#[test]
fn park_meets_complete() {
    check(|| {
        let queue = queue(capped(1));
        push(&queue, A, 1);
        push(&queue, A, 2);
        let ticket = queue.take().expect("a job").ticket;
        let other = Arc::clone(&queue);
        let (taken, ()) = both(
            move || job(other.take()),
            || queue.complete(ticket, Cost::UNIT),
        );
        let left = drain_capped(&queue, taken.is_some());
        assert_eq!(sorted(taken.into_iter().chain(left)), [2]);
    });
}

/// What can still be taken, given whether the only slot is used.
fn drain_capped(queue: &LockFree<Turns, u32>, is_full: bool) -> Vec<u32> {
    if is_full {
        assert!(queue.take().is_none());
        return Vec::new();
    }
    drain(queue)
}

/// A job is taken or cancelled, never both and never neither; the one behind it stays.
#[test]
fn cancel_meets_take() {
    check(|| {
        let queue = queue(Limits::default());
        let first = push(&queue, A, 1);
        push(&queue, A, 2);
        let other = Arc::clone(&queue);
        let (cancelled, taken) = both(move || other.cancel(first), || job(queue.take()));
        assert!(taken.is_some());
        assert_eq!(taken == Some(1), cancelled.is_none());
        let all = taken.into_iter().chain(cancelled).chain(drain(&queue));
        assert_eq!(sorted(all), [1, 2]);
    });
}

/// The same with two who cancel, and a job in the middle.
#[test]
fn two_cancels_meet_a_take() {
    check(|| {
        let queue = queue(Limits::default());
        let first = push(&queue, A, 1);
        let second = push(&queue, A, 2);
        let [one, other] = [Arc::clone(&queue), Arc::clone(&queue)];
        let cancels = thread::spawn(move || one.cancel(first));
        let (also, taken) = both(move || other.cancel(second), || job(queue.take()));
        let cancelled = cancels.join().expect("no panic");
        let all = [cancelled, also, taken];
        assert_eq!(
            sorted(all.into_iter().flatten().chain(drain(&queue))),
            [1, 2]
        );
        assert_eq!(queue.backlog(A), 0);
    });
}

/// Two changes of a cap at once leave one of the two.
#[test]
fn two_changes_of_a_cap() {
    check(|| {
        let queue = queue(capped(1));
        push(&queue, A, 1);
        push(&queue, A, 2);
        push(&queue, A, 3);
        let _ticket = queue.take().expect("a job").ticket;
        let configure = |queue: &LockFree<Turns, u32>, cap: u32| -> Result<(), UnknownTenant> {
            queue.configure(A, capped(cap))
        };
        let other = Arc::clone(&queue);
        let (one, another) = both(move || configure(&other, 2), || configure(&queue, 3));
        one.and(another).expect("below the maximum");
        assert_eq!(queue.in_flight(A), 1);
        let mut more = Vec::new();
        let taken = queue.take_batch(9, &mut more);
        assert!(taken == 1 || taken == 2, "{taken} beside the first");
        assert_eq!(queue.in_flight(A), taken + 1);
    });
}

/// After a pause has returned, nothing is taken.
#[test]
fn pause_meets_take() {
    check(|| {
        let queue = queue(Limits::default());
        push(&queue, A, 1);
        let other = Arc::clone(&queue);
        let (taken, (in_flight, refused)) = both(
            move || job(other.take()),
            || {
                queue.pause(A).expect("below the maximum");
                (queue.in_flight(A), queue.take().is_none())
            },
        );
        assert!(refused);
        assert_eq!(usize::from(taken.is_some()), in_flight);
        queue.resume(A).expect("below the maximum");
        let left = usize::from(queue.take().is_some());
        assert_eq!(left + in_flight, 1);
    });
}

/// A tenant leaves, and its lane is freed, while a job is pushed for it: the job is not lost.
#[test]
fn a_lane_is_freed_while_a_job_is_pushed() {
    check(|| {
        let queue = queue(Limits::default());
        push(&queue, A, 1);
        let other = Arc::clone(&queue);
        let (removed, ()) = both(
            move || other.remove(A),
            || {
                push(&queue, A, 2);
            },
        );
        let all = removed.into_iter().chain(drain(&queue));
        assert_eq!(sorted(all), [1, 2]);
    });
}

/// The same with limits that are set meanwhile: they are of the next tenant, or went with this one.
#[test]
fn a_lane_is_freed_while_its_tenant_is_paused() {
    check(|| {
        let queue = queue(Limits::default());
        push(&queue, A, 1);
        let other = Arc::clone(&queue);
        let (removed, ()) = both(
            move || {
                let removed = other.remove(A);
                other.remove(B);
                removed
            },
            || {
                queue.pause(B).expect("below the maximum");
                push(&queue, B, 2);
            },
        );
        assert_eq!(removed, [1]);
        let resumed = queue.resume(B);
        resumed.expect("below the maximum");
        assert!(drain(&queue).len() <= 1);
    });
}

/// A push that was accepted before the queue closed is reclaimed; one that was not is refused.
#[test]
fn close_and_reclaim_meets_push() {
    check(|| {
        let queue = queue(Limits::default());
        push(&queue, A, 1);
        let other = Arc::clone(&queue);
        let (reclaimed, pushed) = both(
            move || other.close_and_reclaim(),
            || queue.push(A, Cost::UNIT, 2),
        );
        let reclaimed = reclaimed.into_iter().map(|(_, job)| job);
        let refused = pushed.err().map(|refused| refused.job);
        assert_eq!(sorted(reclaimed.chain(refused)), [1, 2]);
        assert!(queue.take().is_none());
    });
}

/// Larger, and at random only: producers, a consumer and one who cancels; each job once, in order.
#[cfg(shuttle)]
#[test]
fn a_crowd() {
    const JOBS: u32 = 6;
    check(|| {
        let queue = queue(capped(2));
        let mut threads = Vec::new();
        for producer in 0..2 {
            let queue = Arc::clone(&queue);
            threads.push(thread::spawn(move || {
                let mut out = Vec::new();
                for number in 0..JOBS {
                    let job = producer * JOBS + number;
                    let id = push(&queue, if number % 3 == 0 { B } else { A }, job);
                    if number % 4 == 3 {
                        out.extend(queue.cancel(id));
                    }
                }
                out
            }));
        }
        for _ in 0..2 {
            let queue = Arc::clone(&queue);
            threads.push(thread::spawn(move || {
                let mut out = Vec::new();
                for _ in 0..JOBS {
                    if let Some(taken) = queue.take() {
                        out.push(taken.job);
                        assert!(queue.in_flight(A) <= 2 && queue.in_flight(B) <= 2);
                        queue.complete(taken.ticket, Cost::UNIT);
                    }
                }
                out
            }));
        }
        let mut all = Vec::new();
        for thread in threads {
            all.extend(thread.join().expect("no panic"));
        }
        all.extend(drain(&queue));
        assert_eq!(sorted(all), (0..2 * JOBS).collect::<Vec<_>>());
    });
}
