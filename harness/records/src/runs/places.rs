//! Where things are.

use std::env;
use std::path::{Path, PathBuf};

/// The root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package).to_owned()
}

/// Where cargo builds, and criterion and the benchmarks write. A relative `CARGO_TARGET_DIR` is taken from
/// the root: cargo runs benchmarks in the folder of their package, and commits elsewhere.
#[must_use]
pub fn target() -> PathBuf {
    let named = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    root().join(named)
}

/// Where the results of the last run are, one file for each benchmark.
#[must_use]
pub fn last_run() -> PathBuf {
    target().join("bench")
}

/// Where runs are kept, a folder for each.
#[must_use]
pub fn kept_runs() -> PathBuf {
    root().join("results/runs")
}
