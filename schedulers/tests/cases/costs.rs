//! Turns that are equal are not work that is equal.

use schedulers::{Share, Tenant};

use super::{A, B, Queue, by_cost, fair, share, turns};

/// CASES 17: inet-framework/inet/pull/739
#[test]
fn costs_a_million_times_the_quantum_are_served() {
    for subject in by_cost() {
        for tenants in [1, 10_000] {
            let mut queue = Queue::new(&subject);
            for index in 0..tenants {
                queue.push(Tenant::new(index), 1, 1_000_000);
            }
            let mut served = queue.serve_many(tenants as usize);
            served.sort_unstable();
            served.dedup();
            assert_eq!(served.len(), tenants as usize, "{}", subject.name);
        }
    }
}

/// CASES 21: llm-d/llm-d-router/issues/1182
#[test]
fn by_turns_a_tenant_of_large_jobs_has_nearly_all_and_by_cost_half() {
    let (small, large) = (100, 10_000);
    for subject in fair() {
        let mut queue = Queue::with_quantum(&subject, 100);
        queue.push(A, 100_000, small);
        queue.push(B, 1_000, large);
        let mut costs = [0_u64; 2];
        while costs[0] + costs[1] < 4_000_000 {
            let tenant = queue.serve();
            costs[tenant.index() as usize] += u64::from(if tenant == A { small } else { large });
        }
        let percent = 100 * costs[1] / (costs[0] + costs[1]);
        let expected = if share(&subject) == Some(Share::Cost) {
            50
        } else {
            99
        };
        assert!(
            percent.abs_diff(expected) <= 1,
            "{}: {percent} %",
            subject.name
        );
    }
}

/// CASES 21: volcano-sh/kthena/pull/1399
#[test]
fn a_tenant_that_returns_from_idleness_does_not_jump_ahead() {
    for subject in by_cost() {
        let mut queue = Queue::with_quantum(&subject, 100);
        queue.push(B, 1, 10_000);
        queue.push(A, 20_000, 100);
        queue.serve_many(10_001); // 10^6 units, after B's one job
        assert_eq!(queue.queue.backlog(B), 0);
        queue.push(B, 10, 10_000);
        let served = queue.serve_many(404);
        let [a, b] = turns(&served);
        // 404 jobs: 400 of A cost what 4 of B cost.
        assert!(b.abs_diff(4) <= 1, "{}: {a} and {b}", subject.name);
    }
}

/// CASES 19: `dtaht/sch_cake/issues/145`
#[test]
fn a_tenant_that_empties_between_jobs_is_not_new_each_time() {
    let (sparse, quantum, bulk) = (Tenant::new(9), 20, 9);
    for subject in fair() {
        let mut queue = Queue::with_quantum(&subject, quantum);
        for index in 0..bulk {
            queue.push(Tenant::new(index), 1_000, quantum);
        }
        queue.push(sparse, 1, quantum);
        let mut jobs = 0;
        for turn in 1..=1_000 {
            if queue.serve() == sparse {
                jobs += 1;
                queue.push(sparse, 1, quantum);
            }
            let share = turn / (bulk + 1);
            assert!(jobs <= share + 1, "{}: {jobs} of {turn}", subject.name);
        }
    }
}
