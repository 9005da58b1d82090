//! Pictures of stacks.

use std::fs;
use std::path::Path;

use inferno::differential;
use inferno::flamegraph::{self, Options};

use super::stacks::{SAMPLES_MIN, Stacks};
use records::cell::count;
use records::error::BadInput;

/// Draws stacks as a flamegraph: the wider a frame, the more of the time was spent in it.
///
/// # Errors
///
/// There are no stacks, or the file cannot be written.
pub fn draw(title: &str, stacks: &Stacks, path: &Path) -> Result<(), BadInput> {
    let mut options = Options::default();
    title.clone_into(&mut options.title);
    options.subtitle = Some(counted(stacks));
    draw_folded(&mut options, &stacks.folded(), path)
}

/// Draws how the time of `after` is spent otherwise than that of `before`: the frames of `after`, red
/// where they have a larger share than before, blue where a smaller one.
///
/// # Errors
///
/// There are no stacks, or the file cannot be written.
pub fn draw_difference(
    title: &str,
    before: &Stacks,
    after: &Stacks,
    path: &Path,
) -> Result<(), BadInput> {
    let mut folded = Vec::new();
    let normalised = differential::Options {
        normalize: true,
        ..differential::Options::default()
    };
    let (before_text, after_text) = (before.folded(), after.folded());
    differential::from_readers(
        normalised,
        before_text.as_bytes(),
        after_text.as_bytes(),
        &mut folded,
    )
    .map_err(|error| failed(path, &error))?;
    let mut options = Options::default();
    title.clone_into(&mut options.title);
    options.subtitle = Some(format!(
        "red: a larger share than before, blue: a smaller one; before {}, after {}",
        counted(before),
        counted(after)
    ));
    draw_folded(&mut options, &String::from_utf8_lossy(&folded), path)
}

fn counted(stacks: &Stacks) -> String {
    let few = if stacks.samples() < SAMPLES_MIN {
        ": too few to tell small frames apart"
    } else {
        ""
    };
    format!("{} samples{few}", count(stacks.samples()))
}

fn draw_folded(options: &mut Options<'_>, folded: &str, path: &Path) -> Result<(), BadInput> {
    if folded.is_empty() {
        let place = path.display();
        return Err(BadInput::new(format!(
            "{place}: no samples, so nothing to draw"
        )));
    }
    options.deterministic = true;
    let mut picture = Vec::new();
    flamegraph::from_lines(options, folded.lines(), &mut picture)
        .map_err(|error| failed(path, &error))?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| failed(path, &error))?;
    }
    fs::write(path, picture).map_err(|error| failed(path, &error))
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> BadInput {
    BadInput::new(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_name_their_frames_and_nothing_to_draw_is_an_error() {
        let folder = std::env::temp_dir().join(format!("flame-{}", std::process::id()));
        let stacks = |text| Stacks::of_folded("test", text).unwrap();
        let (before, after) = (stacks("a;b 900\na;c 200\n"), stacks("a;b 100\na;c 1000\n"));
        let path = folder.join("one.svg");
        draw("one", &before, &path).unwrap();
        let picture = fs::read_to_string(&path).unwrap();
        assert!(picture.contains("<title>b (900 samples") && picture.contains("1,100 samples"));
        let path = folder.join("two.svg");
        draw_difference("two", &before, &after, &path).unwrap();
        assert!(
            fs::read_to_string(&path)
                .unwrap()
                .contains("red: a larger share")
        );
        assert!(draw("none", &Stacks::default(), &path).is_err());
    }
}
