//! What says of what commit and machine flamegraphs are.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::environment::Environment;
use super::json::read_json;
use crate::error::BadInput;

/// The file with it, in the folder of the flamegraphs.
const FILE: &str = "environment.json";

/// Where pictures come from: of one commit, and none but those that it names.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Stamp {
    /// Of those who drew last.
    pub environment: Environment,
    /// What was drawn of this commit, by one or by several: paths in the folder. Pictures for comparison
    /// are in folders named after commits of their own.
    #[serde(default)]
    pub pictures: BTreeSet<PathBuf>,
}

impl Stamp {
    /// Stamps pictures in a folder. Those that were stamped before stay so if they are of the same commit.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn add(
        folder: &Path,
        environment: Environment,
        pictures: impl Iterator<Item = PathBuf>,
    ) -> Result<(), BadInput> {
        let mut stamp = Self {
            environment,
            pictures: pictures.collect(),
        };
        if let Ok(before) = Self::read(folder)
            && before.environment.is_of_commit(&stamp.environment)
        {
            stamp.pictures.extend(before.pictures);
        }
        let text = serde_json::to_string_pretty(&stamp).expect("records are JSON") + "\n";
        let path = folder.join(FILE);
        fs::write(&path, text)
            .map_err(|error| BadInput::new(format!("{}: {error}", path.display())))
    }

    fn read(folder: &Path) -> Result<Self, BadInput> {
        read_json(&folder.join(FILE))
    }

    /// Where the pictures of a folder come from, all of them.
    ///
    /// # Errors
    ///
    /// There is no stamp, or a picture that is not of it.
    pub(super) fn of_all(folder: &Path) -> Result<Self, BadInput> {
        let stamp = Self::read(folder)?;
        let mut folders = vec![folder.to_owned()];
        while let Some(inner) = folders.pop() {
            let failed = |error| BadInput::new(format!("{}: {error}", inner.display()));
            for entry in fs::read_dir(&inner).map_err(failed)? {
                let path = entry.map_err(failed)?.path();
                let name = path.strip_prefix(folder).unwrap_or(&path);
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "svg")
                    && !stamp.pictures.contains(name)
                {
                    return Err(BadInput::new(format!(
                        "{}: drawn of another commit than {FILE} beside it says: draw it again, or remove it",
                        path.display()
                    )));
                }
            }
        }
        Ok(stamp)
    }
}
