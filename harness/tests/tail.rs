//! The tail: exact figures exactly, simulated ones within a stated interval for a fixed seed, and what
//! every model owes its reader. Trials are few, so that all of it runs in seconds without optimisation.

use clap::{Args, Command};
use harness::scheduler::{SCHEDULERS, Scheduler};
use harness::tail::{
    Canary, FanOut, GoodEnough, Hedge, LeafKind, Model, Neighbours, Partitions, Percentiles,
    Policy, Probation, Quorum, Replicas, Tie, TieRow,
};
use schedulers::Settings;

const SEED: u64 = 1;

/// The parameters that a user gets with these flags.
fn given<M: Args>(flags: &str) -> M {
    let arguments = std::iter::once("model").chain(flags.split_whitespace());
    let matches = M::augment_args(Command::new("model")).get_matches_from(arguments);
    M::from_arg_matches(&matches).expect("the flags of the model")
}

fn play<M: Model + Args>(flags: &str) -> M::Record {
    given::<M>(flags).play(SEED).expect("sound parameters")
}

/// p50, p95, p99 and p99.9 in milliseconds.
fn ms(percentiles: &Percentiles) -> [f64; 4] {
    let us = [
        percentiles.p50_us,
        percentiles.p95_us,
        percentiles.p99_us,
        percentiles.p999_us,
    ];
    us.map(|us| f64::from(u32::try_from(us.expect("it was observed")).expect("small")) / 1_000.0)
}

fn near(found: f64, expected: f64, within: f64, what: &str) {
    assert!(
        (found - expected).abs() <= within,
        "{what}: {found}, expected {expected} within {within}"
    );
}

#[test]
fn fan_out_is_as_published() {
    let record = play::<FanOut>("--trials 6000");
    assert_eq!(format!("{:.6}", record.p_any_slow), "0.633968");
    let simulated = record.p_any_slow_simulated.expect("there were trials");
    near(
        simulated,
        0.634,
        0.02,
        "the share of requests that meet a stall",
    );
    // One leaf, 95 of 100, all of 100; p50 and p95. The p99 of one leaf stands on the edge of the stall.
    for (row, [p50, p95]) in
        record.rows[..3]
            .iter()
            .zip([[5.545, 9.637], [9.58, 9.85], [1_000.0; 2]])
    {
        let [found_50, found_95, ..] = ms(&row.simulated);
        near(found_50, p50, 0.05, "p50");
        near(found_95, p95, 0.05, "p95");
    }
    let exact_p99: Vec<f64> = record.rows[..3]
        .iter()
        .map(|row| ms(&row.exact)[2])
        .collect();
    near(exact_p99[0], 10.0, 0.0, "p99 of one leaf");
    near(exact_p99[1], 9.9, 0.05, "p99 of 95 leaves");
    near(exact_p99[2], 1_000.0, 0.0, "p99 of all leaves");
}

#[test]
fn the_fitted_leaf_meets_six_published_figures_and_misses_three() {
    let record = play::<FanOut>("--trials 2000");
    for row in &record.rows[3..] {
        let published = row.published.expect("100 leaves were published");
        let pairs = [
            (row.exact.p50_us, published.p50_us),
            (row.exact.p95_us, published.p95_us),
            (row.exact.p99_us, published.p99_us),
        ];
        for (found, published) in pairs {
            let (found, published) = (found.expect("exact"), published.expect("published"));
            if row.gather.enough == 95 {
                assert!(
                    found * 2 < published && published < found * 8,
                    "{found}, {published}"
                );
            } else {
                // The points are reals, and times whole microseconds.
                assert!(found.abs_diff(published) <= 1, "{found}, {published}");
            }
        }
    }
}

#[test]
fn exact_figures_need_no_trials() {
    let record = play::<FanOut>("--slow-probability 1e-6 --leaves 1000000 --trials 0");
    assert_eq!(
        format!("{:.6}", record.p_any_slow),
        "0.632121",
        "1 - 1/e, nearly"
    );
    assert_eq!(record.p_any_slow_simulated, None);
    assert_eq!(record.rows[2].simulated, Percentiles::default());
    for (p, p_any_slow) in [("0", 0.0), ("1", 1.0)] {
        let record = play::<FanOut>(&format!("--slow-probability {p} --trials 10"));
        near(record.p_any_slow, p_any_slow, 0.0, p);
        near(
            record.p_any_slow_simulated.expect("trials"),
            p_any_slow,
            0.0,
            p,
        );
    }
}

