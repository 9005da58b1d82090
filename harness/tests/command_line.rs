//! The command line from outside: exit codes, messages, and what a new scheduler gets by itself.

use std::path::PathBuf;
use std::process::{Command, Output};

use harness::scheduler::{SCHEDULERS, Scheduler};
use serde_json::Value;

fn lab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(arguments)
        .output()
        .expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is text")
}

/// Asserts the exit code, and gives back both outputs.
fn exits(code: i32, arguments: &[&str]) -> (String, String) {
    let output = lab(arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(
        output.status.code(),
        Some(code),
        "{arguments:?}\n{out}\n{err}"
    );
    (out, err)
}

fn json(arguments: &[&str]) -> Value {
    let (out, _) = exits(0, &[arguments, &["--json"]].concat());
    let document: Value = serde_json::from_str(&out).expect("one JSON document");
    assert_eq!(document["schema_version"], 1);
    assert_eq!(document["verb"], arguments[0]);
    document
}

fn trace(name: &str) -> String {
    format!("{}/traces/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A folder of the test's own.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("lab-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a writable folder for temporary files");
    folder
}

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
    ];
    for arguments in wrong {
        let (out, err) = exits(2, arguments);
        assert!(out.is_empty() && !err.is_empty(), "{arguments:?}");
    }
}

#[test]
fn limits_that_nobody_reaches_change_nothing() {
    let file = trace("azure-functions-2021-head199.csv");
    let most = "4294967295";
    let limits = ["--rate", most, "--burst", most, "--backlog-max", most];
    let verbs: [&[&str]; 4] = [
        &["simulate", "--scheduler", "rotation", "--burst-jobs", "50"],
        &["pool", "--scheduler", "rotation", "--rounds", "20"],
        &["pool", "--discipline", "fair-share", "--rounds", "20"],
        &["replay", &file, "--scheduler", "rotation"],
    ];
    for arguments in verbs {
        let without = |mut document: Value| {
            let rows = document["schedulers"].as_array_mut();
            for row in rows.map_or(vec![], |rows| rows.iter_mut().collect()) {
                row["rate_limit"] = Value::Null;
            }
            document["rate_limit"] = Value::Null;
            document["backlog_max"] = Value::Null;
            document
        };
        let limited = json(&[arguments, &limits].concat());
        assert_eq!(without(limited), without(json(arguments)), "{arguments:?}");
    }
}

/// One tenant that asks for 416 units in the first round and 417 or 416 in each of the next nine.
#[test]
fn the_pool_lets_through_what_its_limits_say() {
    let one = [
        "pool",
        "--tenants",
        "1",
        "--capacity",
        "1",
        "--rounds",
        "10",
    ];
    let asked = 4_166;
    for order in [
        ["--discipline", "arrival-order"],
        ["--discipline", "fair-share"],
        ["--scheduler", "fifo"],
    ] {
        for (limits, through, by_rate) in [
            (&["--rate", "2"][..], 10 * 2, asked - 20),
            (&["--rate", "2", "--burst", "7"], 7 + 9 * 2, asked - 25),
            (&["--rate", "2", "--endpoint-costs", "small=0"], asked, 0),
            // Three wait, and in each further round one more has room.
            (&["--backlog-max", "3"], 3 + 9, 0),
            (&["--rate", "0", "--burst", "0"], 0, asked),
        ] {
            let document = json(&[&one[..], &order, limits].concat());
            let found =
                ["requests", "refused", "rate_limited"].map(|field| document[field].as_u64());
            let expected = [through, asked - through, by_rate].map(Some);
            assert_eq!(found, expected, "{order:?} {limits:?}");
        }
    }
}

