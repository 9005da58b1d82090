//! Real runs as a page: medians and spreads beside the simulation, and whether the shape agrees.

use crate::measure::Spread;
use crate::record::RunRecord;
use crate::shape_check::ShapeCheck;
use records::cell::{count, duration};
use records::page::{Page, Table};

/// The page of real runs.
#[must_use]
pub fn run_page(records: &[RunRecord], checks: &[ShapeCheck], scale: u32) -> Page {
    [waits(records, scale), lags(records), shape(checks)].into()
}

fn limits(record: &RunRecord) -> String {
    let text = |limit: Option<u32>| limit.map_or("-".to_owned(), |limit| limit.to_string());
    format!(
        "{} / {}",
        text(record.parameters.in_flight_max),
        text(record.parameters.backlog_max)
    )
}

/// `median (least - most)`.
fn spread(spread: Spread) -> String {
    format!(
        "{} ({} - {})",
        duration(spread.median),
        duration(spread.least),
        duration(spread.most)
    )
}

fn waits(records: &[RunRecord], scale: u32) -> Table {
    let mut table = Table::new(
        format!(
            "Noisy burst with real workers, {scale} times shorter: median (least - most) of the runs"
        ),
        &[
            "scheduler",
            "cap / limit",
            "p50",
            "p95",
            "p99",
            "noisy done after",
            "refused",
            "simulated p95",
            "noisy done",
        ],
    );
    for record in records {
        table.row([
            record.scheduler.clone(),
            limits(record),
            spread(record.p50_us),
            spread(record.p95_us),
            spread(record.p99_us),
            spread(record.noisy_after_burst_us),
            record.rejected.median.map_or("-".to_owned(), count),
            duration(record.simulated.p95_us),
            duration(record.simulated.noisy_after_burst_us),
        ]);
    }
    table.note("Waits count from the intended arrival, so a late generator is charged to them. Simulated figures are of the same shortened scenario.");
    table
}

fn lags(records: &[RunRecord]) -> Table {
    let mut table = Table::new(
        "How late the generator pushed, of all runs together",
        &[
            "scheduler",
            "cap / limit",
            "p50",
            "p99",
            "max",
            "pushes",
            "overflow",
        ],
    );
    for record in records {
        let lag = record.generator_lag;
        table.row([
            record.scheduler.clone(),
            limits(record),
            duration(Some(lag.p50_us)),
            duration(Some(lag.p99_us)),
            duration(Some(lag.max_us)),
            count(lag.count),
            count(lag.overflow + record.neighbour_waits.overflow),
        ]);
    }
    table
}

fn shape(checks: &[ShapeCheck]) -> Table {
    let mut table = Table::new(
        "Does the shape agree with the simulation?",
        &["check", "figure", "expected", "holds"],
    );
    for check in checks {
        table.row([
            check.what.clone(),
            format!("{:.2}", check.figure),
            check.expected.clone(),
            if check.holds { "yes" } else { "NO" }.to_owned(),
        ]);
    }
    table
}
