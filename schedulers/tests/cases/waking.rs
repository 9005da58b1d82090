//! Credit that tenants have, or do not have, when they come and go.

use schedulers::Tenant;

use super::{A, B, C, Queue, all, fair, turns};

/// CASES 13: kubernetes/kubernetes/pull/91567
#[test]
fn asking_for_little_for_long_stores_no_credit() {
    let modest = C;
    for subject in fair() {
        let mut queue = Queue::new(&subject);
        queue.push(A, 10_000, 1);
        queue.push(B, 10_000, 1);
        for tick in 0..10_000 {
            if tick % 10 == 0 && queue.queue.backlog(modest) == 0 {
                queue.push(modest, 1, 1);
            }
            queue.serve();
        }
        queue.push(modest, 1_000, 1);
        let served = queue.serve_many(900);
        for start in 0..served.len() {
            let mut own = 0;
            for (length, tenant) in (1..).zip(&served[start..]) {
                own += usize::from(*tenant == modest);
                assert!(
                    3 * own <= length + 3,
                    "{}: {own} of {length} from {start}",
                    subject.name
                );
            }
        }
    }
}

/// CASES 14: ceph/dmclock/pull/22
#[test]
fn a_newcomer_to_a_closed_loop_neither_catches_up_nor_waits() {
    for subject in all() {
        for (first, second) in [(A, B), (B, A)] {
            let mut queue = Queue::new(&subject);
            queue.push(first, 1, 1);
            let turn = |queue: &mut Queue| {
                let tenant = queue.serve();
                queue.push(tenant, 1, 1);
                tenant
            };
            for _ in 0..6 {
                assert_eq!(turn(&mut queue), first);
            }
            queue.push(second, 1, 1);
            let mut served = Vec::new();
            for _ in 0..100 {
                served.push(turn(&mut queue));
                let [a, b] = turns(&served);
                assert!(a.abs_diff(b) <= 1, "{}: {served:?}", subject.name);
            }
        }
    }
}

/// CASES 15: scylladb/seastar/issues/2398
#[test]
fn a_tenant_that_pushes_again_at_once_has_its_share_and_no_more() {
    let yielder = Tenant::new(16);
    for subject in fair() {
        let mut queue = Queue::new(&subject);
        for index in 0..16 {
            queue.push(Tenant::new(index), 1_000, 1);
        }
        queue.push(yielder, 1, 1);
        let mut own = 0;
        for turn in 1..=1_700 {
            if queue.serve() == yielder {
                own += 1;
                queue.push(yielder, 1, 1);
            }
            assert!(own <= turn / 17 + 1, "{}: {own} of {turn}", subject.name);
        }
        assert!(own >= 99, "{}: only {own} of 1,700", subject.name);
    }
}

/// CASES 15: sched-ext/scx/pull/3471
#[test]
fn a_tenant_that_is_on_and_off_has_half_while_it_is_on() {
    for subject in fair() {
        for cost in [1, 7] {
            let mut queue = Queue::new(&subject);
            queue.push(A, 3_000, cost);
            queue.push(B, 3_000, cost);
            for _ in 0..20 {
                queue.queue.pause(B).expect("known");
                assert_eq!(turns(&queue.serve_many(50)), [50, 0]);
                queue.queue.resume(B).expect("known");
                let [a, b] = turns(&queue.serve_many(50));
                assert!(a.abs_diff(b) <= 2, "{}: {a} and {b}", subject.name);
            }
        }
    }
}
