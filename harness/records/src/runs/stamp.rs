//! What says of what commit and machine flamegraphs are.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::environment::Environment;
use super::fingerprint::Fingerprint;
use super::json::read_json;
use crate::error::BadInput;

/// The file with it, in the folder of the flamegraphs.
const FILE: &str = "environment.json";

/// The page of the pictures, beside it.
const PAGE: &str = "index.html";

/// What to do where a folder of pictures is not as its stamp says.
const DRAW: &str = "run `scripts/flamegraph --all`";

/// Where pictures come from: of one commit, and none but those that it names.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Stamp {
    /// Of those who drew last.
    pub environment: Environment,
    /// What was drawn of this commit, by one or by several: pictures and folded stacks by their paths in
    /// the folder, and the fingerprints of what is in them, for others write there too. Stamps from
    /// before there were fingerprints name nothing. Pictures for comparison are in folders named after
    /// commits of their own.
    #[serde(default)]
    pub drawn: BTreeMap<PathBuf, String>,
}

impl Stamp {
    /// Stamps what was drawn in a folder. What was stamped before stays so if it is of the same commit,
    /// and as it was.
    ///
    /// # Errors
    ///
    /// There is no such file to stamp, or the stamp cannot be written.
    pub fn add(
        folder: &Path,
        environment: Environment,
        names: impl Iterator<Item = PathBuf>,
    ) -> Result<(), BadInput> {
        let found = drawings(folder)?;
        let mut drawn = BTreeMap::new();
        if let Ok(before) = Self::read(folder)
            && before.environment.is_of_source(&environment)
        {
            drawn = before.drawn;
            drawn.retain(|name, content| found.get(name) == Some(content));
        }
        for name in names {
            let content = found.get(&name).ok_or_else(|| {
                BadInput::new(format!("{}: was not drawn", folder.join(&name).display()))
            })?;
            drawn.insert(name, content.clone());
        }
        let stamp = Self { environment, drawn };
        let text = serde_json::to_string_pretty(&stamp).expect("records are JSON") + "\n";
        let path = folder.join(FILE);
        fs::write(&path, text)
            .map_err(|error| BadInput::new(format!("{}: {error}", path.display())))
    }

    fn read(folder: &Path) -> Result<Self, BadInput> {
        read_json(&folder.join(FILE))
    }

    /// Where the pictures and folded stacks of a folder come from, all of them.
    ///
    /// # Errors
    ///
    /// There is no stamp; it does not name what is there, or names what is not; or the page links
    /// something else.
    pub(super) fn of_all(folder: &Path) -> Result<Self, BadInput> {
        let place = folder.display();
        let stamp = Self::read(folder).map_err(|error| {
            BadInput::new(format!(
                "{error}: nothing says of what commit the pictures are: {DRAW}, or remove {place}"
            ))
        })?;
        let refused = |name: &Path, why: &str| {
            let path = folder.join(name);
            Err(BadInput::new(format!("{}: {why}", path.display())))
        };
        let found = drawings(folder)?;
        if stamp.drawn.is_empty() {
            return refused(Path::new(FILE), &format!("names no picture: {DRAW}"));
        }
        let is_stray =
            |(name, content): &(&PathBuf, &String)| stamp.drawn.get(*name) != Some(*content);
        let strays = found.iter().filter(is_stray);
        let strays: Vec<String> = strays.map(|(name, _)| name.display().to_string()).collect();
        if !strays.is_empty() {
            let strays = strays.join(", ");
            return Err(BadInput::new(format!(
                "{place}: not drawn by `scripts/flamegraph` at the commit in {FILE}, or drawn over since: {strays}; remove {place}, and {DRAW}"
            )));
        }
        if let Some(name) = stamp.drawn.keys().find(|name| !found.contains_key(*name)) {
            return refused(name, &format!("was drawn, and is gone: {DRAW}"));
        }
        let page = match fs::read_to_string(folder.join(PAGE)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return refused(Path::new(PAGE), &error.to_string()),
            Ok(page) => page,
        };
        let mut links = page.split("href=\"").skip(1);
        let links_elsewhere = links.find_map(|rest| {
            let link = rest.split('"').next().unwrap_or_default();
            (!found.contains_key(Path::new(link))).then_some(link)
        });
        if let Some(link) = links_elsewhere {
            let why = format!("links {link}, which is not there: {DRAW}");
            return refused(Path::new(PAGE), &why);
        }
        Ok(stamp)
    }

