//! What is said of two runs, of made-up figures.

use super::*;
use crate::runs::{Cell, Count, Environment, FLOOR, Memory, Outcome, Run, State, Timed};

fn cell(contender: &str, ratio: f64) -> Cell {
    Cell {
        state: State::Steady,
        contender: contender.into(),
        is_floor: false,
        tenants: 100,
        workload: Some("same".into()),
        noise: None,
        floor_ratio: Some(ratio),
        outcome: Outcome::Timed(Timed {
            ns_median: 3.0 * ratio,
            ns_p10: 2.95 * ratio,
            ns_p90: 3.05 * ratio,
            samples: 15,
        }),
    }
}

fn run(cells: &[(&str, f64)]) -> Run {
    Run {
        environment: Environment::now("wall_time", 0, false),
        cells: cells
            .iter()
            .map(|(name, ratio)| cell(name, *ratio))
            .collect(),
        memory: Vec::new(),
        contended: Vec::new(),
        counts: crate::runs::Counts::new(),
    }
}

fn compared(baselines: &[Run], now: &Run) -> Comparison {
    let baselines: Vec<Figures> = baselines.iter().map(Figures::from).collect();
    Comparison::of(&baselines, &now.into())
}

fn changes(comparison: &Comparison) -> Vec<(&str, Change)> {
    let compared = comparison.compared.iter();
    compared
        .map(|compared| {
            let contender = compared.benchmark.split('/').nth(1);
            (
                contender.expect("state/contender/tenants"),
                compared.change.clone(),
            )
        })
        .collect()
}

/// CASES 54: bheisler/criterion.rs/issues/530. A benchmark missing from the baseline panicked, or looked like success.
#[test]
fn what_is_gone_and_what_is_new_is_said_and_the_rest_compared() {
    let (base, now) = (
        run(&[("a", 5.0), ("b", 5.0)]),
        run(&[("a", 5.1), ("c", 5.0)]),
    );
    let comparison = compared(&[base], &now);
    let expected = [
        ("a", Change::Same),
        ("c", Change::New),
        ("b", Change::Removed),
    ];
    assert_eq!(changes(&comparison), expected);
    assert!(!comparison.is_regressed() && comparison.has_gaps());

    let nothing = compared(&[run(&[])], &now);
    assert!(!nothing.is_compared(), "nothing compared is no success");
    let alike = compared(std::slice::from_ref(&now), &now);
    assert!(alike.is_compared() && !alike.has_gaps() && !alike.is_regressed());
}

#[test]
fn only_what_is_beyond_the_threshold_is_slower_or_faster() {
    let base = run(&[("a", 5.0), ("b", 5.0), ("c", 5.0)]);
    let now = run(&[("a", 5.4), ("b", 5.6), ("c", 4.4)]);
    let comparison = compared(std::slice::from_ref(&base), &now);
    let expected = [
        ("a", Change::Same),
        ("b", Change::Slower),
        ("c", Change::Faster),
    ];
    assert_eq!(changes(&comparison), expected);
    assert!(comparison.is_regressed());

    let mut noisy = base;
    noisy.environment.noise_floor = Some(0.05);
    let comparison = compared(&[noisy], &now);
    assert!(
        !comparison.is_regressed(),
        "three times 5 % is more than 12 %"
    );
}

/// CASES 55: o1-labs/proof-systems/pull/3593. An identical binary "regresses" on another machine.
#[test]
fn runs_of_two_machines_are_not_comparable() {
    let (base, mut now) = (run(&[("a", 5.0)]), run(&[("a", 9.0)]));
    now.environment.cpu = "another processor".into();
    let comparison = compared(&[base], &now);
    let reason = Change::NotComparable("other machine".into());
    assert_eq!(changes(&comparison), [("a", reason)]);
    assert_eq!(comparison.differences[0].field, "cpu");
    assert!(!comparison.is_regressed() && comparison.has_gaps());
}

/// CASES 55: nubo-db/dynoxide/pull/170. One odd baseline run flags everything.
#[test]
fn one_odd_baseline_of_five_flags_nothing_and_hides_nothing() {
    let ratios = [5.0, 5.05, 2.55, 4.95, 5.0];
    let baselines: Vec<Run> = ratios.iter().map(|ratio| run(&[("a", *ratio)])).collect();
    let same = compared(&baselines, &run(&[("a", 5.05)]));
    assert_eq!(changes(&same), [("a", Change::Same)]);
    assert_eq!(same.compared[0].base_spread, Some((2.55, 5.05)));
    let slower = compared(&baselines, &run(&[("a", 6.0)]));
    assert_eq!(changes(&slower), [("a", Change::Slower)]);
}

