//! Takes that wait, against everything that may wake them. A wake-up that gets lost is a deadlock, and
//! the checker says so.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use loom::future::block_on;
use loom::sync::Arc;
use loom::thread;
use schedulers::discipline::ActiveList;
use schedulers::{
    Closed, Cost, Limits, Locked, Settings, SharedFairQueue, Tenant, TenantQueue, Waiting,
};

use crate::bag::Bag;

const A: Tenant = Tenant::new(0);
/// Within this many preemptions of a thread that could run on, every interleaving is gone through.
const PREEMPTIONS_MAX: usize = 3;

type Queue = Waiting<Locked<TenantQueue<ActiveList, u32>>>;

fn explore(check: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(PREEMPTIONS_MAX);
    builder.check(check);
}

fn model(check: impl Fn(Arc<Queue>) + Sync + Send + 'static) {
    explore(move || {
        let queue = Locked::new(TenantQueue::new(&Settings::default()));
        check(Arc::new(Waiting::new(queue)));
    });
}

fn push(queue: &Queue, job: u32) {
    queue.push(A, Cost::UNIT, job).expect("no limits");
}

fn cap_at_one(queue: &Queue) {
    let limits = Limits {
        in_flight_max: 1,
        ..Limits::default()
    };
    queue.configure(A, limits).expect("a small handle");
}

/// Takes a job, waiting for it, and ends it.
fn serve(queue: &Queue) -> Result<u32, Closed> {
    let taken = queue.take_blocking()?;
    queue.complete(taken.ticket, Cost::UNIT);
    Ok(taken.job)
}

/// Runs `work` in a thread of its own.
fn spawn<T: 'static>(
    queue: &Arc<Queue>,
    work: impl FnOnce(&Queue) -> T + 'static,
) -> thread::JoinHandle<T> {
    let queue = Arc::clone(queue);
    thread::spawn(move || work(&queue))
}

fn join<T>(thread: thread::JoinHandle<T>) -> T {
    thread.join().expect("no panic")
}

#[test]
fn a_push_while_a_thread_falls_asleep() {
    model(|queue| {
        let worker = spawn(&queue, serve);
        push(&queue, 1);
        assert_eq!(join(worker), Ok(1));
    });
}

#[test]
fn a_push_while_a_task_registers_its_waker() {
    model(|queue| {
        let worker = spawn(&queue, |queue| {
            block_on(queue.take_async()).map(|taken| taken.job)
        });
        push(&queue, 1);
        assert_eq!(join(worker), Ok(1));
    });
}

#[test]
fn two_jobs_wake_two_workers() {
    model(|queue| {
        // Each takes one job only, and works on it for ever: it completes nothing.
        let take = |queue: &Queue| queue.take_blocking().map(|taken| taken.job);
        let workers = [(); 2].map(|()| spawn(&queue, take));
        push(&queue, 1);
        push(&queue, 2);
        let served = workers.map(join);
        assert!(served == [Ok(1), Ok(2)] || served == [Ok(2), Ok(1)]);
    });
}

#[test]
fn a_completion_while_a_worker_falls_asleep_over_a_parked_tenant() {
    model(|queue| {
        cap_at_one(&queue);
        push(&queue, 1);
        push(&queue, 2);
        let running = queue.take().expect("below its cap");
        let worker = spawn(&queue, serve);
        queue.complete(running.ticket, Cost::UNIT);
        assert_eq!(join(worker), Ok(2));
    });
}

#[test]
fn a_resume_while_a_worker_falls_asleep() {
    model(|queue| {
        queue.pause(A).expect("a small handle");
        push(&queue, 1);
        let worker = spawn(&queue, serve);
        queue.resume(A).expect("a small handle");
        assert_eq!(join(worker), Ok(1));
    });
}

#[test]
fn a_close_while_workers_fall_asleep() {
    model(|queue| {
        let workers = [(); 2].map(|()| spawn(&queue, serve));
        queue.close();
        assert_eq!(workers.map(join), [Err(Closed); 2]);
    });
}

#[test]
fn a_removal_that_empties_a_closed_queue_while_a_worker_falls_asleep() {
    model(|queue| {
        queue.pause(A).expect("a small handle");
        push(&queue, 1);
        queue.close();
        // A worker that waits for the paused job, and somebody who takes it away.
        let worker = spawn(&queue, serve);
        assert_eq!(queue.remove(A), [1]);
        assert_eq!(join(worker), Err(Closed));
    });
}

#[test]
fn the_last_take_from_a_closed_queue_ends_the_other_workers() {
    model(|queue| {
        cap_at_one(&queue);
        push(&queue, 1);
        push(&queue, 2);
        let running = queue.take().expect("below its cap");
        queue.close();
        // Both may fall asleep over the parked job; whoever gets it tells the other.
        let workers = [(); 2].map(|()| spawn(&queue, serve));
        queue.complete(running.ticket, Cost::UNIT);
        let ends = workers.map(join);
        assert!(ends == [Ok(2), Err(Closed)] || ends == [Err(Closed), Ok(2)]);
    });
}

#[test]
fn a_take_that_is_dropped_passes_its_wake_up_on() {
    model(|queue| {
        let patient = spawn(&queue, serve);
        let hasty = spawn(&queue, |queue| {
            // Polled once, and dropped: the push may come before, between and after.
            let mut take = pin!(queue.take_async());
            let polled = block_on(poll_fn(|context| Poll::Ready(take.as_mut().poll(context))));
            if let Poll::Ready(Ok(taken)) = polled {
                queue.complete(taken.ticket, Cost::UNIT);
                push(queue, taken.job); // it was quicker: the other gets it now
            }
        });
        push(&queue, 1);
        assert_eq!(join(patient), Ok(1));
        join(hasty);
    });
}

/// Whether a task was woken. Not the checker's, as it is read when all is over.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: std::sync::Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A queue without a lock, and a task that is polled while `change` happens: if it found nothing, it
/// must have been woken. (No deadlock here, so that a fault can be seen to fail.)
fn poll_during<const FENCED: bool>(change: fn(&Waiting<Bag<FENCED>>)) {
    explore(move || {
        let queue = Arc::new(Waiting::new(Bag::<FENCED>::new()));
        let woken = std::sync::Arc::new(Woken::default());
        let worker = thread::spawn({
            let (queue, waker) = (Arc::clone(&queue), Waker::from(woken.clone()));
            move || {
                let mut take = Box::pin(async move { queue.take_async().await });
                let polled = take.as_mut().poll(&mut Context::from_waker(&waker));
                (polled.is_pending(), take)
            }
        });
        change(&queue);
        let (sleeps, take) = join(worker);
        let lost = sleeps && !woken.0.load(Ordering::Relaxed);
        drop(take);
        assert!(!lost, "a wake-up was lost");
    });
}

fn push_one<const FENCED: bool>(queue: &Waiting<Bag<FENCED>>) {
    queue.push(A, Cost::UNIT, ()).expect("no limits");
}

fn close<const FENCED: bool>(queue: &Waiting<Bag<FENCED>>) {
    queue.close();
}

#[test]
fn the_fence_of_a_queue_without_a_lock_keeps_wake_ups() {
    poll_during::<true>(push_one);
    poll_during::<true>(close);
}

/// Two faults that stay planted: this is what the fence is for.
mod without_its_fence_a_wake_up_is_lost {
    use super::*;

    #[test]
    #[should_panic(expected = "a wake-up was lost")]
    fn by_a_push() {
        poll_during::<false>(push_one);
    }

    #[test]
    #[should_panic(expected = "a wake-up was lost")]
    fn by_a_close() {
        poll_during::<false>(close);
    }
}
