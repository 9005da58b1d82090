//! What wakes whom. Counted in calls of wakers: no test here waits for time to pass.

use std::panic::{AssertUnwindSafe, catch_unwind};

use schedulers::discipline::ActiveList;
use schedulers::{
    Cost, Limits, Locked, Offer, Settings, SharedFairQueue, Tenant, TenantQueue, Waiting,
};

use crate::task::{Task, wakes};
use crate::{A, B, capped, push, serve};

pub(crate) fn one_job_wakes_one_worker_and_the_next_another<Q: SharedFairQueue<u64>>(
    queue: &Waiting<Q>,
) {
    let tasks = [(); 3].map(|()| Task::asleep(queue));
    push(queue, A, 1);
    assert_eq!(wakes(&tasks), [1, 0, 0]);
    // Before the first had a chance to run: workers take one job, and then work for long.
    push(queue, A, 1);
    assert_eq!(wakes(&tasks), [1, 1, 0]);
    push(queue, B, 2);
    assert_eq!(wakes(&tasks), [1, 1, 1]);
    for task in tasks {
        task.end().expect("a job each");
    }
    assert_eq!(queue.len(), 1);
}

pub(crate) fn a_batch_wakes_as_many_as_it_has_jobs<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>) {
    let limits = Limits {
        backlog_max: 0,
        ..Limits::default()
    };
    queue.configure(B, limits).expect("a small handle");
    let tasks = [(); 4].map(|()| Task::asleep(queue));
    let mut pushed = Vec::new();
    let offer = |tenant: Tenant| Offer {
        tenant,
        cost: Cost::UNIT,
        job: 0,
    };
    queue.push_batch(&mut [A, B, A].map(offer).to_vec(), &mut pushed);
    assert_eq!(wakes(&tasks), [1, 1, 0, 0], "one was refused");
    queue.push_batch(&mut vec![offer(A); 5], &mut pushed);
    assert_eq!(wakes(&tasks), [1, 1, 1, 1]);
}

pub(crate) fn a_slot_that_comes_free_wakes_one<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>) {
    queue.configure(A, capped(2)).expect("a small handle");
    push(queue, A, 6);
    let first = queue.take().expect("below its cap");
    let second = queue.take().expect("below its cap");
    let tasks = [(); 3].map(|()| Task::asleep(queue));
    queue.complete(first.ticket, Cost::UNIT);
    assert_eq!(wakes(&tasks), [1, 0, 0]);
    queue.complete_batch(&mut vec![(second.ticket, Cost::UNIT)]);
    assert_eq!(wakes(&tasks), [1, 1, 0]);
    let [first, second, _third] = tasks;
    assert_eq!((first.end(), second.end()), (Ok(2), Ok(3)));
}

pub(crate) fn a_change_of_limits_wakes_for_what_waits<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>) {
    queue.pause(A).expect("a small handle");
    queue.configure(B, capped(0)).expect("a small handle");
    push(queue, A, 2);
    push(queue, B, 1);
    let tasks = [(); 4].map(|()| Task::asleep(queue));
    queue.resume(A).expect("a small handle");
    assert_eq!(wakes(&tasks), [1, 1, 0, 0]);
    queue.configure(B, capped(1)).expect("a small handle");
    assert_eq!(wakes(&tasks), [1, 1, 1, 0]);
}

pub(crate) fn what_makes_nothing_takable_wakes_nobody<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>) {
    push(queue, A, 1);
    let taken = queue.take().expect("it was just pushed");
    let tasks = [Task::asleep(queue)];
    queue.complete(taken.ticket, Cost::UNIT);
    queue.configure(A, capped(4)).expect("a small handle");
    queue.pause(A).expect("a small handle");
    queue.resume(A).expect("a small handle");
    queue.remove(A);
    let no_backlog = Limits {
        backlog_max: 0,
        ..Limits::default()
    };
    queue.configure(B, no_backlog).expect("a small handle");
    queue.push(B, Cost::UNIT, 0).expect_err("no backlog");
    queue.push_batch(&mut Vec::new(), &mut Vec::new());
    queue.complete_batch(&mut Vec::new());
    assert!(queue.take().is_none());
    assert_eq!(wakes(&tasks), [0]);
}

pub(crate) fn a_wake_up_for_a_job_that_is_gone_goes_back_to_sleep<Q: SharedFairQueue<u64>>(
    queue: &Waiting<Q>,
) {
    let mut slow = Task::asleep(queue);
    push(queue, A, 1);
    serve(queue);
    assert_eq!(slow.wakes(), 1);
    assert!(slow.poll().is_pending());
    push(queue, A, 1);
    assert_eq!(slow.wakes(), 2);
    slow.end().expect("this one is for it");
}

pub(crate) fn a_dropped_take_passes_its_wake_up_on<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>) {
    let [first, second, third] = [(); 3].map(|()| Task::asleep(queue));
    push(queue, A, 2);
    drop(first);
    assert_eq!(third.wakes(), 1);
    drop(third);
    assert_eq!(second.end(), Ok(0));
    assert_eq!(
        queue.len(),
        1,
        "it had nobody left to go to, and is not lost"
    );
    serve(queue);

    let waits = Task::asleep(queue);
    drop(Task::asleep(queue)); // was never woken, and has nothing to pass on
    assert_eq!(waits.wakes(), 0);
}

pub(crate) fn completions_before_a_foreign_ticket_wake_too<Q: SharedFairQueue<u64>>(
    queue: &Waiting<Q>,
) {
    let other = Locked::new(TenantQueue::<ActiveList, u64>::new(&Settings::default()));
    push(&other, A, 1);
    let foreign = other.take().expect("it was just pushed").ticket;

    queue.configure(A, capped(1)).expect("a small handle");
    push(queue, A, 2);
    let own = queue.take().expect("below its cap").ticket;
    let task = Task::asleep(queue);
    let mut done = vec![(own, Cost::UNIT), (foreign, Cost::UNIT)];
    let outcome = catch_unwind(AssertUnwindSafe(|| queue.complete_batch(&mut done)));
    outcome.expect_err("a foreign ticket panics");
    assert_eq!(task.end(), Ok(1));
}
