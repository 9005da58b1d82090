//! The gate from outside: what it says of baselines that are missing, broken, foreign or of other
//! benchmarks. No valgrind is needed for that; faults of code are for `scripts/gate --self-test`.

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::gate::self_test::{Case, Extent, run};

#[test]
fn every_fault_of_a_baseline_has_its_exit_code() {
    let lab = Path::new(env!("CARGO_BIN_EXE_lab"));
    let folder = std::env::temp_dir().join(format!("lab-gate-{}", std::process::id()));
    let cases = run(lab, &folder, Extent::Files, |_| ()).unwrap();
    let failed: Vec<&Case> = cases.iter().filter(|case| !case.holds()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    let codes = [0, 2, 3].map(|code| cases.iter().any(|case| case.expected == code));
    assert_eq!(codes, [true; 3], "every verdict is seen");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_gate_says_why_it_could_not_measure() {
    let ran = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(["gate", "--skip-laws", "--baselines", "/nowhere/at/all"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert_eq!(ran.status.code(), Some(2), "{said}");
    assert!(
        said.contains("no baseline of this platform") && said.contains("--bless"),
        "{said}"
    );
}

/// The exit code, and what is said on both outputs.
fn gate(arguments: &[&str]) -> (Option<i32>, String) {
    let ran = Command::new(env!("CARGO_BIN_EXE_lab"))
        .arg("gate")
        .args(arguments)
        .output()
        .unwrap();
    let said = [ran.stdout, ran.stderr].concat();
    (
        ran.status.code(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

#[test]
fn what_cannot_be_done_is_said_before_anything_is_built() {
    for (arguments, code, says) in [
        (&["--base", "no-such-revision"][..], 2, "no-such-revision"),
        (&["--only", "times"], 2, "give --base"),
        (&["--only", "times", "--or-base", "HEAD"], 2, "give --base"),
    ] {
        let (found, said) = gate(arguments);
        assert_eq!(found, Some(code), "{arguments:?}: {said}");
        assert!(
            said.contains(says) && !said.contains("the laws"),
            "{arguments:?}: {said}"
        );
    }
}

/// The arguments of a case of the self-test, and the folder with its files.
fn case(name: &str, fault: &str) -> (PathBuf, Vec<String>) {
    let lab = Path::new(env!("CARGO_BIN_EXE_lab"));
    let folder = std::env::temp_dir().join(format!("lab-gate-{name}-{}", std::process::id()));
    let cases = run(lab, &folder, Extent::Files, |_| ()).unwrap();
    let case = cases.iter().find(|case| case.fault == fault).unwrap();
    let arguments = case.command.split(' ').skip(1).map(str::to_owned);
    (folder, arguments.collect())
}

/// Public reports: an identical program "regressed" on another machine.
#[test]
fn counts_of_a_foreign_platform_are_neither_compared_nor_blessed() {
    let (folder, arguments) = case("foreign", "counts of a foreign platform");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    for more in [&[][..], &["--bless"]] {
        let (code, said) = gate(&[&arguments[..], more].concat());
        assert_eq!(code, Some(2), "{said}");
        assert!(
            said.contains("elsewhere.json: counted on a foreign platform: rustc: "),
            "{said}"
        );
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_broken_baseline_can_be_replaced_by_blessing() {
    let (folder, arguments) = case("bless", "the baseline cut short");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    assert_eq!(gate(&arguments).0, Some(2));
    let (code, said) = gate(&[&arguments[..], &["--bless"]].concat());
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(gate(&arguments).0, Some(0));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A filtered benchmark leaves some counts; the others of the baseline are not gone.
#[test]
fn a_part_of_the_counts_is_blessed_as_a_part() {
    let (folder, arguments) = case("part", "none");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let measured = arguments.iter().position(|one| *one == "--measured");
    let file = arguments[measured.expect("it is given") + 1];
    let mut run: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let counts = run["counts"].as_object_mut().unwrap();
    counts.remove("take/made_up/100").expect("it is there");
    std::fs::write(file, run.to_string()).unwrap();
    let (code, said) = gate(&[&arguments[..], &["--bless"]].concat());
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("1 of the baseline"), "{said}");
    let part = ["--bless", "--benchmarks", "push/"];
    let (code, said) = gate(&[&arguments[..], &part].concat());
    assert_eq!(code, Some(0), "{said}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Variables that cargo builds by, and whether counts under one are foreign to those without.
const VARIABLES: [(&str, &str, bool); 7] = [
    ("RUSTFLAGS", "-D warnings", false),
    ("RUSTC_WRAPPER", "env", false), // runs the compiler, as a cache of it would
    ("CARGO_INCREMENTAL", "0", false),
    ("CARGO_INCREMENTAL", "1", true),
    ("CARGO_BUILD_TARGET", "aarch64-unknown-linux-gnu", true),
    ("CARGO_BUILD_RUSTFLAGS", "-Copt-level=1", true),
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1", true),
];

/// Where the gate looks for the baseline of its platform, with this variable set and whatever the caller
/// has set gone.
fn platform(variable: Option<(&str, &str)>) -> String {
    let mut gate = Command::new(env!("CARGO_BIN_EXE_lab"));
    for (name, ..) in VARIABLES {
        gate.env_remove(name);
    }
    let ran = gate
        .args(["gate", "--skip-laws", "--baselines", "/nowhere"])
        .envs(variable)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    let place = said.split("/nowhere/").nth(1).expect("where it looked");
    place.split('/').next().unwrap_or_default().to_owned()
}

/// What changes the code makes another platform, and what does not makes none.
#[test]
fn the_platform_is_what_cargo_builds_with() {
    let here = platform(None);
    for (name, value, is_foreign) in VARIABLES {
        let there = platform(Some((name, value)));
        assert_eq!(there != here, is_foreign, "{name}={value}: {there}");
    }
}
