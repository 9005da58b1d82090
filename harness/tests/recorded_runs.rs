//! Recorded runs from outside: comparing them, and splicing their tables, with every exit code.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use records::runs::Fingerprint;
use serde_json::Value;

/// Runs the lab, and gives its exit code and what it printed on both outputs.
fn lab(arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(arguments)
        .output()
        .expect("the binary runs");
    let printed = [output.stdout, output.stderr].concat();
    (
        output.status.code().expect("it ended by itself"),
        String::from_utf8(printed).expect("output is text"),
    )
}

/// A run that was recorded before the environment told all that it tells now.
const RECORDED: &str = "2026-11-30-5763c1a775da";

/// The recorded run with something changed in its first file, in a folder of its own.
fn changed(name: &str, change: impl FnOnce(&mut Value)) -> String {
    let from = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../results/runs")
        .join(RECORDED);
    let to = std::env::temp_dir().join(format!("recorded-{name}-{}", std::process::id()));
    fs::create_dir_all(&to).expect("a writable folder for temporary files");
    let text = fs::read_to_string(from.join("replay.json")).expect("it is in the repository");
    let mut run: Value = serde_json::from_str(&text).expect("JSON");
    change(&mut run);
    fs::write(to.join("replay.json"), run.to_string()).expect("a writable folder");
    to.display().to_string()
}

fn compared(base: &str, now: &str, code: i32, says: &str) {
    let (found, printed) = lab(&["compare", base, now]);
    assert!(found == code && printed.contains(says), "{found} {printed}");
}

#[test]
fn a_run_recorded_long_ago_compares_with_itself() {
    compared(RECORDED, RECORDED, 0, "same");
}

/// Times of one thread and of many, counts, memory, paired ratios: whatever a run has is compared.
#[test]
fn every_kind_of_benchmark_is_compared() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../results/runs");
    // In the later two a queue held less than nothing, which is void: it could not be measured.
    let (early, shared, counted) = (
        RECORDED,
        "2026-11-30-7e4e2fc37224",
        "2026-11-30-a90998487fbd",
    );
    for (run, code, says) in [
        (early, 0, "steady/active_list/1000"),
        (shared, 2, "contention_2_threads_batch_1/sharded/10000"),
        (shared, 2, "replay/active_list/"),
        (shared, 2, "idle_tenant/active_list"),
        (shared, 2, "it held less than nothing"),
        (counted, 2, "instructions of one operation"),
        (counted, 2, "allocations of one operation"),
        (counted, 2, "steady/fifo over vec_deque/1000"),
        (counted, 2, "admission/limiter/mixed/1/100"),
        (counted, 2, "admitted_tenant/limiter/1000"),
    ] {
        let run = folder.join(run).display().to_string();
        compared(&run, &run, code, says);
    }
}

/// Public reports: "nothing to compare" looked like a regression, or like success.
#[test]
fn comparing_ends_with_a_code_of_its_own_for_each_case() {
    let same = changed("same", |_| ());
    compared(&same, &same, 0, "same");
    let slower = changed("slower", |run| {
        let ratio = &mut run["cells"][2]["floor_ratio"];
        *ratio = (ratio.as_f64().expect("timed") * 2.0).into();
    });
    compared(&same, &slower, 3, "slower");
    compared(&slower, &same, 0, "faster");
    let gone = changed("gone", |run| {
        run["cells"].as_array_mut().expect("a list").remove(2);
    });
    compared(&same, &gone, 2, "removed");
    compared(&gone, &same, 0, "new");
    let empty = changed("empty", |run| run["cells"] = Value::Array(Vec::new()));
    compared(&empty, &same, 2, "new");
    let elsewhere = changed("elsewhere", |run| {
        run["environment"]["cpu"] = "another".into();
    });
    compared(&same, &elsewhere, 2, "not comparable (other machine)");
    let smoke = changed("smoke", |run| run["environment"]["smoke"] = true.into());
    compared(&smoke, &smoke, 1, "smoke run");
    let without = changed("without-cells", |run| {
        run.as_object_mut().expect("an object").remove("cells");
    });
    compared(&without, &same, 1, "neither `cells`");
    let broken = changed("broken", |run| *run = Value::String("cells".into()));
    compared(&broken, &same, 1, "error:");
    compared("no-such-run", &same, 1, "error:");
    let (code, json) = lab(&["compare", &same, &slower, "--json"]);
    let document: Value = serde_json::from_str(&json).expect("one JSON document");
    assert_eq!((code, &document["verb"]), (3, &"compare".into()));
    let compared = document["compared"].as_array().expect("a list");
    assert!(compared.iter().any(|one| one["change"] == "slower"));
}

#[test]
fn tables_are_spliced_and_a_text_that_differs_is_told() {
    let file = std::env::temp_dir().join(format!("splice-{}.md", std::process::id()));
    let text = "# Title\n<!-- table:replay begin -->\n<!-- table:replay end -->\n";
    fs::write(&file, text).expect("a writable folder");
    let place = file.display().to_string();
    let run = changed("splice", |_| ());
    let splice = |more: &[&str]| {
        let arguments = ["splice", "--run", &run, "--readme", &place];
        lab(&[&arguments, more].concat()).0
    };
    assert_eq!(splice(&["--check"]), 3);
    assert_eq!(
        fs::read_to_string(&file).expect("it is there"),
        text,
        "only looked at"
    );
    assert_eq!((splice(&[]), splice(&["--check"])), (0, 0));
    let spliced = fs::read_to_string(&file).expect("it is there");
    assert!(spliced.contains("| active_list") && spliced.contains("`cargo bench -p benches"));
    fs::write(&file, spliced.replace('\n', "\r\n")).expect("a writable folder");
    assert_eq!(splice(&["--check"]), 0, "other line ends say the same");
    assert_eq!(
        lab(&["splice", "--run", &run, "--readme", "no-such-file"]).0,
        1
    );
    let study = format!("pool={place}");
    let unmarked = lab(&[
        "splice", "--run", &run, "--readme", &place, "--table", &study,
    ]);
    assert!(
        unmarked.0 == 1 && unmarked.1.contains("table:pool"),
        "{unmarked:?}"
    );
}