    /// Copies what it names, itself and the page to another folder.
    pub(super) fn copy(&self, from: &Path, to: &Path) -> io::Result<()> {
        let page = from.join(PAGE).exists().then_some(Path::new(PAGE));
        let drawn = self.drawn.keys().map(PathBuf::as_path);
        for name in drawn.chain([Path::new(FILE)]).chain(page) {
            let copy = to.join(name);
            fs::create_dir_all(copy.parent().unwrap_or(to))?;
            fs::copy(from.join(name), copy)?;
        }
        Ok(())
    }
}

/// The pictures and folded stacks in a folder and below: their paths in it, and the fingerprints of what is
/// in them.
fn drawings(folder: &Path) -> Result<BTreeMap<PathBuf, String>, BadInput> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        let failed = |error| BadInput::new(format!("{}: {error}", inner.display()));
        for entry in fs::read_dir(&inner).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let ending = path.extension().unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if ending == "svg" || ending == "folded" {
                let content = Fingerprint::of(&fs::read(&path).map_err(failed)?).hex();
                let name = path.strip_prefix(folder).unwrap_or(&path);
                found.insert(name.to_owned(), content);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWN: [&str; 2] = ["steady/a.svg", "steady/a.folded"];

    /// A folder of its own with one benchmark that was drawn, and the page of it.
    fn drawn(test: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("stamp-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("steady")).unwrap();
        for name in DRAWN {
            fs::write(folder.join(name), "drawn").unwrap();
        }
        fs::write(folder.join("index.html"), r#"<a href="steady/a.svg">"#).unwrap();
        add(&folder, &DRAWN);
        folder
    }

    fn add(folder: &Path, names: &[&str]) {
        let mut environment = Environment::now("wall_time", 0, false);
        environment.commit = "0123456789abcdef".into();
        Stamp::add(folder, environment, names.iter().map(PathBuf::from)).unwrap();
    }

    fn refused(folder: &Path, says: &str) {
        let refused = Stamp::of_all(folder).unwrap_err().to_string();
        assert!(refused.contains(says), "{refused}");
        assert!(refused.contains("scripts/flamegraph"), "{refused}");
        assert!(!refused.contains("another commit"), "{refused}");
    }

    #[test]
    fn what_was_drawn_over_since_is_refused_until_it_is_drawn_again() {
        for name in DRAWN {
            let folder = drawn("over");
            Stamp::of_all(&folder).unwrap();
            fs::write(folder.join(name), "drawn over").unwrap();
            refused(&folder, "drawn over since");
            fs::write(folder.join("steady/b.svg"), "another").unwrap();
            add(&folder, &["steady/b.svg"]);
            refused(&folder, "drawn over since");
            add(&folder, &DRAWN);
            Stamp::of_all(&folder).unwrap();
        }
    }

    #[test]
    fn what_the_stamp_does_not_name_is_refused() {
        for name in ["stale.svg", "steady/stale.folded"] {
            let folder = drawn("unnamed");
            fs::write(folder.join(name), "of whenever").unwrap();
            refused(&folder, "not drawn by");
        }
    }

    #[test]
    fn what_is_gone_is_refused_and_forgotten_once_something_is_drawn() {
        let folder = drawn("gone");
        fs::remove_file(folder.join(DRAWN[1])).unwrap();
        refused(&folder, "gone");
        add(&folder, &DRAWN[..1]);
        Stamp::of_all(&folder).unwrap();
    }

    #[test]
    fn a_page_that_links_what_is_not_there_is_refused() {
        let folder = drawn("page");
        let page = r#"<a href="steady/a.svg"></a><a href="steady/gone.svg">"#;
        fs::write(folder.join("index.html"), page).unwrap();
        refused(&folder, "links steady/gone.svg");
    }

    #[test]
    fn no_stamp_and_one_without_fingerprints_name_nothing() {
        let folder = drawn("old");
        let environment = Environment::now("wall_time", 0, false);
        let old = serde_json::json!({ "environment": environment, "pictures": DRAWN });
        fs::write(folder.join(FILE), old.to_string()).unwrap();
        refused(&folder, "names no picture");
        fs::remove_file(folder.join(FILE)).unwrap();
        refused(&folder, "run `scripts/flamegraph --all`");
    }
}