#[test]
fn a_hedge_after_ten_milliseconds_cuts_the_tail_at_half_a_percent() {
    let rows = play::<Hedge>("--trials 200000").rows;
    let [never, at_once, observed, asked] = rows.as_slice() else {
        panic!("four rows, not {rows:?}")
    };
    near(ms(&never.exact)[3], 1_000.0, 0.0, "p99.9 without");
    // 0.005 ((1 - 0.005) (20 - x) / 9 + 0.005) = 0.001
    near(ms(&asked.exact)[3], 18.236, 0.001, "p99.9, exactly");
    near(ms(&asked.simulated)[3], 18.236, 0.5, "p99.9");
    near(
        asked.extra_requests_share_exact,
        0.005,
        1e-12,
        "more requests, exactly",
    );
    near(
        asked.extra_requests_share.expect("trials"),
        0.005,
        0.001,
        "more requests",
    );
    assert!(asked.p999_cut.expect("both are known") > 10.0);
    near(
        at_once.extra_requests_share.expect("trials"),
        1.0,
        0.0,
        "a delay of 0 doubles the requests",
    );
    near(
        observed.extra_requests_share.expect("trials"),
        0.05,
        0.01,
        "after the observed p95",
    );
    assert!(observed.p999_cut.expect("both are known") > 10.0);
    // Of a hundred leaves some request still meets two stalls in a row.
    let wide = play::<Hedge>("--leaves 100 --trials 0").rows;
    assert!(ms(&wide[2].exact)[3] > 1_000.0 - 1.0);
}

#[test]
fn majorities_stall_by_the_cube() {
    let p = 0.01_f64;
    let rows = play::<Quorum>("--trials 20000").rows;
    let of = |enough, leaves| {
        let row = rows
            .iter()
            .find(|row| (row.gather.enough, row.gather.leaves) == (enough, leaves));
        row.and_then(|row| row.p_slow).expect("the row is there")
    };
    near(of(1, 1), p, 1e-15, "one");
    near(of(2, 3), 3.0 * p * p - 2.0 * p * p * p, 1e-15, "2 of 3");
    near(
        of(3, 5),
        10.0 * p.powi(3) - 15.0 * p.powi(4) + 6.0 * p.powi(5),
        1e-15,
        "3 of 5",
    );
    near(of(5, 5), 1.0 - (1.0 - p).powi(5), 1e-15, "all of 5");
}

/// Of every leaf and every wait: as many simulated requests are within the exact percentile as should be,
/// which is what the observed percentile beside it says too.
#[test]
fn simulations_agree_with_the_arithmetic() {
    for leaf in ["stall", "fitted"] {
        let record = play::<GoodEnough>(&format!("--leaf {leaf} --trials 4000 --leaves 50"));
        for row in &record.rows[1..] {
            let (found, exact) = (ms(&row.simulated), ms(&row.exact));
            near(
                found[0] / exact[0],
                1.0,
                0.03,
                &format!("{leaf} {:?} p50", row.gather),
            );
            near(
                found[1] / exact[1],
                1.0,
                0.05,
                &format!("{leaf} {:?} p95", row.gather),
            );
        }
        assert_eq!(record.rows[1].p_slow.is_some(), leaf == "stall");
    }
    let hedge = play::<Hedge>("--leaf fitted --trials 50000");
    for row in &hedge.rows {
        near(
            ms(&row.simulated)[1] / ms(&row.exact)[1],
            1.0,
            0.05,
            row.when,
        );
    }
}

#[test]
fn a_poisoned_request_kills_its_canaries_and_nobody_else() {
    let record = play::<Canary>("--poison-probability 0.05 --trials 1000 --leaves 30");
    let [none, one, two] = record.rows.as_slice() else {
        panic!("three rows")
    };
    assert_eq!(
        [none.killed_max, one.killed_max, two.killed_max],
        [30, 1, 2]
    );
    assert!(none.poisoned > 0 && none.poisoned == two.poisoned && two.killed == 2 * two.poisoned);
    let p50 = |row: &harness::tail::CanaryRow| ms(&row.simulated)[0];
    assert!(
        p50(none) < p50(two) && p50(two) < p50(one),
        "a second canary answers sooner"
    );
    let all = play::<Canary>("--leaves 2 --trials 10");
    assert_eq!(all.rows.len(), 3, "every leaf may be a canary");
}

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

fn tie(flags: &str) -> Vec<TieRow> {
    play::<Tie>(&format!("--trials 5000 --stale-us 0,1000000 {flags}")).rows
}

fn row(rows: &[TieRow], heavy: bool, is: impl Fn(Policy) -> bool) -> &TieRow {
    rows.iter()
        .find(|row| row.heavy == heavy && is(row.policy))
        .expect("the policy was played")
}

