//! What tenants leave behind who came once. In a binary of its own, as an allocator that counts is
//! global; and in one test, as whatever else runs would be counted too.

use std::alloc::System;
use std::hash::Hash;

use schedulers::discipline::ActiveList;
use schedulers::keyed::{Keyed, SharedKeyed};
use schedulers::{Cost, Locked, Settings, TenantQueue};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn allocated() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

/// How many come; a million where that does not take long.
const ONE_SHOTS: u32 = if cfg!(debug_assertions) {
    100_000
} else {
    1_000_000
};
/// What so many may leave.
const BYTES_KEPT: usize = ONE_SHOTS as usize / 100_000 * (1 << 20);

/// The two ways to come once: one after the other, and all before the first is served.
fn check<Q>(what: &str, new: impl Fn() -> Q, push: impl Fn(&mut Q, u32), serve: impl Fn(&mut Q)) {
    for (way, at_once) in [("one by one", 1), ("all at once", ONE_SHOTS)] {
        let before = allocated();
        let mut queue = new();
        for first in (0..ONE_SHOTS).step_by(at_once as usize) {
            (first..first + at_once).for_each(|tenant| push(&mut queue, tenant));
            (0..at_once).for_each(|_| serve(&mut queue));
        }
        let kept = allocated().saturating_sub(before);
        assert!(
            kept <= BYTES_KEPT,
            "{ONE_SHOTS} tenants that came {way} leave {kept} bytes in {what}"
        );
        println!("{ONE_SHOTS} tenants that came {way} leave {kept} bytes in {what}");
        drop(queue);
    }
}

fn check_owned<K: Hash + Eq + Clone>(what: &str, key: impl Fn(u32) -> K) {
    check(
        what,
        || Keyed::<K, _>::new(TenantQueue::<ActiveList, u32>::new(&Settings::default())),
        |queue, tenant| {
            queue
                .push(&key(tenant), Cost::UNIT, tenant)
                .expect("there is room");
        },
        |queue| {
            let taken = queue.take().expect("jobs wait");
            queue.complete(taken.ticket, Cost::UNIT);
        },
    );
}

fn check_shared<K: Hash + Eq + Clone + Send + Sync>(what: &str, key: impl Fn(u32) -> K) {
    check(
        what,
        || {
            let queue = TenantQueue::<ActiveList, _>::new(&Settings::default());
            SharedKeyed::<K, _>::new(Locked::new(queue))
        },
        |queue, tenant| {
            queue
                .push(&key(tenant), Cost::UNIT, tenant)
                .expect("there is room");
        },
        |queue| {
            let taken = queue.take().expect("jobs wait");
            queue.complete(taken.ticket, Cost::UNIT);
        },
    );
}

/// CASES 40 (kent8192/reinhardt-web/issues/2219).
#[test]
fn tenants_that_came_once_leave_next_to_nothing() {
    check_owned("an owned queue, by number", u64::from);
    check_owned("an owned queue, by string", |tenant| tenant.to_string());
    check_shared("a shared queue, by number", u64::from);
    check_shared("a shared queue, by string", |tenant| tenant.to_string());
}
