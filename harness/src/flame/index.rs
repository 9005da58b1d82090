//! The page that shows every flamegraph of a folder.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use records::error::BadInput;

/// Writes `index.html` into a folder: every picture in it and below, under the name of its file.
///
/// # Errors
///
/// There is no such folder, no picture in it, or the page cannot be written.
pub fn write_index(folder: &Path) -> Result<PathBuf, BadInput> {
    let failed = |error: std::io::Error| BadInput::new(format!("{}: {error}", folder.display()));
    let mut pictures = Vec::new();
    collect(folder, &mut pictures).map_err(failed)?;
    if pictures.is_empty() {
        return Err(BadInput::new(format!(
            "{}: no flamegraphs",
            folder.display()
        )));
    }
    pictures.sort();
    let mut page = String::from(
        "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>Flamegraphs</title>\n\
         <style>body { font-family: sans-serif } img { width: 100%; border: 1px solid #ccc }</style>\n\
         <h1>Where the time goes</h1>\n\
         <p>The timed loops only. A click opens a picture that can be searched and zoomed; the stacks are \
         beside it as folded text.</p>\n",
    );
    for picture in &pictures {
        let link = picture.strip_prefix(folder).unwrap_or(picture);
        let link = link.to_string_lossy().replace('\\', "/");
        let name = link.trim_end_matches(".svg");
        let _ = writeln!(
            page,
            "<h2>{name}</h2>\n<a href=\"{link}\"><img src=\"{link}\" alt=\"flamegraph of {name}\" loading=\"lazy\"></a>"
        );
    }
    let path = folder.join("index.html");
    fs::write(&path, page).map_err(failed)?;
    Ok(path)
}

fn collect(folder: &Path, pictures: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, pictures)?;
        } else if path.extension().is_some_and(|extension| extension == "svg") {
            pictures.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_is_on_the_page_and_none_is_an_error() {
        let folder = std::env::temp_dir().join(format!("flame-index-{}", std::process::id()));
        fs::create_dir_all(folder.join("steady/rotation")).unwrap();
        let _ = fs::remove_file(folder.join("steady/rotation/100.svg"));
        assert!(write_index(&folder).is_err());
        fs::write(folder.join("steady/rotation/100.svg"), "<svg/>").unwrap();
        let page = fs::read_to_string(write_index(&folder).unwrap()).unwrap();
        assert!(page.contains("href=\"steady/rotation/100.svg\""), "{page}");
    }
}
