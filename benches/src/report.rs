//! The tables of a run, each under a name.

use std::fmt::Write;

use crate::azure;
use crate::memory::{self, Memory};
use crate::results::{Cell, Grid, Run};
use crate::state::State;
use crate::table::{Style, of_state, outcome, table};

/// A table and what to call it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// A state's name, or `memory`.
    pub name: String,
    /// What is in it, in a line.
    pub title: String,
    /// The table itself.
    pub text: String,
}

/// Every table that a run has something for.
#[must_use]
pub fn tables(style: Style, run: &Run) -> Vec<Named> {
    let mut tables = Vec::new();
    for state in State::BURST {
        let grid = Grid::of(&run.cells, state);
        if !grid.is_empty() {
            tables.push(Named {
                name: state.name().to_owned(),
                title: format!(
                    "{}, ns (ratio to the plain queue; * the best scheduler), by tenants",
                    state.operation()
                ),
                text: of_state(style, state, &grid).to_string(),
            });
        }
    }
    let replay = Grid::of(&run.cells, State::Replay);
    if !replay.is_empty() {
        tables.push(Named {
            name: State::Replay.name().to_owned(),
            title: format!("{}; {}", State::Replay.operation(), azure::RULE),
            text: of_replay(style, &replay),
        });
    }
    if !run.memory.is_empty() {
        tables.push(Named {
            name: "memory".to_owned(),
            title: "bytes, as the allocator counted them, of 100,000 tenants and 300,000 jobs"
                .to_owned(),
            text: of_memory(style, &run.memory),
        });
    }
    tables
}

/// All tables, one after the other.
#[must_use]
pub fn of_run(style: Style, run: &Run) -> String {
    tables(style, run)
        .iter()
        .fold(String::new(), |mut text, table| {
            let _ = writeln!(text, "{}: {}\n{}\n", table.name, table.title, table.text);
            text
        })
}

/// What an operation costs, and what the busiest tenant gets: speed is no use without fairness.
fn of_replay(style: Style, grid: &Grid<'_>) -> String {
    let header = [
        "replay",
        "ns",
        "ratio",
        "busiest tenant's work over an equal share",
    ];
    let text = |value: Option<String>| value.unwrap_or_default();
    let row = |cell: &Cell| {
        vec![
            cell.contender.clone(),
            outcome(grid, cell),
            text(cell.floor_ratio.map(|ratio| format!("{ratio:.1}x"))),
            text(cell.noise.map(|noise| format!("{noise:.2}"))),
        ]
    };
    let rows: Vec<_> = grid.cells().iter().map(|cell| row(cell)).collect();
    table(style, &header.map(str::to_owned), &rows).to_string()
}

fn of_memory(style: Style, memory: &[Memory]) -> String {
    let header = ["memory", "an idle tenant", "a job waiting, beside the job"];
    let row = |name: &str, tenant: f64, job: f64| {
        vec![name.to_owned(), format!("{tenant:.1}"), format!("{job:.1}")]
    };
    let mut rows: Vec<_> = memory
        .iter()
        .map(|of| row(&of.contender, of.bytes_per_idle_tenant, of.bytes_per_job))
        .collect();
    rows.push(row(
        "(at most)",
        memory::PER_TENANT_MAX,
        memory::PER_JOB_MAX,
    ));
    table(style, &header.map(str::to_owned), &rows).to_string()
}
