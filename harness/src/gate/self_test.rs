//! The gate, seen to fail: each fault must end with the exit code that it is worth.
//!
//! Every case is the command itself, run as anybody would, on baselines in a folder of their own. Faults
//! of files need no build; those of code are compiled by a feature of the benchmarks that no release has.

use std::fs;
use std::mem;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;

use super::baseline::{Baseline, path_of};
use super::counting;
use super::platform::Platform;
use records::error::BadInput;
use records::runs::{Count, Counts, Run};

/// A case, and how it ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Case {
    /// What was wrong.
    pub fault: String,
    /// How the gate was run.
    pub command: String,
    /// The exit code that it is worth.
    pub expected: i32,
    /// The one that came; none if the gate was killed.
    pub found: Option<i32>,
}

impl Case {
    /// Whether the gate ended as it had to.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.found == Some(self.expected)
    }
}

/// How much to test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Faults of files, for which nothing is built and nothing counted.
    Files,
    /// Those, and two percent of one benchmark.
    Quick,
    /// Every fault, and the source against itself so many times.
    Whole(u32),
}

/// Which benchmarks the quick test counts.
const QUICK: &str = "cycle/active_list/";

/// Which benchmarks are counted time and again to see no false alarm: of every scheduler, at every size.
/// That all of them repeat is shown by `scripts/counts-repeat`.
const AGAIN: &str = "cycle/";

/// Which are timed time and again: the warm state of every scheduler.
const TIMED_AGAIN: &str = "steady/";

struct Test<'a> {
    program: &'a Path,
    folder: PathBuf,
    platform: Platform,
    cases: Vec<Case>,
    say: fn(&str),
}

/// Runs every case of the lab's gate, with files in this folder.
///
/// # Errors
///
/// The gate cannot be run, or its files not be written.
pub fn run(
    lab: &Path,
    folder: &Path,
    extent: Extent,
    say: fn(&str),
) -> Result<Vec<Case>, BadInput> {
    let _ = fs::remove_dir_all(folder);
    let mut test = Test {
        program: lab,
        folder: folder.to_owned(),
        platform: Platform::here()?,
        cases: Vec::new(),
        say,
    };
    test.files()?;
    match extent {
        Extent::Files => {}
        Extent::Quick => test.two_percent()?,
        Extent::Whole(runs) => {
            test.counts(runs)?;
            test.times(runs)?;
        }
    }
    Ok(test.cases)
}

