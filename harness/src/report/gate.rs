//! What the gate found as a page: a table for a terminal, or Markdown for a pull request.

use crate::gate::Report;
use crate::gate::cause::Cause;
use crate::gate::compare::{Change, Compared, Verdict};
use crate::gate::self_test::Case;
use crate::paired::PairRecord;
use records::cell::percent;
use records::page::{Page, Table};
use records::runs::Count;

/// The verdict, what moved, and why.
#[must_use]
pub fn gate_page(report: &Report) -> Page {
    let mut tables = vec![counts(report)];
    tables.extend(report.causes.iter().map(cause));
    if !report.pairs.is_empty() {
        tables.push(times(&report.pairs));
    }
    Page { tables }
}

fn counts(report: &Report) -> Table {
    let title = match (report.verdict, &report.blessed) {
        (_, Some(place)) => format!("Gate: blessed {}", place.display()),
        (Verdict::Pass, _) => "Gate: PASS".to_owned(),
        (Verdict::Regression, _) => "Gate: REGRESSION".to_owned(),
        (Verdict::Unmeasured, _) => "Gate: COULD NOT MEASURE".to_owned(),
    };
    let is_moved = |one: &&Compared| !matches!(one.change, Change::Same);
    let moved: Vec<&Compared> = report.counts.iter().filter(is_moved).collect();
    let headings = [
        "benchmark",
        "verdict",
        "instructions",
        "",
        "cycles",
        "",
        "allocations",
        "",
    ];
    let mut table = if moved.is_empty() {
        Table::new(title, &[])
    } else {
        Table::of_figures(title, headings.map(str::to_owned))
    };
    for one in moved {
        let [base, head] = [&one.base, &one.head];
        let mut row = vec![one.benchmark.clone(), one.change.to_string()];
        row.extend(figures(
            base.as_ref(),
            head.as_ref(),
            |count| count.instructions,
            1,
        ));
        row.extend(figures(
            base.as_ref(),
            head.as_ref(),
            |count| count.cycles,
            1,
        ));
        row.extend(figures(
            base.as_ref(),
            head.as_ref(),
            |count| count.allocations,
            4,
        ));
        table.row(row);
    }
    for reason in &report.reasons {
        table.note(reason.clone());
    }
    for picture in &report.flamegraphs {
        table.note(format!("differential flamegraph: {}", picture.display()));
    }
    if !report.against.is_empty() {
        table.note(format!("compared with {}", report.against));
    }
    if !report.counts.is_empty() {
        let same = report
            .counts
            .iter()
            .filter(|one| one.rise() == Some(0.0))
            .count();
        table.note(format!(
            "{} benchmarks counted, {same} the same to the last instruction. Of one operation; instructions and bytes may rise by 1 %, allocations not at all; cycles are estimated and bind nobody.",
            report.counts.len()
        ));
    }
    table
}

/// Before and after, as far as there is either, and by how much it rose.
fn figures(
    base: Option<&Count>,
    head: Option<&Count>,
    figure: impl Fn(&Count) -> u64,
    digits: usize,
) -> [String; 2] {
    let each = |count: &Count| count.each(figure(count));
    let number = |count: Option<&Count>| {
        count.map_or_else(
            || "none".to_owned(),
            |count| format!("{:.digits$}", each(count)),
        )
    };
    let rise = base.zip(head).map(|(base, head)| (each(base), each(head)));
    let rise = match rise {
        Some((base, head)) if base > 0.0 => format!("{:+.2} %", (head / base - 1.0) * 100.0),
        _ => String::new(),
    };
    [format!("{} -> {}", number(base), number(head)), rise]
}

/// How the gate ended in each case of its self-test.
#[must_use]
pub fn self_test_page(cases: &[Case]) -> Page {
    let failed = cases.iter().filter(|case| !case.holds()).count();
    let title = match failed {
        0 => format!(
            "Self-test of the gate: all {} cases end as they must",
            cases.len()
        ),
        failed => format!(
            "Self-test of the gate: {failed} of {} cases FAILED",
            cases.len()
        ),
    };
    let mut table = Table::new(title, &["fault", "exit code", "expected", ""]);
    for case in cases {
        let found = case
            .found
            .map_or_else(|| "killed".to_owned(), |code| code.to_string());
        let holds = if case.holds() { "as it must" } else { "FAILED" };
        table.row([
            case.fault.clone(),
            found,
            case.expected.to_string(),
            holds.to_owned(),
        ]);
    }
    table.note("0 pass, 2 could not measure, 3 regression");
    table.into()
}

fn cause(cause: &Cause) -> Table {
    let title = format!(
        "Where instructions of {} rose, for one operation",
        cause.benchmark
    );
    let headings = ["function", "base", "head", "change"].map(str::to_owned);
    let mut table = Table::of_figures(title, headings);
    for moved in &cause.functions {
        table.row([
            moved.function.clone(),
            format!("{:.2}", moved.base),
            format!("{:.2}", moved.head),
            format!("{:+.2}", moved.head - moved.base),
        ]);
    }
    table
}

fn times(pairs: &[PairRecord]) -> Table {
    let headings = [
        "state, tenants",
        "scheduler",
        "ratio",
        "interval",
        "noise floor",
        "limit",
        "verdict",
    ];
    let mut table = Table::new(
        "Time of the head over that of the base, taking turns",
        &headings,
    );
    for pair in pairs {
        table.row([
            format!("{}, {}", pair.state.name(), pair.tenants),
            pair.a.split(' ').next().unwrap_or_default().to_owned(),
            format!("{:.3}", pair.ratio.estimate),
            format!("{:.3} to {:.3}", pair.ratio.low, pair.ratio.high),
            percent(pair.noise_floor),
            percent(pair.limit),
            pair.verdict.to_string(),
        ]);
    }
    table.note("slower: beyond max(5 %, 3 x noise floor), the interval clear of 1, and seen twice; what is not seen twice is inconclusive and blocks nobody");
    table
}
