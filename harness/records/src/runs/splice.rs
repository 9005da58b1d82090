//! Puts tables into a Markdown file, between markers that stay where they are:
//!
//! ```text
//! <!-- table:steady begin -->
//! (whatever stands here is replaced)
//! <!-- table:steady end -->
//! ```

use std::collections::BTreeMap;

/// The text with every marked table replaced by the one of that name, its lines ended as that of the
/// marker is. Nothing else changes.
///
/// # Errors
///
/// There is no marker, or one that is not closed, or one of a table that is not there.
pub fn splice(text: &str, tables: &BTreeMap<String, String>) -> Result<String, String> {
    let mut spliced = String::new();
    let mut open: Option<&str> = None;
    let mut found = false;
    for line in text.split_inclusive('\n') {
        match (marker(line), open) {
            (Some((name, Edge::Begin)), None) => {
                let table = tables.get(name).ok_or_else(|| unknown(name, tables))?;
                let end = if line.ends_with("\r\n") { "\r\n" } else { "\n" };
                spliced.push_str(line);
                for inner in [""].into_iter().chain(table.lines()).chain([""]) {
                    spliced.extend([inner, end]);
                }
                (open, found) = (Some(name), true);
            }
            (Some((name, Edge::End)), Some(begun)) if name == begun => {
                spliced.push_str(line);
                open = None;
            }
            (Some((name, _)), _) => return Err(format!("the markers of table {name} do not pair")),
            (None, None) => spliced.push_str(line),
            (None, Some(_)) => {}
        }
    }
    match (open, found) {
        (Some(name), _) => Err(format!("table {name} begins and does not end")),
        (None, false) => Err("there is no marker `<!-- table:NAME begin -->`".to_owned()),
        (None, true) => Ok(spliced),
    }
}

/// Whether the text has a marker for the table of this name.
#[must_use]
pub fn has_marker(text: &str, table: &str) -> bool {
    let mut marked = text.lines().filter_map(marker);
    marked.any(|(name, _)| name == table)
}

enum Edge {
    Begin,
    End,
}

/// The name and the edge that a line marks, if it is a marker.
fn marker(line: &str) -> Option<(&str, Edge)> {
    let marked = line
        .trim()
        .strip_prefix("<!-- table:")?
        .strip_suffix("-->")?;
    match marked.trim().split_once(' ')? {
        (name, "begin") => Some((name, Edge::Begin)),
        (name, "end") => Some((name, Edge::End)),
        _ => None,
    }
}

fn unknown(name: &str, tables: &BTreeMap<String, String>) -> String {
    let names: Vec<&str> = tables.keys().map(String::as_str).collect();
    format!("the run has no table {name}; it has {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_table() -> BTreeMap<String, String> {
        BTreeMap::from([("steady".to_owned(), "| new |\n| row |".to_owned())])
    }

    const MARKED: &str =
        "# Title\n<!-- table:steady begin -->\n| old |\n<!-- table:steady end -->\nrest\n";

    /// Checked out with the line ends of another system, a file says the same.
    #[test]
    fn what_stands_between_the_markers_is_replaced_and_nothing_else() {
        let windows = MARKED.replace('\n', "\r\n");
        for (text, new) in [
            (MARKED, "\n| new |\n| row |\n"),
            (&windows, "\r\n| new |\r\n| row |\r\n"),
            (MARKED.trim_end(), "\n| new |\n| row |\n"),
        ] {
            let once = splice(text, &one_table()).unwrap();
            assert_eq!(once, text.replace("| old |", new), "{text:?}");
            assert_eq!(splice(&once, &one_table()).unwrap(), once, "{text:?}");
        }
    }

    #[test]
    fn a_text_that_cannot_be_spliced_is_an_error() {
        for text in [
            "no marker",
            "<!-- table:steady begin -->",
            "<!-- table:steady end -->",
            "<!-- table:steady begin -->\n<!-- table:other end -->",
            "<!-- table:steady begin -->\n<!-- table:steady begin -->\n<!-- table:steady end -->",
            "<!-- table:other begin -->\n<!-- table:other end -->",
        ] {
            assert!(splice(text, &one_table()).is_err(), "{text}");
        }
    }
}
