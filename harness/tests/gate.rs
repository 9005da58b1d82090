//! The gate from outside: what it says of baselines that are missing, broken, foreign or of other
//! benchmarks. No valgrind is needed for that; faults of code are for `scripts/gate --self-test`.

use std::path::Path;
use std::process::Command;

use harness::gate::self_test::{Case, Extent, run};

#[test]
fn every_fault_of_a_baseline_has_its_exit_code() {
    let lab = Path::new(env!("CARGO_BIN_EXE_lab"));
    let folder = std::env::temp_dir().join(format!("lab-gate-{}", std::process::id()));
    let cases = run(lab, &folder, Extent::Files, |_| ()).unwrap();
    let failed: Vec<&Case> = cases.iter().filter(|case| !case.holds()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    let codes = [0, 1, 2, 3].map(|code| cases.iter().any(|case| case.expected == code));
    assert_eq!(codes, [true; 4], "every exit code is seen");
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
