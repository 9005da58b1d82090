//! What is a matter of chance alone: arithmetic exactly, and simulations beside it.

use harness::tail::{Canary, CanaryRow, FanOut, GatherRow, GoodEnough, Hedge, Percentiles, Quorum};

use super::{ms, near, play};

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
    // One leaf, 95 of 100, all of 100. The p99 of one leaf stands on the edge of the stall.
    let expected: [&[f64]; 3] = [&[5.545, 9.637], &[9.58, 9.85, 9.926], &[1_000.0; 3]];
    for (row, expected) in record.rows.iter().zip(expected) {
        for (found, &expected) in ms(&row.simulated).into_iter().zip(expected) {
            near(found, expected, 0.05, &format!("{:?}", row.gather));
        }
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

/// Of k of n leaves, of which one in a hundred stalls: the chance that a stall is waited for, and p50,
/// p95, p99 and p99.9 in microseconds. Computed by a program of its own, from sums of binomial terms.
const GATHERED: [(u32, u32, f64, [u64; 4]); 9] = [
    (
        99,
        100,
        0.264_238_021_077_043_5,
        [9_939, 1_000_000, 1_000_000, 1_000_000],
    ),
    (
        95,
        100,
        0.000_534_534_463_993_033,
        [9_578, 9_851, 9_926, 9_989],
    ),
    (
        90,
        100,
        6.255_518_382_834_087e-9,
        [9_125, 9_519, 9_646, 9_763],
    ),
    (
        50,
        100,
        6.102_815_512_992_443e-74,
        [5_501, 6_242, 6_543, 6_872],
    ),
    (1, 1, 0.01, [5_546, 9_637, 10_000, 1_000_000]),
    (2, 3, 0.000_298, [5_546, 8_861, 9_556, 9_924]),
    (3, 3, 0.029_701, [8_216, 9_937, 1_000_000, 1_000_000]),
    (3, 5, 9.850_6e-6, [5_546, 8_371, 9_131, 9_659]),
    (5, 5, 0.049_009_950_1, [8_915, 9_999, 1_000_000, 1_000_000]),
];

#[test]
fn the_arithmetic_is_that_of_a_program_of_its_own() {
    let mut rows = play::<GoodEnough>("--trials 0").rows;
    rows.extend(play::<Quorum>("--trials 0").rows);
    for (enough, leaves, p_slow, us) in GATHERED {
        let is_it = |row: &&GatherRow| (row.gather.enough, row.gather.leaves) == (enough, leaves);
        let row = rows.iter().find(is_it).expect("it is asked by default");
        let what = format!("{enough} of {leaves}");
        near(row.p_slow.expect("it stalls") / p_slow, 1.0, 1e-9, &what);
        let exact = &row.exact;
        let found = [exact.p50_us, exact.p95_us, exact.p99_us, exact.p999_us];
        for (found, us) in found.into_iter().zip(us) {
            let off = found.expect("exact").abs_diff(us);
            assert!(off <= 1, "{what}: {found:?}, expected {us}"); // where a real rounds
        }
    }
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
    let p50 = |row: &CanaryRow| ms(&row.simulated)[0];
    assert!(
        p50(none) < p50(two) && p50(two) < p50(one),
        "a second canary answers sooner"
    );
    let all = play::<Canary>("--leaves 2 --trials 10");
    assert_eq!(all.rows.len(), 3, "every leaf may be a canary");
}
