//! No guard of the map leaves the API, and no callback runs under one.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use schedulers::{Cost, Settings};

use super::shared;

/// Fails unless `work` ends before the watchdog barks.
fn watched(work: impl FnOnce() + Send + 'static) {
    let (done, watchdog) = mpsc::channel();
    let worker = thread::spawn(move || {
        work();
        done.send(()).expect("the watchdog waits");
    });
    let end = watchdog.recv_timeout(Duration::from_secs(5));
    assert!(end != Err(mpsc::RecvTimeoutError::Timeout), "a deadlock");
    worker.join().expect("no panic");
}

/// More than there are shards, so that any two of some share one.
const NAMES: u32 = 500;
const KNOWN: &str = "known to all";
const OF_A_VISIT: &str = ", of a visit";

/// CASES 36 (xacrimon/dashmap/issues/369, /74, /284): one thread.
#[test]
fn a_visit_may_push_for_another_tenant_and_remove_the_one_visited() {
    watched(|| {
        let queue = shared(&Settings::default());
        for name in 0..NAMES {
            queue
                .push(&name.to_string(), Cost::UNIT, name)
                .expect("no limits");
        }
        let mut visited = 0;
        queue.for_each_key(|key| {
            // Who became known meanwhile may be visited too.
            if key == KNOWN || key.ends_with(OF_A_VISIT) {
                return;
            }
            visited += 1;
            let other = format!("{key}{OF_A_VISIT}");
            queue.push(&other, Cost::UNIT, 0).expect("no limits");
            queue.push(KNOWN, Cost::UNIT, 0).expect("no limits");
            queue.push(key, Cost::UNIT, 0).expect("no limits");
            assert_eq!(queue.remove(key).len(), 2);
            assert_eq!(queue.backlog(key), 0);
        });
        assert_eq!(visited, NAMES);
    });
}

/// CASES 36 again: two threads crossing, each in a visit.
#[test]
fn visits_of_two_threads_may_push_for_each_others_tenants() {
    watched(|| {
        let queue = shared(&Settings::default());
        for name in 0..NAMES {
            queue
                .push(&name.to_string(), Cost::UNIT, name)
                .expect("no limits");
        }
        let cross = |of_tenant: fn(u32) -> u32| {
            queue.for_each_key(|key| {
                let own: u32 = key.parse().expect("a number");
                let other = of_tenant(own).to_string();
                queue.push(&other, Cost::UNIT, own).expect("no limits");
                queue.remove(key);
                let taken = queue.take();
                if let Some(taken) = taken {
                    queue.complete(taken.ticket, Cost::UNIT);
                }
            });
        };
        thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| cross(|own| NAMES - 1 - own));
                scope.spawn(|| cross(|own| (own + NAMES / 2) % NAMES));
            }
        });
    });
}
