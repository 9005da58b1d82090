//! Takes by name that wait.

use std::sync::Arc;
use std::sync::mpsc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use schedulers::discipline::ActiveList;
use schedulers::keyed::{KeyedJob, SharedKeyed};
use schedulers::{Closed, Cost, Locked, Settings, TenantQueue, Waiting};

type Queue = SharedKeyed<String, Waiting<Locked<TenantQueue<ActiveList, KeyedJob<String, u32>>>>>;

fn queue() -> Arc<Queue> {
    let queue = Locked::new(TenantQueue::new(&Settings::default()));
    Arc::new(SharedKeyed::new(Waiting::new(queue)))
}

#[test]
fn a_take_waits_for_a_push_by_name_and_for_the_end() {
    let queue = queue();
    let worker = thread::spawn({
        let queue = Arc::clone(&queue);
        move || {
            let mut served = Vec::new();
            while let Ok(taken) = queue.take_blocking() {
                let (job, lease) = taken.lease(Arc::clone(&queue));
                served.push((lease.key().clone(), job));
            }
            served
        }
    });
    for (key, job) in [("a", 1), ("a", 2), ("a", 3)] {
        queue.push(key, Cost::UNIT, job).expect("no limits");
    }
    queue.close();
    let served = worker.join().expect("no panic");
    assert_eq!(served, [1, 2, 3].map(|job| ("a".to_owned(), job)));
    assert_eq!(queue.in_flight("a"), 0);
    assert_eq!(queue.take_timeout(Duration::ZERO).err(), Some(Closed));
    assert_eq!(pollster::block_on(queue.take_async()).err(), Some(Closed));
}

/// More than there are shards, so that one of them shares that of the name pushed for.
const NAMES: u32 = 500;

/// A waker that makes tenants known.
struct Naming(Arc<Queue>, mpsc::Sender<()>);

impl Wake for Naming {
    fn wake(self: Arc<Self>) {
        for name in 0..NAMES {
            let paused = self.0.pause(&name.to_string());
            paused.expect("there is room");
        }
        self.1.send(()).expect("the test waits");
    }
}

/// CASES 36 (xacrimon/dashmap/issues/369): a waker is a callback too.
#[test]
fn a_waker_runs_under_no_guard_of_the_map() {
    let queue = queue();
    let (woken, wake_ups) = mpsc::channel();
    let waker = Waker::from(Arc::new(Naming(Arc::clone(&queue), woken)));
    let pushes = thread::spawn(move || {
        let mut take = Box::pin(queue.take_async());
        let polled = take.as_mut().poll(&mut Context::from_waker(&waker));
        assert!(matches!(polled, Poll::Pending));
        queue.push("a", Cost::UNIT, 1).expect("no limits");
        let polled = take.as_mut().poll(&mut Context::from_waker(&waker));
        assert!(matches!(polled, Poll::Ready(Ok(taken)) if taken.job == 1));
    });
    let woken = wake_ups.recv_timeout(Duration::from_secs(5));
    assert_eq!(woken, Ok(()), "a deadlock");
    pushes.join().expect("no panic");
}
