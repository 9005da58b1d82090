//! How waiting ends: with a job, in time or not, or with the queue.

use std::thread;
use std::time::Duration;

use schedulers::{Closed, Cost, SharedFairQueue, Waiting};

use crate::task::{Task, wakes};
use crate::{A, B, capped, push};

pub(crate) fn closing_wakes_everyone_and_what_waits_is_drained<Q: SharedFairQueue<u64>>(
    queue: &Waiting<Q>,
) {
    queue.pause(A).expect("a small handle");
    push(queue, A, 1);
    let [first, second, mut third] = [(); 3].map(|()| Task::asleep(queue));
    queue.close();
    assert_eq!([first.wakes(), second.wakes(), third.wakes()], [1; 3]);
    assert!(third.poll().is_pending(), "a job is still to come");
    queue.resume(A).expect("a small handle");
    assert_eq!(first.end(), Ok(0));
    assert_eq!((second.end(), third.end()), (Err(Closed), Err(Closed)));
    assert_eq!(queue.take_blocking().map(|_| ()), Err(Closed), "for ever");
}

pub(crate) fn reclaiming_wakes_everyone<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>) {
    queue.pause(A).expect("a small handle");
    push(queue, A, 2);
    let tasks = [(); 2].map(|()| Task::asleep(queue));
    assert_eq!(queue.close_and_reclaim().len(), 2);
    for task in tasks {
        assert_eq!(task.end(), Err(Closed));
    }
}

pub(crate) fn jobs_of_a_capped_tenant_are_waited_for<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>) {
    queue.configure(A, capped(1)).expect("a small handle");
    push(queue, A, 2);
    queue.close();
    let running = queue.take().expect("below its cap");
    let waits = Task::asleep(queue);
    queue.complete(running.ticket, Cost::UNIT);
    assert_eq!(waits.end(), Ok(1));
}

pub(crate) fn whoever_empties_a_closed_queue_wakes_the_others<Q: SharedFairQueue<u64>>(
    queue: &Waiting<Q>,
) {
    queue.configure(A, capped(0)).expect("a small handle");
    let job = queue.push(A, Cost::UNIT, 0).expect("no limits");
    push(queue, B, 1);
    queue.pause(B).expect("a small handle");
    queue.close();
    let tasks = [(); 2].map(|()| Task::asleep(queue));
    assert_eq!(queue.cancel(job), Some(0));
    assert_eq!(wakes(&tasks), [0, 0], "another job is still to come");
    assert_eq!(queue.remove(B), [0]);
    for task in tasks {
        assert_eq!(task.end(), Err(Closed));
    }
}

pub(crate) fn a_timeout_is_not_the_end<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>) {
    let soon = Duration::from_millis(2);
    assert!(matches!(queue.take_timeout(Duration::ZERO), Ok(None)));
    assert!(matches!(queue.take_timeout(soon), Ok(None)));
    push(queue, A, 1);
    let taken = queue.take_timeout(Duration::ZERO).expect("not closed");
    queue.complete(taken.expect("a job waits").ticket, Cost::UNIT);
    queue.close();
    assert!(matches!(queue.take_timeout(soon), Err(Closed)));
}

/// CASES 34: tokio-rs/tokio/issues/5536, kube-rs/kube/issues/1772, restatedev/restate/pull/5017
pub(crate) fn the_longest_timeout_is_none<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>) {
    let three_years = Duration::from_secs(3 * 365 * 24 * 60 * 60);
    let wheels_end = Duration::from_millis((1 << 36) + 10_000);
    for timeout in [Duration::MAX, three_years, wheels_end] {
        thread::scope(|scope| {
            let worker = scope.spawn(move || queue.take_timeout(timeout));
            push(queue, A, 1);
            let taken = worker.join().expect("no panic").expect("not closed");
            queue.complete(taken.expect("a job came").ticket, Cost::UNIT);
        });
    }
}
