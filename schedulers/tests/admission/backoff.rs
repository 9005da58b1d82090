use std::time::Duration;

use schedulers::admission::Backoff;

use super::{milliseconds, seconds};

/// CASES 33: kubernetes/kubernetes/pull/31396
#[test]
fn two_hundred_failures_wait_no_shorter_than_the_cap() {
    let backoff = Backoff {
        base: milliseconds(5),
        cap: seconds(1_000),
    };
    let waits: Vec<_> = (0..200)
        .map(|failures| backoff.wait(failures, None))
        .collect();
    assert!(waits.is_sorted());
    assert_eq!(waits[0], milliseconds(5));
    let at_cap = waits.iter().position(|&wait| wait == seconds(1_000));
    assert_eq!(at_cap, Some(18));
    assert!(waits[18..].iter().all(|&wait| wait == seconds(1_000)));
}

/// The factor alone must not be what bounds the wait.
#[test]
fn the_shortest_base_comes_to_the_longest_cap() {
    let (base, cap) = (Duration::from_nanos(1), Duration::MAX);
    let backoff = Backoff { base, cap };
    assert_eq!(backoff.wait(40, None), Duration::from_nanos(1 << 40));
    assert_eq!(backoff.wait(u32::MAX, None), Duration::MAX);
    let never = Backoff {
        base: Duration::ZERO,
        cap,
    };
    assert_eq!(never.wait(u32::MAX, None), Duration::ZERO);
}
