//! Scenario files: data only, each with its expected answers. Adding one needs no code.
//!
//! ```toml
//! about = "What is asked, in a sentence."
//! kind = "noisy-burst"              # or "shared-pool", or "replay"
//!
//! [parameters]                      # of that kind; what is absent has its default
//! workers = 20
//!
//! [[expect]]
//! scheduler = "fifo"                # or a list, or "all"; not for shared-pool
//! with = { in_flight_max = 4 }      # parameters of this expectation alone
//! result = { p50_us = 0, noisy_done = { at_least = 1, at_most = 2000 } }
//! ```
//!
//! `result` names fields of the JSON that the verb prints, nested ones as nested tables.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use toml::Table;

use super::{NoisyBurst, Replay};
use crate::shared_pool::SharedPool;
use records::error::BadInput;

/// A scenario as its file tells it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The file's name without its extension.
    #[serde(skip)]
    pub name: String,
    /// The file, which relative paths start from and errors name.
    #[serde(skip)]
    file: PathBuf,
    /// What is asked, in a sentence.
    pub about: String,
    /// Whose parameters they are.
    pub kind: Kind,
    #[serde(default)]
    parameters: Table,
    /// The expected answers.
    #[serde(default)]
    pub expect: Vec<Expectation>,
}

/// What a scenario is an instance of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// [`NoisyBurst`].
    NoisyBurst,
    /// [`SharedPool`].
    SharedPool,
    /// [`Replay`].
    Replay,
}

/// The parameters of an instance.
#[derive(Clone, Debug)]
pub enum Parameters {
    /// Of the noisy burst.
    NoisyBurst(NoisyBurst),
    /// Of the shared pool.
    SharedPool(SharedPool),
    /// Of a replay.
    Replay(Replay),
}

/// An expected answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// Which schedulers should give it.
    #[serde(default)]
    pub scheduler: Names,
    /// Parameters that differ from the scenario's.
    #[serde(default)]
    pub with: Table,
    /// Fields and their values.
    pub result: Value,
}

/// One name or several.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(untagged)]
pub enum Names {
    /// One, or `all`.
    One(String),
    /// Several.
    Several(Vec<String>),
}

impl Default for Names {
    fn default() -> Self {
        Self::One("all".to_owned())
    }
}

/// The folder of the scenarios that come with the lab.
#[must_use]
pub fn scenario_directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")
}

impl Scenario {
    /// Reads one file.
    ///
    /// # Errors
    ///
    /// With the file and line, if it cannot be read or is no scenario.
    pub fn read(file: &Path) -> Result<Self, BadInput> {
        let shown = file.display();
        let text = std::fs::read_to_string(file)
            .map_err(|error| BadInput::new(format!("{shown}: cannot be read: {error}")))?;
        let mut scenario: Self = toml::from_str(&text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let line = 1 + text
                .bytes()
                .take(start)
                .filter(|&byte| byte == b'\n')
                .count();
            BadInput::new(format!("{shown}:{line}: {}", error.message()))
        })?;
        scenario.name = file
            .file_stem()
            .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        file.clone_into(&mut scenario.file);
        scenario.parameters(&Table::new())?;
        Ok(scenario)
    }

    /// Reads all files of a folder, in the order of their names.
    ///
    /// # Errors
    ///
    /// If the folder or a file cannot be read, or there is no scenario in it.
    pub fn read_all(directory: &Path) -> Result<Vec<Self>, BadInput> {
        let shown = directory.display();
        let entries = std::fs::read_dir(directory)
            .map_err(|error| BadInput::new(format!("{shown}: cannot be read: {error}")))?;
        let is_scenario = |file: &PathBuf| {
            file.extension()
                .is_some_and(|extension| extension == "toml")
        };
        let mut files: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(is_scenario)
            .collect();
        files.sort();
        if files.is_empty() {
            return Err(BadInput::new(format!(
                "{shown}: no scenario: there is no .toml file"
            )));
        }
        files.iter().map(|file| Self::read(file)).collect()
    }

    /// The scenario of this name that comes with the lab, or in this file.
    ///
    /// # Errors
    ///
    /// If there is none, or it cannot be read.
    pub fn named(name: &str) -> Result<Self, BadInput> {
        let is_file = Path::new(name)
            .extension()
            .is_some_and(|extension| extension == "toml");
        if is_file {
            return Self::read(Path::new(name));
        }
        let known = Self::read_all(&scenario_directory())?;
        let names: Vec<String> = known.iter().map(|scenario| scenario.name.clone()).collect();
        known
            .into_iter()
            .find(|scenario| scenario.name == name)
            .ok_or_else(|| {
                BadInput::new(format!(
                    "no scenario {name}: give a .toml file, or one of {}",
                    names.join(", ")
                ))
            })
    }

    /// The parameters, some of them replaced.
    ///
    /// # Errors
    ///
    /// If one does not exist or has a wrong type.
    pub fn parameters(&self, with: &Table) -> Result<Parameters, BadInput> {
        let mut table = self.parameters.clone();
        table.extend(with.clone());
        let parameters = match self.kind {
            Kind::NoisyBurst => table.try_into().map(Parameters::NoisyBurst),
            Kind::SharedPool => table.try_into().map(Parameters::SharedPool),
            Kind::Replay => table.try_into().map(|mut replay: Replay| {
                replay.file = self
                    .file
                    .parent()
                    .unwrap_or(Path::new(""))
                    .join(&replay.file);
                Parameters::Replay(replay)
            }),
        };
        parameters.map_err(|error: toml::de::Error| {
            BadInput::new(format!(
                "{}: parameters: {}",
                self.file.display(),
                error.message()
            ))
        })
    }
}
