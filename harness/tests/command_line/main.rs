//! The command line from outside: exit codes, messages, and what a new scheduler gets by itself.

mod admission;
mod usage;

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
