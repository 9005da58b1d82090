//! Weights, and changes of them while jobs wait.

use schedulers::{Limits, Quantum, Share, Weight, WeightOutOfRange};

use super::{A, B, Queue, all, by_cost, fair, share, turns};

fn set_weight(queue: &mut Queue, tenant: schedulers::Tenant, weight: u32) {
    let limits = Limits {
        weight: Weight::new(weight).expect("in range"),
        ..Limits::default()
    };
    queue.queue.configure(tenant, limits).expect("known");
}

/// CASES 8: kubernetes-sigs/kueue/issues/13479. A weight is a whole number, so NaN, infinity and
/// negative weights cannot be written at all.
#[test]
fn weights_out_of_range_are_refused() {
    for value in [0, Weight::MAX.get() + 1, u32::MAX] {
        assert_eq!(Weight::new(value), Err(WeightOutOfRange { value }));
        assert_eq!(Weight::try_from(value), Err(WeightOutOfRange { value }));
    }
    for value in [1, 2, Weight::MAX.get()] {
        assert_eq!(Weight::new(value).map(Weight::get), Ok(value));
    }
}

/// CASES 17: inet-framework/inet/pull/739
#[test]
fn a_quantum_of_zero_is_refused() {
    assert!(Quantum::new(0).is_err());
    assert_eq!(Quantum::new(1), Ok(Quantum::UNIT));
}

/// CASES 10: asterinas/asterinas/pull/2237
#[test]
fn a_weight_changed_while_jobs_wait_leaves_nothing_behind() {
    let max = Weight::MAX.get();
    for subject in all() {
        for (from, to) in [(1, 1_024), (1_024, 1), (1, max), (max, 1)] {
            for leaves in [false, true] {
                let mut queue = Queue::new(&subject);
                set_weight(&mut queue, A, from);
                queue.push(A, 3, 1);
                queue.serve();
                set_weight(&mut queue, A, to);
                if leaves {
                    assert_eq!(queue.queue.remove(A), [1, 2]);
                } else {
                    assert_eq!(queue.serve_many(2), [A, A]);
                }
                assert!(queue.queue.take().is_none());
                // Whatever it had, with equal weights the shares are equal again.
                set_weight(&mut queue, A, 1);
                for _ in 0..100 {
                    queue.push(A, 1, 1);
                    queue.push(B, 1, 1);
                }
                let [a, b] = turns(&queue.serve_many(100));
                assert!(
                    a.abs_diff(b) <= 1,
                    "{} from {from} to {to}: {a}, {b}",
                    subject.name
                );
            }
        }
    }
}

/// CASES 11: envoyproxy/envoy/issues/14360
#[test]
fn going_from_equal_to_unequal_weights_takes_effect_at_once() {
    for subject in fair() {
        let mut queue = Queue::new(&subject);
        queue.push(A, 1_000, 1);
        queue.push(B, 1_000, 1);
        assert_eq!(turns(&queue.serve_many(100)), [50, 50], "{}", subject.name);
        set_weight(&mut queue, A, 3);
        let [a, b] = turns(&queue.serve_many(400));
        let expected = if share(&subject) == Some(Share::Cost) {
            300
        } else {
            200
        };
        assert!(a.abs_diff(expected) <= 1, "{}: {a} and {b}", subject.name);
    }
}

/// CASES 11, the other way round: what a turn has earned by a great weight is not kept under a small one.
#[test]
fn a_lowered_weight_takes_effect_in_the_middle_of_a_turn() {
    for subject in by_cost() {
        let mut queue = Queue::new(&subject);
        set_weight(&mut queue, A, Weight::MAX.get());
        queue.push(A, 1_000, 1);
        queue.push(B, 1_000, 1);
        queue.serve_many(10);
        set_weight(&mut queue, A, 1);
        let [a, b] = turns(&queue.serve_many(100));
        assert!(a.abs_diff(b) <= 1, "{}: {a} and {b}", subject.name);
    }
}