#[test]
fn who_is_too_slow_to_be_timed_is_slower_than_who_is_not() {
    let (timed, mut slow) = (run(&[("a", 5.0)]), run(&[("a", 5.0)]));
    slow.cells[0].outcome = Outcome::Slow("a batch took 2 s".into());
    slow.cells[0].floor_ratio = None;
    for (base, now, change) in [
        (&timed, &slow, Change::Slower),
        (&slow, &timed, Change::Faster),
        (&slow, &slow, Change::Same),
    ] {
        let comparison = compared(std::slice::from_ref(base), now);
        assert_eq!(changes(&comparison), [("a", change)]);
    }
}

/// Who was wrong has no time that another one could be the same as.
#[test]
fn who_failed_in_the_baseline_is_not_comparable() {
    let with = |outcome: Outcome| {
        let mut run = run(&[("a", 5.0)]);
        run.cells[0].outcome = outcome;
        run.cells[0].floor_ratio = None;
        run
    };
    let mut failed = with(Outcome::Failed("lost a job".into()));
    failed.cells[0].workload = None; // as the benchmarks leave it
    let slow = with(Outcome::Slow("a batch took 2 s".into()));
    let timed = run(&[("a", 5.0)]);
    for now in [&timed, &slow] {
        let why = Change::NotComparable("failed in the baseline".into());
        for baselines in [
            &[failed.clone()][..],
            &[failed.clone(), slow.clone()],
            &[failed.clone(), timed.clone()],
        ] {
            let comparison = compared(baselines, now);
            assert_eq!(changes(&comparison), [("a", why.clone())]);
        }
    }
    let still = compared(std::slice::from_ref(&failed), &failed);
    assert!(still.is_regressed(), "wrong now, whatever it was");
}

/// The floor is once as long as itself, whatever it takes: that says nothing of two runs.
#[test]
fn the_floor_alone_is_nothing_compared() {
    let floors = run(&[(FLOOR, 1.0)]);
    let alone = compared(std::slice::from_ref(&floors), &floors);
    assert!(!alone.is_compared() && alone.compared.is_empty());

    let mut unpaired = run(&[("hash_map_ring", 5.0)]);
    unpaired.cells[0].is_floor = true;
    unpaired.cells[0].floor_ratio = None;
    let other = compared(std::slice::from_ref(&unpaired), &unpaired);
    assert!(
        !other.is_compared() && other.has_gaps(),
        "no time of any floor's"
    );

    let mut failed = floors.clone();
    failed.cells[0].outcome = Outcome::Failed("lost a job".into());
    failed.cells[0].floor_ratio = None;
    let wrong = compared(std::slice::from_ref(&floors), &failed);
    assert_eq!(
        changes(&wrong),
        [(FLOOR, Change::Failed("lost a job".into()))]
    );
}

/// A run with one benchmark that was counted.
fn counted(instructions: u64, allocations: u64, bytes: u64) -> Run {
    let count = Count {
        allocations,
        bytes,
        cycles: 0,
        instructions,
        l1_hits: 0,
        ll_hits: 0,
        operations: 1_000,
        ram_hits: 0,
        work: "same".into(),
    };
    let mut run = run(&[]);
    run.counts.insert("push/a/100".into(), count);
    run
}

#[test]
fn instructions_and_bytes_are_compared_from_one_percent_on_and_allocations_exactly() {
    use Change::{Faster, Less, More, Same, Slower};
    let base = counted(100_000, 2, 10_000);
    for (now, expected) in [
        (counted(101_000, 2, 10_100), [Same, Same, Same]),
        (counted(101_001, 2, 10_101), [Slower, Same, More]),
        (counted(98_000, 2, 9_800), [Faster, Same, Less]),
        (counted(100_000, 3, 10_000), [Same, More, Same]),
        (counted(100_000, 0, 10_000), [Same, Less, Same]),
    ] {
        let comparison = compared(std::slice::from_ref(&base), &now);
        let found: Vec<Change> = changes(&comparison).into_iter().map(|it| it.1).collect();
        assert_eq!(found, expected, "{now:?}");
        let is_worse = found.iter().any(|change| matches!(change, Slower | More));
        assert_eq!(comparison.is_regressed(), is_worse, "{now:?}");
    }
    let none = compared(&[counted(1, 0, 0)], &counted(1, 1, 0));
    assert_eq!(none.compared[1].change, More, "from none to one");
}