#[test]
fn coming_back_costs_refusals_and_loses_nothing() {
    let strategies = |retry: &str| {
        let short = ["strategies", "--burst-jobs", "125", "--retry", retry];
        let Value::Array(rows) = json(&short)["strategies"].take() else {
            panic!("a list")
        };
        rows
    };
    // Of 125, 25 pass at once, and then five in a second.
    let held = 100;
    for (retry, given_up, refusals) in [
        ("never", held, held),
        ("obey", 0, held),
        ("hammer=100", 0, held + held * held),
    ] {
        let rows = strategies(retry);
        let row = |name: &str| {
            rows.iter()
                .find(|row| row["strategy"] == name)
                .expect("it is there")
        };
        let refuse = row("refuse");
        let found = ["rejected", "rate_limited", "noisy_refusals", "refusals"]
            .map(|field| refuse[field].as_u64());
        assert_eq!(
            found,
            [given_up, given_up, refusals, refusals].map(Some),
            "{retry}"
        );
        if retry != "never" {
            assert_eq!(refuse["noisy_after_burst_us"], 20_100_000, "{retry}");
            assert_eq!(refuse["noisy_waits"]["max_us"], 20_000_000, "{retry}");
        }
        assert_eq!(row("queue fairly")["refusals"], 0, "{retry}");
        assert_eq!(row("queue fairly")["noisy_done"], 125, "{retry}");
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
fn every_registered_scheduler_shows_up_in_every_verb() {
    let file = trace("accasim-crlf-25jobs.swf");
    let verbs: [(&[&str], &str, &str); 4] = [
        (&["list"], "schedulers", "scheduler"),
        (
            &["simulate", "--scheduler", "all", "--burst-jobs", "50"],
            "schedulers",
            "scheduler",
        ),
        (
            &["pool", "--scheduler", "all", "--rounds", "5"],
            "runs",
            "discipline",
        ),
        (&["replay", &file], "schedulers", "scheduler"),
    ];
    let registered: Vec<&str> = SCHEDULERS.iter().map(|scheduler| scheduler.name).collect();
    for (arguments, list, field) in verbs {
        let document = json(arguments);
        let rows = document[list].as_array().expect("a list");
        let names: Vec<&str> = rows
            .iter()
            .map(|row| row[field].as_str().expect("a name"))
            .collect();
        assert_eq!(names, registered, "{arguments:?}");
    }
}

/// Whether all are in the registry; says so where not.
fn are_registered(names: &[&str]) -> bool {
    let missing = names.iter().find(|name| Scheduler::named(name).is_none());
    if let Some(missing) = missing {
        eprintln!("SKIPPED: {missing} is not registered");
    }
    missing.is_none()
}

#[test]
fn a_fifo_scheduler_is_the_pool_in_arrival_order() {
    if !are_registered(&["fifo"]) {
        return;
    }
    let day_b = ["pool", "--largest-scans-fivefold"];
    let mut arrival_order = json(&[&day_b[..], &["--discipline", "arrival-order"]].concat());
    arrival_order["discipline"] = "fifo".into();
    assert_eq!(
        json(&[&day_b[..], &["--scheduler", "fifo"]].concat()),
        arrival_order
    );
}

#[test]
fn the_rotation_is_the_scan_without_the_scan() {
    if !are_registered(&["scan_all", "rotation"]) {
        return;
    }
    for extra in [
        &["--workers", "7"][..],
        &["--in-flight-max", "2", "--backlog-max", "9"],
        &["--phase-us", "0", "--service-us", "33333"],
    ] {
        let [mut scan, mut rotation] = ["scan_all", "rotation"]
            .map(|name| json(&[&["simulate", "--scheduler", name], extra].concat()));
        for document in [&mut scan, &mut rotation] {
            document
                .as_object_mut()
                .expect("an object")
                .remove("scheduler");
        }
        assert_eq!(scan, rotation, "{extra:?}");
    }
}

#[test]
fn the_same_command_prints_the_same_document() {
    let file = trace("azure-functions-2021-head199.csv");
    for arguments in [
        &["simulate"][..],
        &["pool"],
        &["replay", &file, "--seed", "3"],
    ] {
        assert_eq!(json(arguments), json(arguments), "{arguments:?}");
    }
}

#[test]
fn shipped_traces_replay_through_every_scheduler() {
    for (name, jobs, tenants) in [
        ("accasim-crlf-25jobs.swf", 25, 5),
        ("azure-functions-2021-head199.csv", 199, 13),
    ] {
        let document = json(&["replay", &trace(name)]);
        assert_eq!(
            (
                &document["jobs"],
                &document["tenants"],
                &document["skipped"]
            ),
            (&jobs.into(), &tenants.into(), &0.into())
        );
        for row in document["schedulers"].as_array().expect("a list") {
            assert_eq!(row["done"], jobs, "{row}");
        }
    }
}

#[test]
fn a_bad_trace_names_its_file_and_line() {
    let file = folder("bad").join("bad.csv");
    std::fs::write(&file, "time,cost\n1,1\n2,NaN\n").expect("a writable file");
    let file = file.display().to_string();
    let (_, err) = exits(1, &["replay", &file]);
    assert!(
        err.contains(&format!("{file}:3: cost is not a number")),
        "{err}"
    );
    let lenient = json(&["replay", &file, "--lenient"]);
    assert_eq!(
        (&lenient["jobs"], &lenient["skipped"]),
        (&1.into(), &1.into())
    );
}

#[test]
fn limits_can_be_swept_and_names_are_listed_within_bounds() {
    let file = trace("azure-functions-2021-head199.csv");
    let document = json(&["replay", &file, "--in-flight-max", "none,1,4", "--top", "2"]);
    let rows = document["schedulers"].as_array().expect("a list");
    assert_eq!(rows.len(), 3 * SCHEDULERS.len());
    for row in rows {
        let named: Vec<&Value> = row["top_tenants"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|row| &row["tenants"])
            .collect();
        assert_eq!(named, [1, 1, 11], "two tenants and the others");
    }
}

#[test]
fn a_window_is_judged_against_what_came_before() {
    let file = folder("window").join("noise.csv");
    let quiet = (0..100).map(|second| format!("{second},{},1", second % 4));
    let noisy = (100..200).map(|second| {
        format!(
            "{second},{},{}",
            second % 4,
            if second % 4 == 2 { 9 } else { 1 }
        )
    });
    let lines: Vec<String> = ["time,tenant,cost".to_owned()]
        .into_iter()
        .chain(quiet)
        .chain(noisy)
        .collect();
    std::fs::write(&file, lines.join("\n")).expect("a writable file");
    let verdict = &json(&[
        "replay",
        &file.display().to_string(),
        "--compare-window",
        "100..200",
    ])["verdict"];
    assert_eq!(
        (&verdict["change"], &verdict["tenant"]),
        (&"noisy_neighbour".into(), &"2".into())
    );
    assert_eq!(verdict["sharing_is_sound"], false);
}

#[test]
fn the_pool_tells_demand_from_noise() {
    let document = json(&["pool"]);
    let found: Vec<(&Value, &Value)> = document["verdicts"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| (&entry["verdict"]["change"], &entry["verdict"]["tenant"]))
        .collect();
    assert_eq!(found[0].0, "demand_grew");
    assert_eq!(found[1], (&"noisy_neighbour".into(), &"rank 1".into()));
}

#[test]
fn verify_exits_with_3_when_an_expectation_fails() {
    exits(0, &["verify"]);
    let folder = folder("verify");
    let scenario = |expected: u32| {
        format!(
            "about = \"one\"\nkind = \"noisy-burst\"\n[[expect]]\nscheduler = \"fifo\"\nresult = {{ normal_jobs = {expected} }}\n"
        )
    };
    let run = |text: &str| {
        std::fs::write(folder.join("one.toml"), text).expect("a writable file");
        lab(&["verify", "--scenarios", &folder.display().to_string()])
    };
    assert_eq!(run(&scenario(480)).status.code(), Some(0));
    let wrong = run(&scenario(481));
    assert_eq!(wrong.status.code(), Some(3));
    assert!(text(&wrong.stdout).contains("normal_jobs is 480, expected 481"));
    let unknown_field = run(&scenario(480).replace("normal_jobs", "normal_jobz"));
    assert_eq!(unknown_field.status.code(), Some(3));
    let nothing_checked = run(&scenario(480).replace("\"fifo\"", "\"no_such_scheduler\""));
    assert_eq!(
        nothing_checked.status.code(),
        Some(3),
        "a run that checked nothing has not passed"
    );
    let broken = run("about = \"x\"\nkind = \"noisy-burst\"\nabuot = 1\n");
    assert_eq!(broken.status.code(), Some(1));
    assert!(
        text(&broken.stderr).contains("one.toml:3: "),
        "{}",
        text(&broken.stderr)
    );
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

#[test]
fn real_workers_lose_nothing_as_threads_or_as_tasks() {
    for workers_as in ["threads", "tasks"] {
        let document = json(&[
            "run",
            "--workers-as",
            workers_as,
            "--scale",
            "100",
            "--runs",
            "1",
            "--burst-jobs",
            "200",
            "--arrivals-until-us",
            "4000000",
            "--in-flight-max",
            "4",
        ]);
        for row in document["schedulers"].as_array().expect("a list") {
            assert_eq!(row["noisy_done"]["median"], 200, "{row}");
            assert_eq!(
                row["neighbour_waits"]["count"], row["simulated"]["normal_jobs"],
                "{row}"
            );
            assert_eq!(row["generator_lag"]["count"], 360, "{row}");
        }
    }
}
