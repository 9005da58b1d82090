//! Results as tables, for the terminal and for Markdown alike.

use std::env;
use std::io::{IsTerminal, stdout};

use comfy_table::{CellAlignment, Table, presets};

use crate::results::{Cell, Grid, Outcome};
use crate::state::State;

/// How a table is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Lines and corners, for a terminal.
    Lines,
    /// ASCII that GitHub draws as a table, and that reads well as it is.
    Markdown,
}

impl Style {
    /// Lines on a terminal, unless `NO_COLOR` asks for plain text.
    #[must_use]
    pub fn of_output() -> Self {
        if stdout().is_terminal() && env::var_os("NO_COLOR").is_none() {
            Self::Lines
        } else {
            Self::Markdown
        }
    }
}

/// A table with left-aligned names and right-aligned numbers.
#[must_use]
pub fn table(style: Style, header: &[String], rows: &[Vec<String>]) -> Table {
    let mut table = Table::new();
    table.load_preset(match style {
        Style::Lines => presets::UTF8_FULL_CONDENSED,
        Style::Markdown => presets::ASCII_MARKDOWN,
    });
    table.set_header(header).add_rows(rows);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// One state: schedulers down, tenants across.
#[must_use]
pub fn of_state(style: Style, state: State, grid: &Grid<'_>) -> Table {
    let mut header = vec![state.name().to_owned()];
    header.extend(grid.tenants().iter().map(thousands));
    if state.shows_growth() {
        header.push("growth".to_owned());
    }
    let row = |contender: &str| {
        let mut row = vec![contender.to_owned()];
        let cells = grid
            .tenants()
            .into_iter()
            .map(|tenants| grid.cell(contender, tenants));
        row.extend(cells.map(|cell| cell.map_or_else(String::new, |cell| entry(grid, cell))));
        if state.shows_growth() {
            let growth = grid.growth(contender);
            row.push(growth.map_or_else(String::new, |growth| format!("n^{growth:.2}")));
        }
        row
    };
    let rows: Vec<_> = grid.contenders().into_iter().map(row).collect();
    table(style, &header, &rows)
}

/// The median and its ratio to the floor.
fn entry(grid: &Grid<'_>, cell: &Cell) -> String {
    let ratio = cell.floor_ratio.map(|ratio| format!(" ({ratio:.1}x)"));
    outcome(grid, cell) + &ratio.unwrap_or_default()
}

/// The median, with a star when it is the best; or why there is none.
#[must_use]
pub fn outcome(grid: &Grid<'_>, cell: &Cell) -> String {
    match &cell.outcome {
        Outcome::Failed(_) => "FAILED".to_owned(),
        Outcome::Slow(_) => "slow".to_owned(),
        Outcome::Timed(timed) => {
            let mark = if grid.is_best(cell) { "* " } else { "" };
            mark.to_owned() + &nanoseconds(timed.ns_median)
        }
    }
}

/// Three digits that count.
#[must_use]
pub fn nanoseconds(ns: f64) -> String {
    match ns {
        ..10.0 => format!("{ns:.2}"),
        ..100.0 => format!("{ns:.1}"),
        _ => thousands(&format!("{ns:.0}")),
    }
}

/// A whole number with a comma before every three digits.
#[must_use]
pub fn thousands(number: &impl ToString) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits_that_count() {
        let shown: Vec<_> = [1.234, 12.34, 123.4, 1_234.6, 1_234_567.0]
            .map(nanoseconds)
            .into();
        assert_eq!(shown, ["1.23", "12.3", "123", "1,235", "1,234,567"]);
    }
}
