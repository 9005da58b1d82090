//! Another commit's source, and programs built from it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use records::error::BadInput;
use records::runs;

/// A commit in a folder of its own, under where cargo builds. The folder goes when this is dropped.
#[derive(Debug)]
pub struct Checkout {
    commit: String,
    folder: PathBuf,
}

impl Checkout {
    /// Checks a revision out.
    ///
    /// # Errors
    ///
    /// There is no such revision, or git cannot.
    pub fn of(revision: &str) -> Result<Self, BadInput> {
        let commit = commit_of(revision)?;
        let folder = runs::target().join("commits").join(&commit);
        let checkout = Self { commit, folder };
        checkout.remove(); // what an interrupted run left
        let place = checkout.folder.display().to_string();
        git(&[
            "worktree",
            "add",
            "--quiet",
            "--detach",
            &place,
            &checkout.commit,
        ])?;
        checkout.date()?;
        Ok(checkout)
    }

    /// The full name of the commit.
    #[must_use]
    pub fn commit(&self) -> &str {
        &self.commit
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Gives every file the time of the commit: what was built of the same commit earlier is up to date.
    fn date(&self) -> Result<(), BadInput> {
        let seconds = git(&["show", "--no-patch", "--format=%ct", &self.commit])?;
        let seconds = seconds.trim().parse().unwrap_or_default();
        let date = UNIX_EPOCH + Duration::from_secs(seconds);
        dated(&self.folder, date)
            .map_err(|error| BadInput::new(format!("{}: {error}", self.folder.display())))
    }

    fn remove(&self) {
        let place = self.folder.display().to_string();
        let _ = git(&["worktree", "remove", "--force", &place]);
        let _ = fs::remove_dir_all(&self.folder);
        let _ = git(&["worktree", "prune"]);
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Every file in a folder and in those within it gets this time.
fn dated(folder: &Path, date: SystemTime) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            dated(&entry.path(), date)?;
        } else if kind.is_file() {
            fs::File::options()
                .append(true)
                .open(entry.path())?
                .set_modified(date)?;
        }
    }
    Ok(())
}

/// The full name of the commit that a revision is.
///
/// # Errors
///
/// There is no such revision.
pub fn commit_of(revision: &str) -> Result<String, BadInput> {
    let name = format!("{revision}^{{commit}}");
    let commit = git(&["rev-parse", "--verify", "--quiet", &name])
        .map_err(|_| BadInput::new(format!("there is no commit {revision:?}")))?;
    Ok(commit.trim().to_owned())
}

/// Builds a program of the benchmarks from the source in a folder, as `cargo bench` would, and gives a
/// copy of it: a later build of the same name writes over the original.
///
/// # Errors
///
/// The source has no such program, or it does not compile.
pub(super) fn build(
    source: &Path,
    program: &str,
    features: &[&str],
    copy: &Path,
) -> Result<(), BadInput> {
    let place = source.display();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .current_dir(source)
        .args(["build", "--quiet", "--locked", "--profile", "bench"])
        .args(["-p", "benches", "--bin", program])
        .args(["--features", &features.join(",")])
        .env("CARGO_TARGET_DIR", runs::target())
        .stdout(Stdio::null())
        .status();
    match built {
        Ok(status) if status.success() => {}
        Ok(_) => {
            return Err(BadInput::new(format!(
                "{place}: `{program}` cannot be built, as cargo says above; a commit from before there were paired comparisons has no such program"
            )));
        }
        Err(error) => return Err(BadInput::new(format!("cargo: {error}"))),
    }
    let failed = |error| BadInput::new(format!("{}: {error}", copy.display()));
    if let Some(folder) = copy.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    let original = runs::target().join("release").join(name);
    let _ = fs::remove_file(copy); // a program that still runs cannot be written to
    fs::copy(&original, copy).map_err(failed)?;
    Ok(())
}

fn git(arguments: &[&str]) -> Result<String, BadInput> {
    let ran = Command::new("git")
        .arg("-C")
        .arg(runs::root())
        .args(arguments)
        .output()
        .map_err(|error| BadInput::new(format!("git: {error}")))?;
    if ran.status.success() {
        return Ok(String::from_utf8_lossy(&ran.stdout).into_owned());
    }
    let why = String::from_utf8_lossy(&ran.stderr).trim().to_owned();
    Err(BadInput::new(format!("git {}: {why}", arguments.join(" "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_that_is_none_is_bad_input() {
        let error = Checkout::of("no-such-revision").unwrap_err();
        assert_eq!(error.to_string(), "there is no commit \"no-such-revision\"");
    }
}
