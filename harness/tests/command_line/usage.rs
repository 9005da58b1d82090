//! What every verb owes its user: help, exit codes, a clear no, and an answer where there is one.

use std::process::Command;

use serde_json::Value;

use super::{exits, folder, json, text};

#[test]
fn every_verb_has_examples_and_exit_codes_are_documented() {
    for (verb, which) in [
        ("list", "--scheduler"),
        ("simulate", "--scheduler"),
        ("strategies", "--fair"),
        ("run", "--scheduler"),
        ("pool", "--scheduler"),
        ("replay", "--scheduler"),
        ("verify", "--scheduler"),
    ] {
        let (help, _) = exits(0, &[verb, "--help"]);
        assert!(
            help.contains("Examples:") && help.contains(&format!("cargo lab {verb}")),
            "{help}"
        );
        assert!(
            help.contains(which) && help.contains("--seed") && help.contains("--json"),
            "{help}"
        );
    }
    assert!(exits(0, &["--help"]).0.contains("3 an expectation failed"));
}

#[test]
fn wrong_usage_exits_with_2() {
    let wrong: &[&[&str]] = &[
        &[],
        &["dance"],
        &["simulate", "--workers", "0"],
        &["simulate", "--period-us", "0"],
        &["simulate", "--workers", "-1"],
        &["simulate", "--service-us", "18446744073709551616"],
        &["simulate", "--scheduler", "no_such_scheduler"],
        &["simulate", "--json", "--csv"],
        &["pool", "--tenants", "0"],
        &["pool", "--discipline", "chaos"],
        &["pool", "--scan-interval", "0"],
        &["pool", "--burst", "5"],
        &["pool", "--rate", "-1"],
        &["pool", "--endpoint-costs", "export=20"],
        &["strategies", "--retry", "sometimes"],
        &["strategies", "--retry", "hammer=0"],
        &["run", "--scale", "0"],
        &["replay"],
        &["replay", "x.csv", "--speed-up", "0"],
        &["replay", "x.csv", "--speed-up", "NaN"],
        &["replay", "x.csv", "--workers", "0"],
        &["replay", "x.csv", "--in-flight-max", "0"],
        &["replay", "x.csv", "--compare-window", "9..3"],
        &["pair", "fifo"],
        &["pair", "fifo", "ring", "--state", "no_such_state"],
        &["flamegraph", "fifo", "no_such_state"],
        &["flamegraph", "--diff", "fifo", "fifo"],
    ];
    for arguments in wrong {
        let (out, err) = exits(2, arguments);
        assert!(out.is_empty() && !err.is_empty(), "{arguments:?}");
    }
}

