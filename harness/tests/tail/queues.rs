//! What runs on the library's own queues: ties and their rivals, and the neighbours of a noisy tenant.

use harness::scheduler::{SCHEDULERS, Scheduler};
use harness::tail::{Neighbours, NeighboursRow, Policy, Tie, TieRow};
use schedulers::Settings;

use super::{ms, near, play};

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
    let line = |row: &NeighboursRow| (row.scheduler, row.noisy, row.tied, row.width);
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
