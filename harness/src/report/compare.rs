//! Two recorded runs as a page.

use records::cell::{NOTHING, percent};
use records::page::{Page, Table};
use records::runs::{Change, Compared, Comparison, Unit};

/// Unit by unit, benchmark by benchmark; and why they cannot be compared where they cannot.
#[must_use]
pub fn compare_page(base: &str, now: &str, comparison: &Comparison) -> Page {
    let title = format!("{now} over {base}");
    let of_unit = |unit: Unit| {
        let rows = comparison.compared.iter();
        let mut rows = rows.filter(|compared| compared.unit == unit).peekable();
        rows.peek()?;
        let mut table = Table::of_figures(format!("{title}: {}", of(unit)), headings());
        rows.for_each(|compared| table.row(row(compared)));
        Some(table)
    };
    let mut tables: Vec<Table> = Unit::ALL.into_iter().filter_map(of_unit).collect();
    if tables.is_empty() {
        let mut table = Table::new(title, &[]);
        table.note("There was nothing to compare.");
        tables.push(table);
    }
    let last = tables.last_mut().expect("one at least");
    for difference in &comparison.differences {
        last.note(format!("Not comparable: {difference}."));
    }
    Page { tables }
}

fn headings() -> [String; 7] {
    [
        "benchmark",
        "base",
        "spread of bases",
        "now",
        "change",
        "threshold",
        "verdict",
    ]
    .map(str::to_owned)
}

fn row(compared: &Compared) -> [String; 7] {
    let Compared { base, now, .. } = *compared;
    let figure = |value| figure(compared.unit, value);
    let spread = compared.base_spread;
    // From no allocation to one is no percentage.
    let change = base.zip(now).map(|(base, now)| now / base - 1.0);
    let change = change.filter(|change| change.is_finite());
    let text = |value: Option<String>| value.unwrap_or_else(|| NOTHING.to_owned());
    [
        compared.benchmark.clone(),
        text(base.map(figure)),
        text(spread.map(|(least, most)| format!("{} to {}", figure(least), figure(most)))),
        text(now.map(figure)),
        text(change.map(|change| format!("{:+.1} %", change * 100.0))),
        text(compared.threshold.map(percent)),
        verdict(&compared.change),
    ]
}

fn of(unit: Unit) -> &'static str {
    match unit {
        Unit::Floors => "times the floor of the same run",
        Unit::Ratio => "paired, times the other side",
        Unit::Instructions => "instructions of one operation",
        Unit::Allocations => "allocations of one operation",
        Unit::Bytes => "bytes allocated by one operation",
        Unit::BytesHeld => "bytes held",
    }
}

fn figure(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Floors | Unit::Ratio => format!("{value:.2}x"),
        Unit::Allocations => format!("{value:.3}"),
        Unit::Instructions | Unit::Bytes | Unit::BytesHeld => format!("{value:.1}"),
    }
}

fn verdict(change: &Change) -> String {
    match change {
        Change::Same => "same".to_owned(),
        Change::Inconclusive => "inconclusive (noise)".to_owned(),
        Change::Slower => "slower".to_owned(),
        Change::Faster => "faster".to_owned(),
        Change::More => "more".to_owned(),
        Change::Less => "less".to_owned(),
        Change::Removed => "removed".to_owned(),
        Change::New => "new".to_owned(),
        Change::Failed(why) => format!("FAILED: {why}"),
        Change::NotComparable(why) => format!("not comparable ({why})"),
    }
}