/// The exit code, and both outputs, with a command in place of cargo: nothing is built.
fn with_cargo(cargo: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(arguments)
        .env("CARGO", cargo)
        .output()
        .expect("the binary runs");
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// Only the benchmarks know theirs. That one is missing shows when they have run, and is wrong usage still.
#[test]
fn a_profile_of_nobody_is_wrong_usage_and_benchmarks_that_do_not_run_are_not() {
    let out = folder("flames").display().to_string();
    for (cargo, code, says) in [
        ("true", 2, "no such benchmark"),
        ("false", 1, "did not run"),
    ] {
        for asked in [&["nobody"][..], &["--diff", "nobody", "somebody"]] {
            let arguments = [&["flamegraph", "--out", &out][..], asked].concat();
            let (found, _, err) = with_cargo(cargo, &arguments);
            assert_eq!(found, Some(code), "{asked:?}: {err}");
            assert!(err.contains(says), "{asked:?}: {err}");
        }
    }
}

/// What is an error is said to whoever reads; what is being done is not.
#[test]
fn progress_is_for_a_terminal_alone() {
    let out = folder("progress").display().to_string();
    let cases: [(&[&str], &str); 6] = [
        (
            &["simulate", "--scheduler", "fifo", "--burst-jobs", "10"],
            "",
        ),
        (&["pool", "--scheduler", "fifo", "--rounds", "5"], ""),
        (
            &[
                "run",
                "--scheduler",
                "fifo",
                "--scale",
                "1000",
                "--runs",
                "1",
            ],
            "",
        ),
        (&["gate", "--baselines", "/nowhere"], ""),
        (&["pair", "fifo", "ring"], "error: "),
        (&["flamegraph", "fifo", "--out", &out], "error: "),
    ];
    for (arguments, begins) in cases {
        let (_, _, err) = with_cargo("false", arguments);
        let lines: Vec<&str> = err.lines().collect();
        let expected = usize::from(!begins.is_empty());
        assert!(
            lines.len() == expected && err.starts_with(begins),
            "{arguments:?}: {err}"
        );
    }
}

#[test]
fn absurd_sizes_are_refused_at_once() {
    let absurd: &[&[&str]] = &[
        &[
            "simulate",
            "--scheduler",
            "fifo",
            "--burst-jobs",
            "4294967295",
        ],
        &[
            "simulate",
            "--scheduler",
            "fifo",
            "--normal-tenants",
            "4294967295",
        ],
        &[
            "simulate",
            "--scheduler",
            "fifo",
            "--period-us",
            "1",
            "--arrivals-until-us",
            "18446744073709551615",
        ],
        &[
            "simulate",
            "--scheduler",
            "fifo",
            "--service-us",
            "18446744073709551615",
        ],
        &[
            "simulate",
            "--scheduler",
            "fifo",
            "--burst-at-us",
            "18446744073709551615",
        ],
        &["run", "--scheduler", "fifo", "--workers", "4294967295"],
        &["run", "--scheduler", "fifo", "--scale", "4000000"],
        &["run", "--scheduler", "fifo", "--in-flight-max", "0"],
        &[
            "pool",
            "--discipline",
            "fair-share",
            "--rounds",
            "4294967295",
        ],
        &[
            "pool",
            "--discipline",
            "arrival-order",
            "--capacity",
            "1",
            "--tenants",
            "1",
            "--rounds",
            "1000000",
        ],
        &["strategies", "--retry", "obey", "--in-flight-max", "0"],
        &["strategies", "--retry", "hammer", "--backlog-max", "0"],
        &["simulate", "no-such-scenario"],
        &["simulate", "shared-pool"],
        &["replay", "no-such-file.csv"],
        &["verify", "no-such-scenario"],
        &["verify", "--scenarios", "no-such-folder"],
    ];
    for arguments in absurd {
        let (out, err) = exits(1, arguments);
        assert!(
            out.is_empty() && err.contains("error: "),
            "{arguments:?}: {err}"
        );
    }
}

#[test]
fn extremes_that_are_no_mistake_have_answers() {
    let nobody = json(&[
        "simulate",
        "--scheduler",
        "fifo",
        "--normal-tenants",
        "0",
        "--burst-jobs",
        "0",
    ]);
    assert_eq!(
        (&nobody["normal_jobs"], &nobody["p50_us"]),
        (&Value::from(0), &Value::Null)
    );
    let closed = json(&["simulate", "--scheduler", "fifo", "--in-flight-max", "0"]);
    assert_eq!(
        (&closed["normal_jobs"], &closed["unserved"]),
        (&Value::from(0), &Value::from(2_480))
    );
    let shut = json(&["simulate", "--scheduler", "fifo", "--backlog-max", "0"]);
    assert_eq!(shut["rejected"], 2_480);
    let instant = json(&[
        "simulate",
        "--scheduler",
        "fifo",
        "--service-us",
        "0",
        "--phase-us",
        "18446744073709551615",
    ]);
    assert_eq!(instant["max_us"], 0);
}

#[test]
fn output_is_plain_where_nobody_looks_and_comes_in_four_forms() {
    let arguments = ["simulate", "--scheduler", "fifo", "--burst-jobs", "10"];
    for form in ["", "--json", "--csv", "--markdown"] {
        let with_form: Vec<&str> = arguments
            .iter()
            .copied()
            .chain(Some(form).filter(|form| !form.is_empty()))
            .collect();
        let (out, err) = exits(0, &with_form);
        assert!(
            !out.contains('\u{1b}') && !err.contains('\u{1b}'),
            "no colours, no cursor movements"
        );
    }
    let (markdown, _) = exits(0, &[&arguments[..], &["--markdown"]].concat());
    assert!(
        markdown.contains("| limits | scheduler |") && markdown.contains("|---"),
        "{markdown}"
    );
    let (csv, _) = exits(0, &[&arguments[..], &["--csv"]].concat());
    assert_eq!(csv.lines().count(), 2);
    assert!(
        csv.lines()
            .next()
            .is_some_and(|heading| heading.contains("p95_us"))
    );
}
