//! Who is served next, where all jobs cost the same.

use schedulers::{Cost, Limits, Tenant};

use super::{A, B, C, Queue, all, fair, turns};

/// CASES 1: OptimalBits/bull/issues/1409
#[test]
fn a_newcomer_does_not_wait_behind_a_burst() {
    for subject in all() {
        let mut queue = Queue::new(&subject);
        queue.push(A, 1_000, 1);
        assert_eq!(queue.serve(), A);
        queue.push(B, 1, 1);
        // One server and jobs of one unit: B waits for as long as others are served.
        let wait = (0..1_000)
            .find(|_| queue.serve() == B)
            .expect("B is served");
        if subject.name == "fifo" {
            assert_eq!(wait, 999, "fifo makes B wait for the whole burst");
        } else {
            assert!(wait <= 2, "{} makes B wait for {wait} jobs", subject.name);
        }
    }
}

/// CASES 3: sidekiq/sidekiq/issues/13
#[test]
fn the_position_survives_pushes_and_calls() {
    for subject in fair() {
        for pushed in [A, B, C] {
            let mut queue = Queue::new(&subject);
            for tenant in [A, B, C] {
                queue.push(tenant, 10, 1);
            }
            for round in 0..9 {
                for expected in [A, B, C] {
                    assert_eq!(queue.serve(), expected, "{} in round {round}", subject.name);
                    queue.push(pushed, 1, 1);
                    queue
                        .queue
                        .configure(pushed, Limits::default())
                        .expect("known");
                    let _ = queue.queue.backlog(pushed);
                }
            }
        }
    }
}

/// CASES 4: mozilla/neqo/issues/3748
#[test]
fn a_tenant_that_empties_makes_nobody_skipped() {
    for subject in fair() {
        let mut queue = Queue::new(&subject);
        for (index, jobs) in [(0, 1), (1, 2), (2, 1), (3, 1)] {
            queue.push(Tenant::new(index), jobs, 1);
        }
        let served = queue.serve_many(5).into_iter().map(Tenant::index);
        assert_eq!(
            served.collect::<Vec<_>>(),
            [0, 1, 2, 3, 1],
            "{}",
            subject.name
        );
    }
}

/// CASES 4: mozilla/neqo/issues/3748
#[test]
fn a_tenant_that_leaves_in_mid_round_makes_nobody_skipped() {
    for subject in fair() {
        for leaver in 0..5 {
            for turns_before in 0..10 {
                let mut queue = Queue::new(&subject);
                for index in 0..5 {
                    queue.push(Tenant::new(index), 6, 1);
                }
                queue.serve_many(turns_before);
                queue.queue.remove(Tenant::new(leaver));
                for _ in 0..3 {
                    let mut expected = [1; 5];
                    expected[leaver as usize] = 0;
                    let seen: [usize; 5] = turns(&queue.serve_many(4));
                    let name = subject.name;
                    assert_eq!(seen, expected, "{name}: {leaver} left after {turns_before}");
                }
            }
        }
    }
}

/// CASES 6: apache/airflow/issues/45636
#[test]
fn a_batch_is_full_though_the_largest_tenant_is_at_its_cap() {
    for subject in all() {
        for in_flight_max in [0, 4] {
            let mut queue = Queue::new(&subject);
            let limits = Limits {
                in_flight_max,
                ..Limits::default()
            };
            queue.queue.configure(A, limits).expect("known");
            queue.push(A, 1_000, 1);
            let mut running = Vec::new();
            queue.queue.take_batch(in_flight_max as usize, &mut running);
            assert_eq!(queue.queue.in_flight(A), in_flight_max as usize);
            queue.push(B, 100, 1);
            let mut batch = Vec::new();
            assert_eq!(
                queue.queue.take_batch(32, &mut batch),
                32,
                "{}",
                subject.name
            );
            assert!(batch.iter().all(|taken| taken.ticket.tenant() == B));
        }
    }
}

/// CASES 18: NetSys/bess/issues/772
#[test]
fn visits_differ_by_at_most_one_though_a_tenant_empties_in_each_round() {
    for subject in fair() {
        let mut queue = Queue::new(&subject);
        for index in 0..5 {
            queue.push(Tenant::new(index), if index == 4 { 1 } else { 2 }, 1);
        }
        let mut visits = [0_u32; 5];
        for _ in 0..5_000 {
            let tenant = queue.serve();
            visits[tenant.index() as usize] += 1;
            // The last tenant had one job only, so its lane is empty now.
            queue.push(tenant, 1, 1);
            let spread = visits.iter().max().unwrap() - visits.iter().min().unwrap();
            assert!(spread <= 1, "{}: {visits:?}", subject.name);
        }
    }
}

/// CASES 42: cameron314/concurrentqueue/issues/103
#[test]
fn a_job_pushed_again_does_not_cut_in() {
    for subject in all() {
        let mut queue = Queue::new(&subject);
        for index in 0..32 {
            queue.push(Tenant::new(index), 1, 1);
        }
        for _ in 0..3 {
            let mut seen = [0; 32];
            for _ in 0..32 {
                let tenant = queue.serve();
                queue.push(tenant, 1, 1);
                seen[tenant.index() as usize] += 1;
            }
            assert_eq!(seen, [1; 32], "{}", subject.name);
        }
    }
}

/// CASES 24: tinyos/tinyos-main/issues/419
#[test]
fn calls_that_do_nothing_do_not_change_the_order_of_equals() {
    for subject in all() {
        let order = |with_idle_calls: bool| {
            let mut queue = Queue::new(&subject);
            for index in 0..100 {
                queue.push(Tenant::new(index), 2, 1);
                if with_idle_calls {
                    let tenant = Tenant::new(index / 2);
                    queue
                        .queue
                        .configure(tenant, Limits::default())
                        .expect("known");
                    queue.queue.resume(tenant).expect("known");
                    queue.queue.remove(Tenant::new(100 + index));
                }
            }
            queue.serve_many(200)
        };
        assert_eq!(order(false), order(true), "{}", subject.name);
        assert!(order(false).is_sorted_by_key(|tenant| tenant.index()) == (subject.name == "fifo"));
    }
}

/// A cost of zero is a turn like any other.
#[test]
fn free_jobs_do_not_hold_the_pool() {
    for subject in fair() {
        let mut queue = Queue::new(&subject);
        queue.push(A, 100, Cost::ZERO.units());
        queue.push(B, 100, 1);
        let [a, b] = turns(&queue.serve_many(100));
        assert!(a.abs_diff(b) <= 1, "{}: {a} and {b}", subject.name);
    }
}
