//! Keeps results: dated, named after their commit, and never overwritten.

use std::fs;
use std::path::{Path, PathBuf};

use super::results::{Run, failures};
use crate::error::BadInput;

/// The runs in a folder, by file name. Where one cannot be read, that is said and none is given.
///
/// # Errors
///
/// There is no such folder, no result in it, or something else than a result.
pub fn read(folder: &Path) -> Result<Vec<(String, Run)>, BadInput> {
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
    if paths.is_empty() {
        return Err(BadInput::new(format!(
            "{place}: no results; run `cargo bench` first"
        )));
    }
    paths.iter().map(|path| read_one(path)).collect()
}

fn read_one(path: &Path) -> Result<(String, Run), BadInput> {
    let place = path.display();
    let text =
        fs::read_to_string(path).map_err(|error| BadInput::new(format!("{place}: {error}")))?;
    let run =
        serde_json::from_str(&text).map_err(|error| BadInput::new(format!("{place}: {error}")))?;
    let name = path.file_name().unwrap_or_default();
    Ok((name.to_string_lossy().into_owned(), run))
}

/// Copies the results in `from` to a new folder under `to`, and gives its path.
///
/// # Errors
///
/// They are not worth keeping (a smoke run, a failed one, runs of two commits), or were kept before.
pub fn keep(from: &Path, to: &Path) -> Result<PathBuf, BadInput> {
    let runs = read(from)?;
    let first = &runs[0].1.environment;
    for (name, run) in &runs {
        let environment = &run.environment;
        if environment.smoke {
            return Err(BadInput::new(format!(
                "{name} is of a smoke run: its numbers mean nothing"
            )));
        }
        if failures(&run.cells) > 0 {
            return Err(BadInput::new(format!("{name} has benchmarks that FAILED")));
        }
        if (&environment.commit, environment.dirty) != (&first.commit, first.dirty) {
            return Err(BadInput::new(format!(
                "{name} and {} are of different commits: run both again",
                runs[0].0
            )));
        }
    }
    let day = first.date.split('T').next().unwrap_or_default();
    let commit = first.commit.get(..12).unwrap_or(&first.commit);
    let dirty = if first.dirty { "-dirty" } else { "" };
    let folder = to.join(format!("{day}-{commit}{dirty}"));
    let place = folder.display();
    if folder.exists() {
        return Err(BadInput::new(format!(
            "{place} exists: results are kept once and never overwritten"
        )));
    }
    let failed = |error| BadInput::new(format!("{place}: {error}"));
    fs::create_dir_all(&folder).map_err(failed)?;
    for (name, _) in &runs {
        fs::copy(from.join(name), folder.join(name)).map_err(failed)?;
    }
    Ok(folder)
}

/// The folder under `to` that was recorded last: of two on one day, by the clock.
///
/// # Errors
///
/// Nothing was ever kept there, or something there cannot be read.
pub fn latest(to: &Path) -> Result<PathBuf, BadInput> {
    let entries = fs::read_dir(to).into_iter().flatten();
    let folders = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir());
    let dated: Vec<(String, PathBuf)> = folders
        .map(|folder| Ok((recorded(&folder)?, folder)))
        .collect::<Result<_, BadInput>>()?;
    let last = dated.into_iter().max().map(|(_, folder)| folder);
    last.ok_or_else(|| BadInput::new(format!("{}: no run was ever recorded", to.display())))
}

/// When the last result of a folder was recorded.
fn recorded(folder: &Path) -> Result<String, BadInput> {
    let runs = read(folder)?.into_iter();
    Ok(runs
        .map(|(_, run)| run.environment.date)
        .max()
        .unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::{Cell, Counts, Environment, Outcome, State};

    fn run() -> Run {
        let mut environment = Environment::now("wall_time", 0, false);
        (environment.date, environment.commit) =
            ("2026-01-02T03:04:05Z".into(), "0123456789abcdef".into());
        environment.dirty = false;
        Run {
            environment,
            cells: Vec::new(),
            memory: Vec::new(),
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
    fn nothing_to_keep_is_not_success() {
        assert!(keep_in(&folder("nothing", &[])).is_err());
        let folder = folder("broken", &[]);
        fs::write(folder.join("last/a.json"), "{").unwrap();
        assert!(keep_in(&folder).is_err());
        assert!(latest(&folder.join("runs")).is_err());
    }
}
