//! Paired comparisons as a page.

use crate::paired::{Fault, PairRecord, PairedRun, Ratio};
use records::cell::{count, percent};
use records::page::{Page, Table};

/// Ratios with their intervals, the noise floor and the verdict; and what could not be compared.
#[must_use]
pub fn pair_page(run: &PairedRun, faults: &[(String, Fault)]) -> Page {
    let mut table = Table::of_figures(title(run), headings());
    for pair in &run.pairs {
        table.row([
            format!("{} over {}", pair.b, pair.a),
            format!("{:.2}", pair.ratio.a_ns),
            format!("{:.2}", pair.ratio.b_ns),
            format!("{:.3}", pair.ratio.estimate),
            interval(&pair.ratio),
            pair.rerun.map_or_else(
                || "not needed".to_owned(),
                |rerun| format!("{:.3}", rerun.estimate),
            ),
            percent(pair.noise_floor),
            percent(pair.limit),
            pair.verdict.to_string(),
        ]);
    }
    for (name, fault) in faults {
        table.note(format!("{name}: {fault}"));
    }
    if let Some(first) = run.pairs.first() {
        table.note(format!(
            "{} blocks, both sides rebuilt in each, seed {} of the bootstrap; interval of 95 %.",
            first.blocks, first.seed
        ));
        table.note(
            "Noise floor: how far from 1 the interval of the first side against itself reaches.",
        );
    }
    table.into()
}

fn title(run: &PairedRun) -> String {
    run.pairs
        .first()
        .map_or_else(String::new, |PairRecord { state, tenants, .. }| {
            format!(
                "{} ({}), {} tenants: ns an operation, the bare loop included",
                state.name(),
                state.operation(),
                count((*tenants).into())
            )
        })
}

fn headings() -> [String; 9] {
    [
        "paired",
        "first",
        "second",
        "ratio",
        "interval",
        "rerun",
        "noise floor",
        "limit",
        "verdict",
    ]
    .map(str::to_owned)
}

fn interval(ratio: &Ratio) -> String {
    format!("{:.3} to {:.3}", ratio.low, ratio.high)
}