#[test]
fn a_tie_cuts_the_tail_as_published() {
    let rows = play::<Tie>("--trials 30000 --stale-us 0").rows;
    let idle = row(&rows, false, |policy| policy == Policy::Tie);
    near(idle.p50_change, -0.16, 0.04, "median, idle");
    near(idle.p999_change, -0.38, 0.12, "p99.9, idle");
    let heavy = row(&rows, true, |policy| policy == Policy::Tie);
    near(heavy.p999_change, -0.32, 0.12, "p99.9, heavy");
    assert!(heavy.tally.wasted_share < 0.05);
    let hedged = row(&rows, false, |policy| {
        matches!(policy, Policy::Hedge { .. })
    });
    assert!(hedged.p999_change < -0.1, "{hedged:?}");
}

/// A tie helps as far as the other queue is another queue.
#[test]
fn the_more_alike_two_queues_are_the_less_a_tie_helps() {
    let change = |alike| {
        let rows = tie(&format!("--heavy-alike {alike}"));
        row(&rows, true, |policy| policy == Policy::Tie).p999_change
    };
    assert!(change("0") < change("0.5") - 0.05 && change("0.5") < change("1") - 0.05);
}

/// On every scheduler: what was sent ran or was cancelled, and every leaf ran.
#[test]
fn no_copy_is_lost_on_any_scheduler() {
    for message_us in ["0", "1", "500", "20000"] {
        let rows = play::<Tie>(&format!(
            "--trials 400 --scheduler all --stale-us 0,50000 --message-us {message_us}"
        ))
        .rows;
        assert_eq!(rows.len(), SCHEDULERS.len() * 2 * 8);
        for row in rows {
            let tally = &row.tally;
            assert_eq!(tally.leaves, 400, "{row:?}");
            assert_eq!(
                tally.sent - tally.cancelled - tally.ran_twice,
                tally.leaves,
                "{row:?}"
            );
            match row.policy {
                Policy::Tie if message_us == "0" => assert_eq!(tally.ran_twice, 0, "{row:?}"),
                Policy::Tie => assert_eq!(tally.sent, 800, "{row:?}"),
                Policy::Hedge { .. } => {}
                _ => assert_eq!((tally.sent, tally.cancelled), (400, 0), "{row:?}"),
            }
        }
    }
}

#[test]
fn stale_answers_herd_and_two_choices_herd_less() {
    let rows = tie("");
    let asked = |all: bool, stale: u64| {
        row(&rows, false, |policy| match policy {
            Policy::ShortestOfAll { stale_us } => all && stale_us == stale,
            Policy::ShorterOfTwo { stale_us } => !all && stale_us == stale,
            _ => false,
        })
    };
    let first = row(&rows, false, |policy| policy == Policy::First);
    for all in [true, false] {
        let (fresh, stale) = (asked(all, 0), asked(all, 1_000_000));
        assert!(fresh.p999_change < 0.0, "{fresh:?}");
        assert!(stale.simulated.p99_us > first.simulated.p99_us, "{stale:?}");
    }
    let (all, two) = (asked(true, 1_000_000), asked(false, 1_000_000));
    assert!(all.tally.jobs_on_a_server_max > 2 * two.tally.jobs_on_a_server_max);
}

/// In the order of the registry, each without and with ties, after the first of them with nobody noisy.
#[test]
fn every_scheduler_meets_the_neighbours() {
    let record =
        play::<Neighbours>("--servers 20 --noisy-servers 2 --duration-us 6000000 --widths 1,5,20");
    let line = |row: &harness::tail::NeighboursRow| (row.scheduler, row.noisy, row.tied, row.width);
    let names = std::iter::once((SCHEDULERS[0].name, false))
        .chain(SCHEDULERS.iter().map(|known| (known.name, true)));
    let mut expected = Vec::new();
    for (name, noisy) in names {
        for tied in [false, true] {
            expected.extend([1, 5, 20].map(|width| (name, noisy, tied, width)));
        }
    }
    assert_eq!(record.rows.iter().map(line).collect::<Vec<_>>(), expected);
    for width in [1, 5, 20] {
        let alike = record.rows.iter().filter(|row| row.width == width);
        let trials: Vec<u64> = alike.map(|row| row.trials).collect();
        assert!(
            trials[0] > 100 && trials.iter().all(|&each| each == trials[0]),
            "the same requests for all"
        );
    }
    let p99 = |name: &str, width| {
        let row = record
            .rows
            .iter()
            .find(|row| line(row) == (name, true, false, width));
        ms(&row.expect("the row is there").simulated)[2]
    };
    let promises = |known: &&Scheduler| known.lag_max(&Settings::default()).is_some();
    for fair in SCHEDULERS.iter().filter(promises) {
        for unfair in SCHEDULERS.iter().filter(|known| !promises(known)) {
            assert!(
                p99(fair.name, 20) * 2.0 < p99(unfair.name, 20),
                "{} {}",
                fair.name,
                unfair.name
            );
        }
    }
}

