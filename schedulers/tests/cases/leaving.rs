//! Tenants that leave, and jobs in flight that are settled late.

use schedulers::{Cost, Settings, Tenant, Ticket};

use super::{A, B, C, Queue, all, turns};

fn take(queue: &mut Queue, jobs: usize) -> Vec<Ticket> {
    let taken = (0..jobs).map(|_| queue.queue.take().expect("jobs wait").ticket);
    taken.collect()
}

/// Handles are used again: the next tenant must not pay for the one before.
#[test]
fn what_was_taken_before_a_tenant_left_is_not_settled_with_the_next() {
    for subject in all() {
        for (stated, actual) in [(1_000, Cost::ZERO), (1, Cost::MAX)] {
            let mut queue = Queue::new(&subject);
            queue.push(A, 10, stated);
            let before = take(&mut queue, 10);
            queue.queue.remove(A);
            queue.push(A, 500, 1);
            queue.push(B, 500, 1);
            for ticket in before {
                queue.queue.complete(ticket, actual);
            }
            assert_eq!(queue.queue.in_flight(A), 0, "{}", subject.name);
            let [a, b] = turns(&queue.serve_many(100));
            let is_fair = subject.name == "fifo" || a.abs_diff(b) <= 1;
            assert!(is_fair, "{}: {a} turns and {b}", subject.name);
        }
    }
}

#[test]
fn resuming_a_tenant_never_seen_changes_nothing() {
    for subject in all() {
        let served = [false, true].map(|resumes| {
            let mut queue = Queue::new(&subject);
            for tenant in [A, B, C] {
                queue.push(tenant, 2, 1);
            }
            let mut served = queue.serve_many(3);
            if resumes {
                queue
                    .queue
                    .resume(Tenant::new(100))
                    .expect("below the maximum");
            }
            queue.push(Tenant::new(3), 1, 1);
            served.extend(queue.serve_many(4));
            served
        });
        assert_eq!(served[0], served[1], "{}", subject.name);
        let beyond = Tenant::new(Settings::default().tenants_max);
        assert!(Queue::new(&subject).queue.resume(beyond).is_err());
    }
}
