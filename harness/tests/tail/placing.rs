//! Where load lies: partitions, copies, and servers that are taken out.

use harness::tail::{Partitions, Probation, Replicas};

use super::{ms, near, play};

#[test]
fn twenty_partitions_move_load_in_steps_of_five_percent() {
    let rows = play::<Partitions>("--trials 5").rows;
    let (one, twenty) = (&rows[0], &rows[rows.len() - 1]);
    assert_eq!((one.per_machine, twenty.per_machine), (1, 20));
    near(twenty.step_share, 0.05, 0.0, "a step");
    near(twenty.recovery_time_share, 0.05, 0.0, "recovery");
    assert_eq!((one.recovery_fan_in, twenty.recovery_fan_in), (1, 20));
    near(
        one.busiest_before,
        twenty.busiest_before,
        0.0,
        "the load is the same",
    );
    near(
        one.busiest_after,
        one.busiest_before,
        0.0,
        "a whole machine's load is not worth moving",
    );
    assert!(
        twenty.busiest_after < 1.1 && rows.is_sorted_by(|a, b| a.busiest_after >= b.busiest_after)
    );
    // More partitions than other machines: some of those take two.
    let few = play::<Partitions>("--machines 4 --per-machine 20 --trials 1").rows;
    assert_eq!(few[few.len() - 1].recovery_fan_in, 3);
    near(
        few[few.len() - 1].recovery_time_share,
        7.0 / 20.0,
        1e-15,
        "7 of 20 partitions",
    );
}

#[test]
fn copies_of_the_hot_beat_copies_of_everything() {
    let rows = play::<Replicas>("--trials 20").rows;
    let [nothing, everything, hot] = rows.as_slice() else {
        panic!("three rows")
    };
    near(everything.extra_copies_share, 2.0, 1e-12, "three copies");
    assert!(hot.extra_copies_share < 0.2, "{hot:?}");
    assert!(hot.busiest < everything.busiest && everything.busiest < nothing.busiest);
    assert!(nothing.busiest_p99_services.is_none() && hot.busiest_p99_services.is_some());
}

#[test]
fn probation_removes_capacity_and_helps() {
    let record = play::<Probation>("");
    let [stay, go] = record.rows.as_slice() else {
        panic!("two rows")
    };
    assert!(stay.spells.is_empty() && stay.shadow_requests == 0);
    near(stay.capacity_removed_share, 0.0, 0.0, "nothing is removed");
    assert!(go.capacity_removed_share > 0.03 && go.shadow_requests > 0);
    assert!(
        ms(&go.simulated)[2] * 10.0 < ms(&stay.simulated)[2],
        "{go:?}"
    );
    // It is slow from 20 s to 40 s.
    let slow = go
        .spells
        .iter()
        .find(|spell| spell.server == 0)
        .expect("it was found out");
    assert!((20_000_000..24_000_000).contains(&slow.out_us), "{slow:?}");
    assert!(
        slow.back_us.is_some_and(|back_us| back_us >= 40_000_000),
        "{slow:?}"
    );
}
