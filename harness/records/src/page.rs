//! A page of tables, for a terminal or for a document.

use std::fmt::Write;

use comfy_table::presets::{ASCII_MARKDOWN, UTF8_BORDERS_ONLY};
use comfy_table::{CellAlignment, ContentArrangement};

use crate::cell::NOTHING;

/// A page: what it is about, tables, and what to know when reading them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Page {
    /// In order.
    pub tables: Vec<Table>,
}

/// A title, a grid of texts, and notes under it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Table {
    /// What the table shows.
    pub title: String,
    /// Column headings.
    pub headings: Vec<String>,
    /// As many cells as there are headings, in each.
    pub rows: Vec<Vec<String>>,
    /// What to know when reading it.
    pub notes: Vec<String>,
    /// Whether every column but the first is one of figures, whatever stands beside them in a cell.
    /// Otherwise a column is where each of its cells begins with a digit.
    pub is_of_figures: bool,
}

impl Table {
    /// An empty table.
    #[must_use]
    pub fn new(title: impl Into<String>, headings: &[&str]) -> Self {
        Self {
            title: title.into(),
            headings: headings.iter().map(ToString::to_string).collect(),
            ..Self::default()
        }
    }

    /// An empty table of names, with figures in all other columns.
    #[must_use]
    pub fn of_figures(
        title: impl Into<String>,
        headings: impl IntoIterator<Item = String>,
    ) -> Self {
        Self {
            title: title.into(),
            headings: headings.into_iter().collect(),
            is_of_figures: true,
            ..Self::default()
        }
    }

    /// The rows alone, for a document.
    #[must_use]
    pub fn markdown_grid(&self) -> String {
        self.grid(ASCII_MARKDOWN)
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = cells.into_iter().collect();
        assert_eq!(cells.len(), self.headings.len(), "a cell for each heading");
        self.rows.push(cells);
    }

    /// Adds a note.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    fn grid(&self, preset: &str) -> String {
        let mut grid = comfy_table::Table::new();
        grid.load_preset(preset)
            .set_content_arrangement(ContentArrangement::Disabled)
            .set_header(&self.headings)
            .add_rows(&self.rows);
        for (index, column) in grid.column_iter_mut().enumerate() {
            if self.is_numeric(index) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        grid.to_string()
    }

    /// Columns of figures are aligned to the right.
    fn is_numeric(&self, column: usize) -> bool {
        if self.is_of_figures {
            return column > 0;
        }
        let figure = |cell: &String| {
            cell.starts_with(|first: char| first.is_ascii_digit()) || cell == NOTHING
        };
        self.rows.iter().all(|row| figure(&row[column]))
    }
}

impl Page {
    /// For a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        self.render(|table, text| {
            if !table.title.is_empty() {
                let _ = writeln!(text, "{}", table.title);
            }
            if !table.rows.is_empty() {
                let _ = writeln!(text, "{}", table.grid(UTF8_BORDERS_ONLY));
            }
            for note in &table.notes {
                let _ = writeln!(text, "  {note}");
            }
        })
    }

    /// For a document.
    #[must_use]
    pub fn markdown(&self) -> String {
        self.render(|table, text| {
            if !table.title.is_empty() {
                let _ = writeln!(text, "**{}**\n", table.title);
            }
            if !table.rows.is_empty() {
                let _ = writeln!(text, "{}\n", table.markdown_grid());
            }
            for note in &table.notes {
                let _ = writeln!(text, "- {note}");
            }
        })
    }

    /// Writing to a `String` cannot fail.
    fn render(&self, write: impl Fn(&Table, &mut String)) -> String {
        let tables = self.tables.iter().map(|table| {
            let mut text = String::new();
            write(table, &mut text);
            text.trim_end().to_owned() + "\n"
        });
        tables.collect::<Vec<_>>().join("\n")
    }
}

impl From<Table> for Page {
    fn from(table: Table) -> Self {
        [table].into()
    }
}

impl<const N: usize> From<[Table; N]> for Page {
    fn from(tables: [Table; N]) -> Self {
        Self {
            tables: tables.into(),
        }
    }
}
