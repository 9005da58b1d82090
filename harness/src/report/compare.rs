//! Two recorded runs as a page.

use super::table::{NOTHING, Page, Table, count, percent};
use crate::runs::{Change, Compared, Comparison};

/// Benchmark by benchmark, and why they cannot be compared where they cannot.
#[must_use]
pub fn compare_page(base: &str, now: &str, comparison: &Comparison) -> Page {
    let title = format!("{now} over {base}: times the floor of the same run");
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
        let (contender, tenants) = (&compared.contender, count(compared.tenants.into()));
        let spread = compared.base_spread;
        let change = base.zip(*now).map(|(base, now)| now / base - 1.0);
        let text = |value: Option<String>| value.unwrap_or_else(|| NOTHING.to_owned());
        table.row([
            format!("{}/{contender}/{tenants}", compared.state.name()),
            text(base.map(times)),
            text(spread.map(|(least, most)| format!("{} to {}", times(least), times(most)))),
            text(now.map(times)),
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

fn times(ratio: f64) -> String {
    format!("{ratio:.2}x")
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
