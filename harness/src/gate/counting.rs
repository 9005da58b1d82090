//! Counts the benchmarks of a source tree, by its own `cargo bench`.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::paired::Fault;
use records::error::BadInput;
use records::runs::{self, Counts, Environment, Run, read_json};

/// A source tree to be counted.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Where it is.
    pub folder: &'a Path,
    /// What it is called: `head` or `base`.
    pub name: &'a str,
    /// A fault of the self-test that its benchmarks have, and nobody else's ever.
    pub fault: Option<&'a str>,
    /// Count those benchmarks alone whose name holds this text.
    pub only: Option<&'a str>,
}

/// What was counted.
#[derive(Clone, PartialEq, Debug)]
pub struct Counted {
    /// Of each benchmark.
    pub counts: Counts,
    /// Where valgrind's own files are.
    pub outputs: PathBuf,
    /// Where the source was.
    pub source: PathBuf,
}

/// Builds and counts. What cargo says goes to standard error.
///
/// # Errors
///
/// A benchmark was wrong; or it could not be built or counted.
pub fn count(source: &Source<'_>) -> Result<Counted, Fault> {
    let unmeasured = |why: String| Fault::Unmeasured(format!("{}: {why}", source.name));
    let result = runs::last_run().join("instructions.json");
    let _ = fs::remove_file(&result); // that of an earlier run must not pass for this one's
    let mut cargo = cargo();
    cargo
        .current_dir(source.folder)
        .args(["bench", "--quiet", "--locked", "-p", "benches"])
        .args(["--no-default-features", "--bench", "instructions"])
        .env("COUNTS_REQUIRED", "1")
        .env_remove("BENCH_SMOKE")
        .stderr(Stdio::inherit());
    if let Some(fault) = source.fault {
        cargo.args(["--features", "self-test"]);
        cargo.env("SELF_TEST_FAULT", fault);
    }
    cargo.args(
        source
            .only
            .map(|name| ["--".into(), OsString::from(name)])
            .into_iter()
            .flatten(),
    );
    let ran = cargo
        .output()
        .map_err(|error| unmeasured(format!("cargo: {error}")))?;
    if !ran.status.success() {
        let said = String::from_utf8_lossy(&ran.stdout).trim().to_owned();
        return Err(match ran.status.code() {
            Some(3) => Fault::Wrong(format!("{}: {said}", source.name)),
            Some(101) => unmeasured(
                "`cargo bench --bench instructions` cannot be built, as cargo says above; a commit from before there was a gate has no such benchmark".to_owned(),
            ),
            _ => unmeasured(format!("{}\n{said}", ran.status)),
        });
    }
    if let (Some(text), false) = (source.only, result.exists()) {
        return Err(unmeasured(format!("no benchmark has `{text}` in its name")));
    }
    let run: Run = read_json(&result).map_err(|error| unmeasured(error.to_string()))?;
    let outputs = keep(&result, source.name).map_err(|error| unmeasured(error.to_string()))?;
    Ok(Counted {
        counts: run.counts,
        outputs,
        source: source.folder.to_owned(),
    })
}

/// Where counts would be taken that were taken now: cargo builds benchmarks, however this was built.
pub(super) fn environment() -> Environment {
    Environment {
        profile: "bench".to_owned(),
        ..Environment::now("instructions", 0, false)
    }
}

/// Keeps valgrind's files from being written over by the next count, and takes the counts away from where
/// the last `cargo bench` left its results: those of another commit, or of a fault, are none of that run.
fn keep(result: &Path, name: &str) -> Result<PathBuf, BadInput> {
    let (from, to) = (runs::target().join("counted"), folder().join(name));
    let failed = |error| BadInput::new(format!("{}: {error}", to.display()));
    let _ = fs::remove_dir_all(&to);
    fs::create_dir_all(folder()).map_err(failed)?;
    fs::rename(&from, &to).map_err(failed)?;
    fs::rename(result, to.join("instructions.json")).map_err(failed)?;
    Ok(to)
}

/// Cargo, building where this was built.
pub(super) fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.env("CARGO_TARGET_DIR", runs::target());
    cargo
}

/// Where the gate leaves files.
#[must_use]
pub fn folder() -> PathBuf {
    runs::target().join("gate")
}

/// Where the flamegraphs of the last gate are.
#[must_use]
pub fn pictures() -> PathBuf {
    folder().join("flamegraphs")
}
