//! Keeps results: dated, named after their commit, and never overwritten.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::admission::AdmissionRun;
use super::environment::Environment;
use super::figure::Figures;
use super::places::last_run;
use super::results::Run;
use super::stamp::Stamp;
use crate::error::BadInput;

/// The folder of flamegraphs, in that of a run.
pub const FLAMEGRAPHS: &str = "flamegraphs";

/// Leaves the results of a benchmark where the last run's are, and says where.
///
/// # Errors
///
/// The file cannot be written.
///
/// # Panics
///
/// Never: a run is JSON.
pub fn leave(bench: &str, run: &impl Serialize) -> io::Result<PathBuf> {
    let path = last_run().join(format!("{bench}.json"));
    fs::create_dir_all(last_run())?;
    let text = serde_json::to_string_pretty(run).expect("a run is JSON") + "\n";
    fs::write(&path, text)?;
    Ok(path)
}

/// The runs in a folder, by file name. Where one cannot be read, that is said and none is given.
/// Results of other kinds, as paired ratios, are left to others.
///
/// # Errors
///
/// There is no such folder, no run in it, something else than a result, results of two commits,
/// or of a smoke run.
pub fn read(folder: &Path) -> Result<Vec<(String, Run)>, BadInput> {
    let mut runs = Vec::new();
    for (name, result) in results_of_one_run(folder)? {
        if let Kind::Run(run) = result {
            runs.push((name, *run));
        }
    }
    if runs.is_empty() {
        return Err(nothing_in(folder));
    }
    Ok(runs)
}

/// What the benchmark of admission found, if it is among the results in a folder.
///
/// # Errors
///
/// There is no such folder, or something else than a result in it.
pub fn read_admission(folder: &Path) -> Result<Option<AdmissionRun>, BadInput> {
    let results = results(folder)?.into_iter();
    let mut runs = results.filter_map(|(_, result)| match result {
        Kind::Admission(run) => Some(*run),
        Kind::Run(_) | Kind::Paired(_) => None,
    });
    Ok(runs.next())
}

/// What is compared of the results in a folder, by file name. Paired ratios are left to the lab.
///
/// # Errors
///
/// There is no such folder, something else than a result in it, results of two commits, or of a
/// smoke run.
pub fn figures(folder: &Path) -> Result<Vec<(String, Figures)>, BadInput> {
    let results = results_of_one_run(folder)?.into_iter();
    let figures = results.filter_map(|(name, result)| {
        let figures = match &result {
            Kind::Run(run) => Figures::from(&**run),
            Kind::Admission(run) => Figures::from(&**run),
            Kind::Paired(_) => return None,
        };
        Some((name, figures))
    });
    Ok(figures.collect())
}

/// That nothing was measured, and what to run.
#[must_use]
pub fn nothing_in(folder: &Path) -> BadInput {
    let place = folder.display();
    BadInput::new(format!("{place}: no results; run `cargo bench` first"))
}

/// What a file of results holds.
enum Kind {
    /// What `cargo bench` timed.
    Run(Box<Run>),
    /// What rate limiters cost beside each other.
    Admission(Box<AdmissionRun>),
    /// Paired ratios, which the lab reads.
    Paired(Box<Stamped>),
}

impl Kind {
    fn environment(&self) -> &Environment {
        match self {
            Self::Run(run) => &run.environment,
            Self::Admission(run) => &run.environment,
            Self::Paired(stamped) => &stamped.environment,
        }
    }

    fn failures(&self) -> usize {
        match self {
            Self::Run(run) => run.failures(),
            Self::Admission(run) => run.failures(),
            Self::Paired(_) => 0,
        }
    }
}

/// The part that every result has.
#[derive(Deserialize)]
struct Stamped {
    environment: Environment,
}

/// Every result in a folder, by file name.
fn results(folder: &Path) -> Result<Vec<(String, Kind)>, BadInput> {
    let place = folder.display();
    let entries =
        fs::read_dir(folder).map_err(|error| BadInput::new(format!("{place}: {error}")))?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    paths.sort();
    let named = paths.iter().map(|path| {
        let name = path.file_name().unwrap_or_default();
        Ok((name.to_string_lossy().into_owned(), read_one(path)?))
    });
    named.collect()
}

