//! `cargo lab tail` from outside: exit codes, help, and the documents.

use std::process::{Command, Output};

use serde_json::Value;

/// Each verb, with flags that make it short.
const VERBS: [(&str, &[&str]); 10] = [
    ("fan-out", &["--trials", "100"]),
    ("hedge", &["--trials", "1000"]),
    ("tie", &["--trials", "200"]),
    ("partitions", &["--trials", "2"]),
    ("replicas", &["--trials", "2"]),
    ("probation", &["--trials", "1000"]),
    ("good-enough", &["--trials", "100"]),
    ("canary", &["--trials", "100"]),
    ("quorum", &["--trials", "100"]),
    (
        "neighbours",
        &[
            "--servers",
            "8",
            "--noisy-servers",
            "1",
            "--duration-us",
            "500000",
        ],
    ),
];

fn tail(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lab"))
        .arg("tail")
        .args(arguments)
        .output()
        .expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is text")
}

#[test]
fn every_verb_prints_its_seed_and_trials_in_four_forms() {
    for (verb, flags) in VERBS {
        let run = |more: &[&str]| {
            let output = tail(&[&[verb], flags, &["--seed", "5"], more].concat());
            assert_eq!(
                output.status.code(),
                Some(0),
                "{verb} {}",
                text(&output.stderr)
            );
            text(&output.stdout)
        };
        for page in [run(&[]), run(&["--markdown"])] {
            assert!(
                page.contains("Seed 5, ") && page.contains(" trials."),
                "{page}"
            );
        }
        let document: Value = serde_json::from_str(&run(&["--json"])).expect("one JSON document");
        assert_eq!(document["verb"], format!("tail {verb}"));
        assert_eq!(
            (&document["seed"], &document["schema_version"]),
            (&5.into(), &1.into())
        );
        assert!(
            document["trials"].as_u64().is_some_and(|trials| trials > 0),
            "{document}"
        );
        let rows = document["rows"].as_array().expect("a list");
        assert_eq!(run(&["--csv"]).lines().count(), rows.len() + 1, "{verb}");
    }
}

#[test]
fn fan_out_names_the_chance_as_documented() {
    let output = tail(&[
        "fan-out",
        "--slow-probability",
        "0.001",
        "--leaves",
        "1000",
        "--trials",
        "100",
        "--json",
    ]);
    let document: Value = serde_json::from_slice(&output.stdout).expect("one JSON document");
    let p_any_slow = document["p_any_slow"].as_f64().expect("a number");
    assert_eq!(format!("{p_any_slow:.4}"), "0.6323");
    let page = text(&tail(&["fan-out", "--trials", "100"]).stdout);
    for figure in ["0.633968", "0.095208", "0.632305", "0.181277"] {
        assert!(page.contains(figure), "{page}");
    }
}

#[test]
fn every_verb_has_examples() {
    for (verb, _) in VERBS {
        let help = text(&tail(&[verb, "--help"]).stdout);
        assert!(
            help.contains("Examples:") && help.contains(&format!("cargo lab tail {verb}")),
            "{help}"
        );
        assert!(help.contains("--json") && help.contains("--seed"), "{help}");
    }
}

/// The model's own words, in its help and in the list of all.
#[test]
fn every_verb_says_what_it_is() {
    let list = text(&tail(&["--help"]).stdout);
    let list: Vec<&str> = list.split_whitespace().collect(); // it is broken into lines
    let list = list.join(" ");
    for (verb, _) in VERBS {
        let help = text(&tail(&[verb, "--help"]).stdout);
        let about = help.lines().next().expect("a first line");
        assert_eq!(list.matches(about).count(), 1, "{verb}: {about}");
    }
}

#[test]
fn wrong_usage_exits_with_2_and_contradictions_with_1() {
    let wrong: &[&[&str]] = &[
        &[],
        &["dance"],
        &["fan-out", "--slow-probability", "NaN"],
        &["fan-out", "--slow-probability", "1.1"],
        &["fan-out", "--slow-probability", "-0.1"],
        &["fan-out", "--slow-probability", "inf"],
        &["fan-out", "--leaves", "0"],
        &["fan-out", "--leaves", "-1"],
        &["fan-out", "--json", "--csv"],
        &["hedge", "--delay-us", "-1"],
        &["hedge", "--delay-us", "NaN"],
        &["hedge", "--leaf", "oak"],
        &["tie", "--load", "1"],
        &["tie", "--load", "0"],
        &["tie", "--load", "NaN"],
        &["tie", "--servers", "1"],
        &["tie", "--stale-us", "1,,2"],
        &["tie", "--heavy-alike", "2"],
        &["tie", "--scheduler", "no_such_scheduler"],
        &["partitions", "--machines", "1"],
        &["partitions", "--per-machine", "0"],
        &["replicas", "--copy-share", "0"],
        &["probation", "--load", "-0.5"],
        &["probation", "--interval-us", "0"],
        &["good-enough", "--enough", "0"],
        &["canary", "--poison-probability", "2"],
        &["canary", "--trials", "0"],
        &["quorum", "--replicas", "0"],
        &["neighbours", "--widths", "0"],
        &["neighbours", "--noisy-load", "1.5"],
        &["neighbours", "--duration-us", "0"],
    ];
    for arguments in wrong {
        let output = tail(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            output.stdout.is_empty() && !output.stderr.is_empty(),
            "{arguments:?}"
        );
    }
    let negative = tail(&["fan-out", "--slow-probability", "-0.1"]);
    assert!(text(&negative.stderr).contains("not a probability: give a number from 0 to 1"));
    let output = tail(&["good-enough", "--leaves", "3", "--enough", "4"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("error: enough is 4, but there are 3 leaves"));
}