#[test]
fn the_chance_of_a_noisy_server_is_that_of_drawing_without_putting_back() {
    let record =
        play::<Neighbours>("--servers 4 --noisy-servers 1 --duration-us 100000 --widths 1,2,4");
    let chances: Vec<f64> = record.rows[..3]
        .iter()
        .map(|row| row.p_meets_noisy)
        .collect();
    assert_eq!(chances, [0.25, 0.5, 1.0]);
}

#[test]
fn a_seed_is_a_whole_run() {
    fn alike<M: Model + Args>(flags: &str) {
        let run = |seed| {
            let record = given::<M>(flags).play(seed).expect("sound parameters");
            serde_json::to_string(&record).expect("a record is JSON")
        };
        assert_eq!(run(7), run(7), "{}", M::VERB);
        assert_ne!(run(7), run(8), "{}", M::VERB);
    }
    alike::<FanOut>("--trials 50");
    alike::<Hedge>("--trials 500");
    alike::<Tie>("--trials 200");
    alike::<Partitions>("--trials 1 --machines 10");
    alike::<Replicas>("--trials 1");
    alike::<Probation>("--trials 500");
    alike::<GoodEnough>("--trials 50");
    alike::<Canary>("--trials 50");
    alike::<Quorum>("--trials 50");
    alike::<Neighbours>("--servers 4 --noisy-servers 1 --duration-us 500000");
}

/// What makes no sense together is refused in a sentence, and so is what would never end.
#[test]
fn contradictions_and_absurd_sizes_are_refused() {
    fn refused<M: Model + Args>(flags: &str, says: &str) {
        match given::<M>(flags).play(SEED) {
            Ok(_) => panic!("{} {flags:?} was played", M::VERB),
            Err(error) => assert!(error.to_string().contains(says), "{flags:?}: {error}"),
        }
    }
    refused::<GoodEnough>("--leaves 10 --enough 11", "--enough 1 to 10");
    refused::<Canary>("--leaves 1 --canaries 2", "--canaries 0 to 1");
    refused::<Neighbours>("--servers 10 --noisy-servers 11", "--noisy-servers 0 to 10");
    refused::<Neighbours>("--servers 10 --widths 1,11", "--widths 1 to 10");
    refused::<Neighbours>("--service-us 1 --duration-us 1000000000000", "too many");
    refused::<Tie>("--trials 1000000000", "too many");
    refused::<Tie>("--load 1e-300", "simulated time");
    refused::<Tie>("--stale-us 1 --trials 1000000", "--stale-us");
    refused::<Probation>("--load 1e-300", "simulated time");
    refused::<Probation>("--interval-us 1", "--interval-us");
    refused::<FanOut>("--leaves 1000000", "--trials");
    refused::<Hedge>("--trials 18446744073709551615", "--trials");
    refused::<Partitions>("--machines 10000 --per-machine 1000", "--trials");
    refused::<Replicas>("--trials 18446744073709551615", "--trials");
    refused::<Quorum>("--trials 18446744073709551615", "--trials");
}

#[test]
fn extremes_that_are_no_mistake_have_answers() {
    play::<Hedge>("--delay-us 18446744073709551615 --trials 100");
    play::<Hedge>("--slow-probability 1 --trials 100");
    play::<GoodEnough>("--slow-probability 1 --enough 1 --trials 100");
    play::<Quorum>("--replicas 99 --trials 10");
    play::<Replicas>("--partitions 1 --machines 2 --trials 3");
    play::<Partitions>("--machines 2 --per-machine 1 --trials 3");
    play::<Tie>("--servers 2 --workers 1000 --trials 100 --heavy-load 1e-300");
    play::<Tie>(
        "--trials 50 --service-us 1000000000 --heavy-service-us 1000000000 --message-us 1000000000 --stale-us 0",
    );
    play::<Probation>("--servers 2 --trials 100 --slowdown 1000 --shadow-of 1");
    play::<Neighbours>("--servers 2 --noisy-servers 0 --duration-us 100000");
    play::<Neighbours>("--servers 2 --noisy-servers 2 --duration-us 1 --load 1e-300");
    let nothing = play::<Canary>("--poison-probability 1 --trials 5");
    assert_eq!(nothing.rows[0].simulated, Percentiles::default());
    assert_eq!(LeafKind::Fitted, given::<Hedge>("--leaf fitted").leaf);
}