fn results_of_one_run(folder: &Path) -> Result<Vec<(String, Kind)>, BadInput> {
    let results = results(folder)?;
    are_of_one_run(folder, &environments(&results))?;
    Ok(results)
}

fn environments(results: &[(String, Kind)]) -> Vec<(&str, &Environment)> {
    let results = results.iter();
    results
        .map(|(name, result)| (name.as_str(), result.environment()))
        .collect()
}

/// Whether these are of one run that measured something. A benchmark that was skipped or filtered leaves
/// what it found before.
fn are_of_one_run(folder: &Path, named: &[(&str, &Environment)]) -> Result<(), BadInput> {
    if let Some((name, _)) = named.iter().find(|(_, environment)| environment.smoke) {
        return Err(BadInput::new(format!(
            "{}: {name} is of a smoke run: its numbers mean nothing",
            folder.display()
        )));
    }
    let Some(((first, of_first), rest)) = named.split_first() else {
        return Ok(());
    };
    let is_other = |(_, other): &&(&str, &Environment)| other.source() != of_first.source();
    let Some((other, of_other)) = rest.iter().find(is_other) else {
        return Ok(());
    };
    let (stale, of_stale) = if of_other.date < of_first.date {
        (other, of_other)
    } else {
        (first, of_first)
    };
    Err(BadInput::new(format!(
        "{}: {first} (of {}) and {other} (of {}) are of different commits: run `{}` again, or remove {stale}",
        folder.display(),
        of_first.source(),
        of_other.source(),
        of_stale.command
    )))
}

fn read_one(path: &Path) -> Result<Kind, BadInput> {
    let place = path.display();
    let text =
        fs::read_to_string(path).map_err(|error| BadInput::new(format!("{place}: {error}")))?;
    let failed = |error| BadInput::new(format!("{place}: {error}"));
    let value = serde_json::from_str::<Value>(&text).map_err(failed)?;
    let has = |field| value.get(field).is_some();
    let kind = if has("cells") {
        serde_json::from_str(&text).map(Kind::Run)
    } else if has("checks") {
        serde_json::from_str(&text).map(Kind::Admission)
    } else if has("pairs") {
        serde_json::from_str(&text).map(Kind::Paired)
    } else {
        return Err(BadInput::new(format!(
            "{place}: no result of a benchmark: it has neither `cells`, `checks` nor `pairs`"
        )));
    };
    kind.map_err(failed)
}

/// Copies the results in `from` to a new folder under `to`, and gives its path. Flamegraphs in a folder
/// of that name go with them.
///
/// # Errors
///
/// They are not worth keeping (a smoke run, a failed one, results of two commits, or of one that is not known), or were kept before.
pub fn keep(from: &Path, to: &Path) -> Result<PathBuf, BadInput> {
    let results = results(from)?;
    let Some((_, first)) = results.first() else {
        return Err(nothing_in(from));
    };
    let first = first.environment();
    let pictures = from.join(FLAMEGRAPHS);
    let stamp = pictures
        .is_dir()
        .then(|| Stamp::of_all(&pictures))
        .transpose()?;
    if let Some((name, _)) = results.iter().find(|(_, result)| result.failures() > 0) {
        return Err(BadInput::new(format!("{name} has benchmarks that FAILED")));
    }
    let mut named = environments(&results);
    named.extend(stamp.iter().map(|stamp| (FLAMEGRAPHS, &stamp.environment)));
    are_of_one_run(from, &named)?;
    if !first.has_commit() {
        return Err(BadInput::new(format!(
            "{}: git did not say of what commit it is, under whose name it would be kept",
            from.display()
        )));
    }
    let day = first.date.split('T').next().unwrap_or_default();
    let folder = to.join(format!("{day}-{}", first.source()));
    let place = folder.display();
    if folder.exists() {
        return Err(BadInput::new(format!(
            "{place} exists: results are kept once and never overwritten"
        )));
    }
    let failed = |error| BadInput::new(format!("{place}: {error}"));
    fs::create_dir_all(&folder).map_err(failed)?;
    for (name, _) in &results {
        fs::copy(from.join(name), folder.join(name)).map_err(failed)?;
    }
    if let Some(stamp) = stamp {
        let copies = folder.join(FLAMEGRAPHS);
        stamp.copy(&pictures, &copies).map_err(failed)?;
    }
    Ok(folder)
}

