//! The counts that a repository has agreed to, in files that are reviewed as other changes are.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::platform::Platform;
use records::error::BadInput;
use records::runs::{self, Counts};

/// Counts, and the platform on which they hold.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// Where they hold.
    pub platform: Platform,
    /// What each benchmark took.
    pub counts: Counts,
}

/// Where the baseline of a platform is, in the folder of all of them.
#[must_use]
pub fn path_of(folder: &Path, platform: &Platform) -> PathBuf {
    folder.join(platform.folder()).join("instructions.json")
}

/// The baselines of a folder, whatever their platforms.
///
/// # Errors
///
/// One of them cannot be read, or is no baseline.
pub fn all(folder: &Path) -> Result<Vec<Baseline>, BadInput> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir());
    let mut paths: Vec<PathBuf> = folders
        .map(|folder| folder.join("instructions.json"))
        .collect();
    paths.sort();
    let read = paths.iter().map(|path| Baseline::read(path));
    read.filter_map(Result::transpose).collect()
}

/// The commit that last changed a file.
pub(super) fn last_change(file: &Path) -> Result<String, BadInput> {
    let asked = Command::new("git")
        .current_dir(runs::root())
        .args(["log", "-1", "--format=%H", "--"])
        .arg(file)
        .output();
    let said = asked.map(|answer| String::from_utf8_lossy(&answer.stdout).trim().to_owned());
    match said {
        Ok(commit) if !commit.is_empty() => Ok(commit),
        _ => Err(BadInput::new(format!("no commit has {}", file.display()))),
    }
}

impl Baseline {
    /// Reads a file; nothing where there is none.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is no baseline: the message names the file and the line.
    pub fn read(path: &Path) -> Result<Option<Self>, BadInput> {
        let place = path.display();
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(BadInput::new(format!("{place}: {error}"))),
        };
        let broken = |error| {
            BadInput::new(format!(
                "{place}: not a baseline: {error}; take it from version control, or bless a new one"
            ))
        };
        serde_json::from_str(&text).map(Some).map_err(broken)
    }

    /// As a file: JSON with sorted keys, a line for each benchmark, so that a change of one is one line
    /// in a review.
    #[must_use]
    pub fn text(&self) -> String {
        let lines: Vec<String> = self
            .counts
            .iter()
            .map(|(name, count)| format!("    {}: {}", json(name), json(count)))
            .collect();
        format!(
            "{{\n  \"counts\": {{\n{}\n  }},\n  \"platform\": {}\n}}\n",
            lines.join(",\n"),
            json(&self.platform)
        )
    }

    /// Writes the file, and the folders above it.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), BadInput> {
        let failed = |error| BadInput::new(format!("{}: {error}", path.display()));
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        fs::write(path, self.text()).map_err(failed)
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("text keys and whole numbers are JSON")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::compare::tests::count;

    fn baseline() -> Baseline {
        let named = |name: &str| (name.to_owned(), count(1_000, 3));
        Baseline {
            platform: Platform::here().unwrap(),
            counts: ["take/fifo/100", "push/fifo/100"].map(named).into(),
        }
    }

    #[test]
    fn a_benchmark_is_a_line_and_the_lines_are_sorted() {
        let text = baseline().text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 7, "{text}");
        assert!(
            lines[2].contains("\"push/fifo/100\": {\"allocations\":3,"),
            "{text}"
        );
        assert!(lines[3].contains("\"take/fifo/100\": "), "{text}");
        assert_eq!(serde_json::from_str::<Baseline>(&text).unwrap(), baseline());
    }

    #[test]
    fn a_broken_file_is_named_with_its_line() {
        let folder = std::env::temp_dir().join(format!("baseline-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("instructions.json");
        assert_eq!(Baseline::read(&path), Ok(None));
        fs::write(&path, baseline().text().replace("1000", "a thousand")).unwrap();
        let message = Baseline::read(&path).unwrap_err().to_string();
        assert!(
            message.contains("instructions.json") && message.contains("line 3"),
            "{message}"
        );
        fs::remove_dir_all(&folder).unwrap();
    }
}