/// Counts are of a processor and a valgrind; how many cores there were, and which kernel, is nothing to them.
#[test]
fn counts_and_times_are_foreign_for_reasons_of_their_own() {
    type Case = (fn(&mut Environment), [bool; 2]);
    let both = |change: fn(&mut Environment)| {
        let mut run = counted(1_000, 0, 0);
        run.cells.push(cell("a", 5.0));
        change(&mut run.environment);
        run
    };
    let cases: [Case; 4] = [
        (|_| (), [false, false]),
        (|to| to.kernel = "another".into(), [true, false]),
        (|to| to.valgrind = "another".into(), [false, true]),
        (|to| to.rustc = "another".into(), [true, true]),
    ];
    for (number, (change, expected)) in cases.into_iter().enumerate() {
        let comparison = compared(&[both(|_| ())], &both(change));
        let foreign = Change::NotComparable("other machine".into());
        let of = |index: usize| comparison.compared[index].change == foreign;
        assert_eq!([of(0), of(1)], expected, "case {number}");
        assert_eq!(comparison.differences.is_empty(), expected == [false; 2]);
    }
}

/// A threshold that noise has driven up is passed by nearly everything: that is no "same".
#[test]
fn what_noise_hides_is_inconclusive_and_alone_compares_nothing() {
    let (base, mut now) = (run(&[("a", 5.0)]), run(&[("a", 7.0)]));
    for (noise_floor, ratio, expected) in [
        (0.15, 7.0, Change::Same),
        (0.2, 7.0, Change::Inconclusive),
        (0.2, 9.0, Change::Slower),
    ] {
        now.environment.noise_floor = Some(noise_floor);
        now.cells[0].floor_ratio = Some(ratio);
        let comparison = compared(std::slice::from_ref(&base), &now);
        let is_compared = expected != Change::Inconclusive;
        assert_eq!(changes(&comparison), [("a", expected)]);
        assert_eq!(comparison.is_compared(), is_compared);
        assert!(!comparison.has_gaps());
    }
}

#[test]
fn what_is_held_is_compared_from_one_percent_on() {
    let holding = |contender: &str, bytes_per_idle_tenant, bytes_per_job| {
        let mut run = run(&[]);
        run.memory.push(Memory {
            contender: contender.into(),
            bytes_per_idle_tenant,
            bytes_per_job,
        });
        run
    };
    let base = holding("a", 20.0, 100.0);
    for (now, expected) in [
        (
            holding("a", 20.2, 102.0),
            [("a", Change::Same), ("a", Change::More)],
        ),
        (
            holding("a", 19.0, 100.0),
            [("a", Change::Less), ("a", Change::Same)],
        ),
    ] {
        let comparison = compared(std::slice::from_ref(&base), &now);
        assert_eq!(changes(&comparison), expected);
    }
    let void = holding("a", -20.0, 100.0);
    for (before, now) in [(&base, &void), (&void, &base), (&void, &void)] {
        let comparison = compared(std::slice::from_ref(before), now);
        let less_than_nothing = Change::NotComparable("it held less than nothing".into());
        let expected = [("a", less_than_nothing), ("a", Change::Same)];
        assert_eq!(changes(&comparison), expected);
    }
    let other = compared(&[base], &holding("b", 20.0, 100.0));
    let gone = [("a", Change::Removed), ("a", Change::Removed)];
    assert_eq!(changes(&other)[2..], gone);
    assert_eq!(changes(&other)[0], ("b", Change::New));
}

/// What is gone is gone from all the baselines that had it, and they are summed up as of what is there.
#[test]
fn what_is_removed_is_the_median_of_all_baselines() {
    let baselines = [
        run(&[]),
        run(&[("a", 9.0)]),
        run(&[("a", 5.0)]),
        run(&[("a", 6.0)]),
    ];
    let comparison = compared(&baselines, &run(&[]));
    assert_eq!(changes(&comparison), [("a", Change::Removed)]);
    assert_eq!(comparison.compared[0].base, Some(6.0));
    assert_eq!(comparison.compared[0].base_spread, Some((5.0, 9.0)));
}

/// Threads that were hardly ever at the queue together have no time, and no slower one either.
#[test]
fn what_is_void_is_not_comparable() {
    let (timed, mut void) = (run(&[("a", 5.0)]), run(&[("a", 5.0)]));
    void.cells[0].outcome = Outcome::Void("threads apart".into());
    void.cells[0].floor_ratio = None;
    for (base, now) in [(&timed, &void), (&void, &timed)] {
        let comparison = compared(std::slice::from_ref(base), now);
        let why = Change::NotComparable("threads apart".into());
        assert_eq!(changes(&comparison), [("a", why)]);
        assert!(comparison.has_gaps());
    }
}

#[test]
fn another_workload_or_a_failure_is_not_a_time() {
    let base = run(&[("a", 5.0), ("b", 5.0)]);
    let mut now = run(&[("a", 9.0), ("b", 5.0)]);
    now.cells[0].workload = Some("another".into());
    now.cells[1].outcome = Outcome::Failed("lost a job".into());
    let comparison = compared(&[base], &now);
    let expected = [
        ("a", Change::NotComparable("other workload".into())),
        ("b", Change::Failed("lost a job".into())),
    ];
    assert_eq!(changes(&comparison), expected);
    assert!(comparison.is_regressed());
}