/// The folder under `to` that was recorded last, of those with a run in them: of two on one day, by the
/// clock.
///
/// # Errors
///
/// Nothing was ever kept there, or something there cannot be read.
pub fn latest(to: &Path) -> Result<PathBuf, BadInput> {
    let entries = fs::read_dir(to).into_iter().flatten();
    let folders = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir());
    let dated: Vec<(Option<String>, PathBuf)> = folders
        .map(|folder| Ok((recorded(&folder)?, folder)))
        .collect::<Result<_, BadInput>>()?;
    let timed = dated.into_iter().filter(|(date, _)| date.is_some());
    let last = timed.max().map(|(_, folder)| folder);
    last.ok_or_else(|| BadInput::new(format!("{}: no run was ever recorded", to.display())))
}

/// When the last run of a folder was recorded; nothing where it holds only results of other kinds.
fn recorded(folder: &Path) -> Result<Option<String>, BadInput> {
    let runs = results(folder)?.into_iter();
    let runs = runs.filter(|(_, result)| matches!(result, Kind::Run(_)));
    Ok(runs.map(|(_, run)| run.environment().date.clone()).max())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::admission::figures::tests::one_check;
    use crate::runs::{Beside, Cell, Counts, Outcome, State};

    fn run() -> Run {
        let mut environment = Environment::now("wall_time", 0, false);
        (environment.date, environment.commit) =
            ("2026-01-02T03:04:05Z".into(), "0123456789abcdef".into());
        environment.dirty = false;
        Run {
            environment,
            cells: Vec::new(),
            memory: Vec::new(),
            contended: Vec::new(),
            counts: Counts::new(),
        }
    }

    /// A folder of its own, with these results in `last`.
    fn folder(test: &str, runs: &[(&str, &Run)]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("archive-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("last")).unwrap();
        for (name, run) in runs {
            let path = folder.join("last").join(name);
            fs::write(path, serde_json::to_string(run).unwrap()).unwrap();
        }
        folder
    }

    fn keep_in(folder: &Path) -> Result<PathBuf, BadInput> {
        keep(&folder.join("last"), &folder.join("runs"))
    }

    #[test]
    fn a_run_is_kept_once() {
        let folder = folder(
            "once",
            &[("wall_time.json", &run()), ("replay.json", &run())],
        );
        let kept = keep_in(&folder).unwrap();
        assert!(kept.ends_with("2026-01-02-0123456789ab"));
        assert_eq!(read(&kept).unwrap().len(), 2);
        assert_eq!(latest(&folder.join("runs")).unwrap(), kept);
        assert!(
            keep_in(&folder)
                .unwrap_err()
                .to_string()
                .contains("never overwritten")
        );
    }

    #[test]
    fn the_latest_of_a_day_is_the_latest_by_the_clock() {
        let folder = folder("latest", &[("a.json", &run())]);
        keep_in(&folder).unwrap();
        let mut later = run();
        later.environment.date = "2026-01-02T23:04:05Z".into();
        later.environment.commit = "0000000000000000".into();
        let text = serde_json::to_string(&later).unwrap();
        fs::write(folder.join("last/a.json"), text).unwrap();
        let last = keep_in(&folder).unwrap();
        assert_eq!(latest(&folder.join("runs")).unwrap(), last);
    }

    #[test]
    fn what_is_not_worth_keeping_is_refused() {
        let mut smoke = run();
        smoke.environment.smoke = true;
        assert!(keep_in(&folder("smoke", &[("a.json", &smoke)])).is_err());

        let mut other = run();
        other.environment.commit = "fedcba9876543210".into();
        assert!(keep_in(&folder("other", &[("a.json", &run()), ("b.json", &other)])).is_err());

        let mut failed = run();
        failed.cells.push(Cell {
            state: State::Steady,
            contender: "broken".into(),
            is_floor: false,
            tenants: 100,
            workload: None,
            noise: None,
            floor_ratio: None,
            outcome: Outcome::Failed("lost a job".into()),
        });
        assert!(keep_in(&folder("failed", &[("a.json", &failed)])).is_err());
    }

    #[test]
    fn a_failed_check_of_admission_is_refused_and_a_good_one_kept_and_read() {
        let check = |outcome| AdmissionRun {
            environment: run().environment,
            ..one_check(outcome)
        };
        let kept = |test: &str, outcome| {
            let folder = folder(test, &[("wall_time.json", &run())]);
            let text = serde_json::to_string(&check(outcome)).unwrap();
            fs::write(folder.join("last/admission.json"), text).unwrap();
            keep_in(&folder)
        };
        let failed = kept(
            "admission-failed",
            Beside::Failed("decided otherwise".into()),
        );
        assert!(failed.unwrap_err().to_string().contains("FAILED"));
        let good = kept("admission-good", Beside::Void("busy".into())).unwrap();
        assert_eq!(read(&good).unwrap().len(), 1, "no run of queues");
        assert_eq!(read_admission(&good).unwrap().unwrap().checks.len(), 1);

        let before = folder("before-admission", &[("wall_time.json", &run())]);
        assert_eq!(read_admission(&before.join("last")).unwrap(), None);
    }

    #[test]
    fn paired_ratios_and_flamegraphs_of_the_same_commit_are_kept_too() {
        let write_flames = |folder: &Path, environment: &Environment| {
            let pictures = folder.join("last").join(FLAMEGRAPHS);
            fs::create_dir_all(pictures.join("steady")).unwrap();
            fs::write(pictures.join("steady/fifo.svg"), "<svg/>").unwrap();
            let drawn = [PathBuf::from("steady/fifo.svg")].into_iter();
            Stamp::add(&pictures, environment.clone(), drawn).unwrap();
        };
        let environment = run().environment;
        let one = folder("flames", &[("wall_time.json", &run())]);
        let paired = serde_json::json!({ "environment": environment, "pairs": [] });
        fs::write(one.join("last/paired.json"), paired.to_string()).unwrap();
        write_flames(&one, &environment);
        let kept = keep_in(&one).unwrap();
        assert!(kept.join("paired.json").exists());
        assert!(kept.join("flamegraphs/steady/fifo.svg").exists());
        assert_eq!(read(&kept).unwrap().len(), 1, "ratios are no run");
        fs::remove_file(kept.join("wall_time.json")).unwrap();
        let none = latest(&one.join("runs")).unwrap_err().to_string();
        assert!(none.contains("no run was ever recorded"), "{none}");

        let two = folder("other-flames", &[("wall_time.json", &run())]);
        let mut other = environment;
        other.commit = "fedcba9876543210".into();
        write_flames(&two, &other);
        assert!(
            keep_in(&two)
                .unwrap_err()
                .to_string()
                .contains("different commits")
        );
    }

    /// A picture of an earlier commit that nobody drew again is none of the commit that was drawn since.
    #[test]
    fn a_picture_that_the_stamp_does_not_name_is_refused() {
        let one = folder("stale", &[("wall_time.json", &run())]);
        let pictures = one.join("last").join(FLAMEGRAPHS);
        fs::create_dir_all(&pictures).unwrap();
        let draw = |name: &str, commit: &str| {
            fs::write(pictures.join(name), "<svg/>").unwrap();
            let mut environment = run().environment;
            environment.commit = commit.into();
            Stamp::add(&pictures, environment, [PathBuf::from(name)].into_iter()).unwrap();
        };
        draw("stale.svg", "fedcba9876543210");
        draw("one.svg", &run().environment.commit);
        draw("two.svg", &run().environment.commit);
        let refused = keep_in(&one).unwrap_err().to_string();
        assert!(refused.contains("drawn over since: stale.svg"), "{refused}");
        fs::remove_file(pictures.join("stale.svg")).unwrap();
        fs::write(pictures.join("notes.txt"), "none of it").unwrap();
        let kept = keep_in(&one).unwrap().join(FLAMEGRAPHS);
        assert!(kept.join("one.svg").exists() && kept.join("two.svg").exists());
        assert!(kept.join("environment.json").exists());
        assert!(
            !kept.join("notes.txt").exists(),
            "only what the stamp names"
        );
    }

    #[test]
    fn nothing_to_keep_is_not_success() {
        assert!(keep_in(&folder("nothing", &[])).is_err());
        let folder = folder("broken", &[]);
        fs::write(folder.join("last/a.json"), "{").unwrap();
        assert!(keep_in(&folder).is_err());
        assert!(latest(&folder.join("runs")).is_err());
    }
}