#[test]
fn the_verbs_about_runs_explain_themselves() {
    for verb in ["pair", "compare", "flamegraph", "record", "splice"] {
        let (code, help) = lab(&[verb, "--help"]);
        assert!(
            code == 0 && help.contains("Examples:") && help.contains("--json"),
            "{help}"
        );
    }
    for wrong in [
        &["pair"][..],
        &["compare", "one"],
        &["flamegraph"],
        &["pair", "a", "b", "--state", "x"],
    ] {
        let (code, printed) = lab(wrong);
        assert_eq!(code, 2, "{wrong:?} {printed}");
    }
}

/// A later run may have a whole file more: what both have was compared.
#[test]
fn a_file_that_only_the_later_run_has_is_new() {
    let one = changed("one-file", |_| ());
    let (code, printed) = lab(&["compare", &one, RECORDED]);
    assert_eq!(code, 0, "{printed}");
    assert!(printed.contains("new"), "{printed}");
    let (code, printed) = lab(&["compare", RECORDED, &one]);
    assert_eq!(code, 2, "{printed}");
    assert!(printed.contains("removed"), "{printed}");
}

/// A filtered bench leaves what the others found of an earlier commit beside its own.
#[test]
fn files_of_two_commits_are_not_compared_as_one_run() {
    let mixed = changed("mixed", |_| ());
    let replay = PathBuf::from(&mixed).join("replay.json");
    let text = fs::read_to_string(&replay).expect("it was written");
    let mut later: Value = serde_json::from_str(&text).expect("JSON");
    later["environment"]["commit"] = "fedcba9876543210".into();
    later["environment"]["date"] = "2030-01-01T00:00:00Z".into();
    let wall_time = PathBuf::from(&mixed).join("wall_time.json");
    fs::write(wall_time, later.to_string()).expect("a writable folder");
    let again = "replay.json (of 5763c1a775da) and wall_time.json (of fedcba987654) are of different \
        commits: run `cargo bench -p benches --bench replay` again, or remove replay.json";
    compared(RECORDED, &mixed, 1, again);
    compared(&mixed, RECORDED, 1, again);
}

/// A run of one scheduler, filtered, has times but no ratio: neither slower nor the same.
#[test]
fn a_run_without_its_floor_is_not_comparable() {
    let without = changed("no-floor", |run| {
        for cell in run["cells"].as_array_mut().expect("cells") {
            cell["floor_ratio"] = Value::Null;
        }
    });
    let whole = changed("floor", |_| ());
    compared(&whole, &without, 2, "the floor was not timed");
    compared(&without, &without, 2, "the floor was not timed");
}

/// The stamp is of when drawing began, of the core that the benchmarks say, and of these files.
#[cfg(unix)]
#[test]
fn pictures_are_stamped_by_what_they_were_drawn_of() {
    use std::os::unix::fs::PermissionsExt;

    let folder = std::env::temp_dir().join(format!("stamp-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a writable folder");
    let cargo = folder.join("cargo");
    let script = "#!/bin/sh\n\
        sleep 1.1\n\
        date -u +%Y-%m-%dT%H:%M:%SZ >\"$FLAMEGRAPHS/ended\"\n\
        mkdir -p \"$FLAMEGRAPHS/steady/nobody\"\n\
        echo 'a;b 3' >\"$FLAMEGRAPHS/steady/nobody/100.folded\"\n\
        echo '<svg/>' >\"$FLAMEGRAPHS/steady/nobody/100.svg\"\n\
        echo \"pinned to: core 7${BENCH_SMOKE:+, smoke}\"\n";
    fs::write(&cargo, script).expect("a writable folder");
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("ours");
    let out = folder.join("flames");
    let ran = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(["flamegraph", "nobody", "steady", "100", "--out"])
        .arg(&out)
        .env("CARGO", &cargo)
        .env("BENCH_SMOKE", "1")
        .output()
        .expect("the binary runs");
    assert!(ran.status.success(), "{ran:?}");
    let read = |name: &str| fs::read_to_string(out.join(name)).expect("it was written");
    let stamp: Value = serde_json::from_str(&read("environment.json")).expect("JSON");
    let environment = &stamp["environment"];
    let began = environment["date"].as_str().expect("a date");
    assert!(*began < *read("ended").trim(), "{began}");
    assert_eq!(
        environment["affinity"], "core 7",
        "in full, whatever the caller had set"
    );
    let content = |name: &str| Fingerprint::of(read(name).as_bytes()).hex();
    let (stacks, picture) = ("steady/nobody/100.folded", "steady/nobody/100.svg");
    let expected = serde_json::json!({ stacks: content(stacks), picture: content(picture) });
    assert_eq!(stamp["drawn"], expected);
}