impl Test<'_> {
    /// Faults of baselines, with counts that are made up.
    fn files(&mut self) -> Result<(), BadInput> {
        let counts = counts();
        let mut run = made_up(counts.clone());
        let measured = self.measured("measured", &run)?;
        let commit = mem::replace(&mut run.environment.commit, "other".to_owned());
        let before = self.measured("before", &run)?;
        run.environment.commit = commit;
        let mut foreign = run.clone();
        "other".clone_into(&mut foreign.environment.rustc);
        let elsewhere = self.measured("elsewhere", &foreign)?;
        "not recorded".clone_into(&mut run.environment.valgrind);
        let untold = self.measured("untold", &run)?;
        let good = Baseline {
            platform: self.platform.clone(),
            counts,
        };
        let changed = |change: fn(&mut Baseline)| {
            let mut baseline = good.clone();
            change(&mut baseline);
            baseline.text()
        };
        let cases: [(&str, String, i32); 9] = [
            ("none", good.text(), 0),
            (
                "instructions of one benchmark up by 2 %",
                changed(|to| first(to).instructions = 98_000),
                3,
            ),
            (
                "one more allocation in 1,000 operations",
                changed(|to| first(to).allocations = 9),
                3,
            ),
            ("a benchmark renamed", changed(rename), 2),
            (
                "a benchmark's work changed",
                changed(|to| "other".clone_into(&mut first(to).work)),
                2,
            ),
            (
                "the baseline without benchmarks",
                changed(|to| to.counts.clear()),
                2,
            ),
            ("the baseline without content", String::new(), 2),
            (
                "the baseline cut short",
                good.text()[..good.text().len() / 2].to_owned(),
                2,
            ),
            (
                "the baseline of a foreign platform",
                changed(|to| "other".clone_into(&mut to.platform.rustc)),
                2,
            ),
        ];
        for (number, (fault, text, expected)) in cases.into_iter().enumerate() {
            let baselines = self.folder.join(format!("baselines-{number}"));
            write(&path_of(&baselines, &self.platform), &text)?;
            self.case(
                fault,
                &["--measured", &measured, "--baselines", &place(&baselines)],
                expected,
            )?;
        }
        let good = place(&self.folder.join("baselines-0"));
        for (fault, counts) in [
            ("counts of a foreign platform", &elsewhere),
            ("counts that do not say by which valgrind", &untold),
            ("counts of another commit", &before),
        ] {
            self.case(fault, &["--measured", counts, "--baselines", &good], 2)?;
        }
        let nowhere = self.folder.join("nowhere");
        self.case(
            "no baseline",
            &["--measured", &measured, "--baselines", &place(&nowhere)],
            2,
        )
    }

    /// Writes what was measured, as if by the benchmarks, and gives the name of the file.
    fn measured(&self, name: &str, run: &Run) -> Result<String, BadInput> {
        let file = self.folder.join(name).with_extension("json");
        write(&file, &serde_json::to_string(run).expect("a run is JSON"))?;
        Ok(place(&file))
    }

    /// The least fault of code that counts must see, in one benchmark.
    fn two_percent(&mut self) -> Result<(), BadInput> {
        let blessed = place(&self.folder.join("blessed"));
        let common = [
            "--skip-laws",
            "--benchmarks",
            QUICK,
            "--baselines",
            &blessed,
        ];
        self.case(
            "none: one benchmark, blessed",
            &with(&common, &["--bless"]),
            0,
        )?;
        self.case(
            "2 % more instructions",
            &with(&common, &["--fault", "instructions"]),
            3,
        )
    }

    /// Faults of code, as counts see them.
    fn counts(&mut self, runs: u32) -> Result<(), BadInput> {
        let blessed = place(&self.folder.join("blessed"));
        let common = ["--skip-laws", "--baselines", &blessed];
        self.case(
            "none: the source as it is, blessed",
            &with(&common, &["--bless"]),
            0,
        )?;
        for number in 1..=runs {
            let name = format!("none: counts of the source against themselves, run {number}");
            self.case(&name, &with(&common, &["--benchmarks", AGAIN]), 0)?;
        }
        for (name, fault, expected) in [
            ("none, compiled with the faults", "none", 0),
            ("2 % more instructions", "instructions", 3),
            ("an allocation more for each push", "allocation", 3),
        ] {
            self.case(name, &with(&common, &["--fault", fault]), expected)?;
        }
        Ok(())
    }

    /// Faults of code that only time can see.
    fn times(&mut self, runs: u32) -> Result<(), BadInput> {
        let common = ["--skip-laws", "--base", "HEAD", "--only", "times"];
        for number in 1..=runs {
            let name = format!("none: the time of the source against itself, run {number}");
            self.case(&name, &with(&common, &["--benchmarks", TIMED_AGAIN]), 0)?;
        }
        self.case("10 % more time", &with(&common, &["--fault", "time"]), 3)
    }

    fn case(&mut self, fault: &str, arguments: &[&str], expected: i32) -> Result<(), BadInput> {
        (self.say)(fault);
        let failed = |error| BadInput::new(format!("the gate itself: {error}"));
        let mut gate = Command::new(self.program);
        let ran = gate.arg("gate").args(arguments).output().map_err(failed)?;
        let case = Case {
            fault: fault.to_owned(),
            command: format!("gate {}", arguments.join(" ")),
            expected,
            found: ran.status.code(),
        };
        if !case.holds() {
            // Why is no progress: it is said whoever looks on.
            let said = [ran.stdout, ran.stderr].concat();
            eprintln!("{fault}: {}", String::from_utf8_lossy(&said));
        }
        self.cases.push(case);
        Ok(())
    }
}

fn with<'a>(arguments: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [arguments, more].concat()
}

fn place(path: &Path) -> String {
    path.display().to_string()
}

fn write(path: &Path, text: &str) -> Result<(), BadInput> {
    let failed = |error| BadInput::new(format!("{}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(path, text).map_err(failed)
}

/// Counts of two benchmarks that nobody has.
fn counts() -> Counts {
    let count = Count {
        allocations: 10,
        bytes: 10_000,
        cycles: 200_000,
        instructions: 100_000,
        l1_hits: 150_000,
        ll_hits: 10_000,
        operations: 1_000,
        ram_hits: 0,
        work: "0123456789abcdef".into(),
    };
    let named = |name: &str| (name.to_owned(), count.clone());
    ["push/made_up/100", "take/made_up/100"].map(named).into()
}

fn made_up(counts: Counts) -> Run {
    Run {
        environment: counting::environment(),
        cells: Vec::new(),
        memory: Vec::new(),
        contended: Vec::new(),
        counts,
    }
}

fn first(baseline: &mut Baseline) -> &mut Count {
    baseline.counts.values_mut().next().expect("one at least")
}

fn rename(baseline: &mut Baseline) {
    let (_, count) = baseline.counts.pop_first().expect("one at least");
    baseline.counts.insert("push/renamed/100".to_owned(), count);
}
