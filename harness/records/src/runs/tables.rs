//! The tables of a run, each under a name.

use super::contention;
use super::results::{Cell, Grid, Memory, Outcome, PER_JOB_MAX, PER_TENANT_MAX, Run};
use super::state::State;
use crate::cell::count;
use crate::page::{Page, Table};

/// The real trace and the rule by which it gets tenants, in a line.
const REPLAYED: &str = "8,819 requests of the Azure LLM code trace 2023; tenants by Zipf (exponent 1) over 1,000, seeded; cost = tokens";

/// A table and what to call it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// A state's name, or `memory`.
    pub name: String,
    /// The table, with what is in it as its title.
    pub table: Table,
}

/// Every table that a run has something for.
#[must_use]
pub fn tables(run: &Run) -> Vec<Named> {
    let mut tables = Vec::new();
    for state in State::BURST {
        let grid = Grid::of(&run.cells, state);
        if !grid.is_empty() {
            tables.push(Named {
                name: state.name().to_owned(),
                table: of_state(state, &grid),
            });
        }
    }
    let replay = Grid::of(&run.cells, State::Replay);
    if !replay.is_empty() {
        tables.push(Named {
            name: State::Replay.name().to_owned(),
            table: of_replay(&replay),
        });
    }
    if !run.memory.is_empty() {
        tables.push(Named {
            name: "memory".to_owned(),
            table: of_memory(&run.memory),
        });
    }
    tables.extend(contention::tables(&run.contended));
    tables
}

/// All tables, one after the other.
#[must_use]
pub fn of_run(run: &Run) -> Page {
    Page {
        tables: tables(run).into_iter().map(|named| named.table).collect(),
    }
}

/// One state: schedulers down, tenants across.
fn of_state(state: State, grid: &Grid<'_>) -> Table {
    let title = format!(
        "{}, ns (ratio to the plain queue; * the best scheduler), by tenants",
        state.operation()
    );
    let mut headings = vec![state.name().to_owned()];
    headings.extend(grid.tenants().into_iter().map(|size| count(size.into())));
    if state.shows_growth() {
        headings.push("growth".to_owned());
    }
    let mut table = Table::of_figures(title, headings);
    for contender in grid.contenders() {
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
        table.row(row);
    }
    table
}

/// What an operation costs, and what the busiest tenant gets: speed is no use without fairness.
fn of_replay(grid: &Grid<'_>) -> Table {
    let title = format!("{}; {REPLAYED}", State::Replay.operation());
    let headings = [
        "replay",
        "ns",
        "ratio",
        "busiest tenant's work over an equal share",
    ];
    let text = |value: Option<String>| value.unwrap_or_default();
    let mut table = Table::of_figures(title, headings.map(str::to_owned));
    for cell in grid.cells() {
        table.row([
            cell.contender.clone(),
            outcome(grid, cell),
            text(cell.floor_ratio.map(|ratio| format!("{ratio:.1}x"))),
            text(cell.noise.map(|noise| format!("{noise:.2}"))),
        ]);
    }
    table
}

fn of_memory(memory: &[Memory]) -> Table {
    let title = "bytes, as the allocator counted them, of 100,000 tenants and 300,000 jobs";
    let headings = ["memory", "an idle tenant", "a job waiting, beside the job"];
    let mut table = Table::of_figures(title, headings.map(str::to_owned));
    let mut row = |name: &str, tenant: f64, job: f64| {
        table.row([name.to_owned(), format!("{tenant:.1}"), format!("{job:.1}")]);
    };
    for of in memory {
        row(&of.contender, of.bytes_per_idle_tenant, of.bytes_per_job);
    }
    row("(at most)", PER_TENANT_MAX, PER_JOB_MAX);
    table
}

/// The median and its ratio to the floor.
fn entry(grid: &Grid<'_>, cell: &Cell) -> String {
    let ratio = cell.floor_ratio.map(|ratio| format!(" ({ratio:.1}x)"));
    outcome(grid, cell) + &ratio.unwrap_or_default()
}

/// The median, with a star when it is the best; or why there is none.
fn outcome(grid: &Grid<'_>, cell: &Cell) -> String {
    match &cell.outcome {
        Outcome::Timed(timed) => {
            let mark = if grid.is_best(cell) { "* " } else { "" };
            mark.to_owned() + &nanoseconds(timed.ns_median)
        }
        other => other.word().to_owned(),
    }
}

/// Three digits that count.
pub(super) fn nanoseconds(ns: f64) -> String {
    match ns {
        ..10.0 => format!("{ns:.2}"),
        ..100.0 => format!("{ns:.1}"),
        _ => count(crate::number::round(ns)),
    }
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
