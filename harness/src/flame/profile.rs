//! Where profiles are, and what they are called.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::stacks::Stacks;
use records::error::BadInput;
use records::runs;

/// The variable that says where profiles are written.
pub const FOLDER: &str = "FLAMEGRAPHS";

/// How the benchmarks begin the line that says why there is none.
pub const NO_PROFILE: &str = "no flamegraph";

/// How the benchmarks begin the line that says which core they are pinned to.
pub const PINNED: &str = "pinned to: ";

/// Where profiles are written: what the variable says, or among the results of the last run.
#[must_use]
pub fn folder() -> PathBuf {
    env::var_os(FOLDER).map_or_else(|| runs::last_run().join(runs::FLAMEGRAPHS), PathBuf::from)
}

/// One profile: stacks in a folded file, and a picture beside it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    /// The path without an ending, in the folder of all: `steady/rotation/1000`.
    pub name: String,
    /// The folded stacks.
    pub folded: PathBuf,
    /// The picture.
    pub picture: PathBuf,
}

/// The profile of a benchmark in a folder, by the benchmark's name.
#[must_use]
pub fn of_benchmark(folder: &Path, name: &str) -> Profile {
    let file = |ending: &str| folder.join(format!("{name}.{ending}"));
    Profile {
        name: name.to_owned(),
        folded: file("folded"),
        picture: file("svg"),
    }
}

impl Profile {
    /// Its stacks.
    ///
    /// # Errors
    ///
    /// The file is missing, or no folded text.
    pub fn stacks(&self) -> Result<Stacks, BadInput> {
        let place = self.folded.display().to_string();
        let text = fs::read_to_string(&self.folded)
            .map_err(|error| BadInput::new(format!("{place}: {error}")))?;
        Stacks::of_folded(&place, &text)
    }

    /// Writes stacks, and draws them.
    ///
    /// # Errors
    ///
    /// A file cannot be written, or there are no stacks.
    pub fn write(&self, stacks: &Stacks) -> Result<(), BadInput> {
        super::draw(&self.name, stacks, &self.picture)?;
        fs::write(&self.folded, stacks.folded())
            .map_err(|error| BadInput::new(format!("{}: {error}", self.folded.display())))
    }
}
