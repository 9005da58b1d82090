//! Two recorded runs as a page.

use records::cell::{NOTHING, percent};
use records::page::{Page, Table};
use records::runs::{Change, Compared, Comparison, Unit};

/// Benchmark by benchmark, and why they cannot be compared where they cannot.
#[must_use]
pub fn compare_page(base: &str, now: &str, comparison: &Comparison) -> Page {
    let of = match comparison.compared.first().map(|compared| compared.unit) {
        Some(Unit::Instructions) => "instructions of one operation",
        Some(Unit::Floors) | None => "times the floor of the same run",
    };
    let title = format!("{now} over {base}: {of}");
    let headings = [
        "benchmark",
        "base",
        "spread of bases",
        "now",
        "change",
        "threshold",
        "verdict",
    ];
    let mut table = Table::of_figures(title, headings.map(str::to_owned));
    for compared in &comparison.compared {
        let Compared { base, now, .. } = compared;
        let figure = |value| figure(compared.unit, value);
        let spread = compared.base_spread;
        let change = base.zip(*now).map(|(base, now)| now / base - 1.0);
        let text = |value: Option<String>| value.unwrap_or_else(|| NOTHING.to_owned());
        table.row([
            compared.benchmark.clone(),
            text(base.map(figure)),
            text(spread.map(|(least, most)| format!("{} to {}", figure(least), figure(most)))),
            text(now.map(figure)),
            text(change.map(|change| format!("{:+.1} %", change * 100.0))),
            text(compared.threshold.map(percent)),
            verdict(&compared.change),
        ]);
    }
    for difference in &comparison.differences {
        table.note(format!("Not comparable: {difference}."));
    }
    if comparison.compared.is_empty() {
        table.note("There was nothing to compare.");
    }
    table.into()
}

fn figure(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Floors => format!("{value:.2}x"),
        Unit::Instructions => format!("{value:.1}"),
    }
}

fn verdict(change: &Change) -> String {
    match change {
        Change::Same => "same".to_owned(),
        Change::Slower => "slower".to_owned(),
        Change::Faster => "faster".to_owned(),
        Change::Removed => "removed".to_owned(),
        Change::New => "new".to_owned(),
        Change::Failed(why) => format!("FAILED: {why}"),
        Change::NotComparable(why) => format!("not comparable ({why})"),
    }
}
