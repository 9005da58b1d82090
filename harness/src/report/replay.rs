//! A replay as a page: the trace, who waits how long under what, and what that says.

use super::burst::rate_limit;
use super::pool::judged;
use crate::record::{ReplayRecord, ReplayRow, TenantRecord};
use records::cell::{NOTHING, count, duration, fixed, percent};
use records::page::{Page, Table};

/// The page of a replay.
#[must_use]
pub fn replay_page(record: &ReplayRecord) -> Page {
    let mut tables = vec![about(record), waits(record), prices(record)];
    tables.extend(record.schedulers.first().map(largest_tenants));
    if let Some(verdict) = &record.verdict {
        tables.push(judged(
            &[("the window".to_owned(), verdict.clone())],
            "Demand or noise, against what came before",
        ));
    }
    Page { tables }
}

fn about(record: &ReplayRecord) -> Table {
    let shape = &record.shape;
    let mut table = Table::new(
        format!("{} ({})", record.file, record.format),
        &[
            "jobs",
            "tenants",
            "span",
            "busiest 1 s / 10 s",
            "most jobs",
            "most work",
            "cost p50 / p99 / max",
        ],
    );
    let costs = [shape.cost_p50, shape.cost_p99, shape.cost_max]
        .map(|cost| cost.map_or(NOTHING.to_owned(), count));
    table.row([
        count(record.jobs as u64),
        count(record.tenants as u64),
        duration(Some(shape.span_us)),
        format!("{} / {}", shape.busiest_second, shape.busiest_ten_seconds),
        percent(shape.most_jobs.share),
        percent(shape.most_work.share),
        format!("{} {}", costs.join(" / "), record.cost_unit),
    ]);
    table.note(format!(
        "{} workers, offered load {:.2}. Tenants from {}.",
        record.workers, record.offered_load, record.tenants_from
    ));
    if let Some(limit) = record.schedulers.first().and_then(|row| row.rate_limit) {
        table.note(format!(
            "In front of the queue each tenant is held to: {}.",
            rate_limit(limit)
        ));
    }
    let reasons = record
        .skipped_because
        .iter()
        .map(|(reason, times)| format!("{reason}: {times}"));
    if record.skipped > 0 {
        table.note(format!(
            "{} lines skipped: {}.",
            count(record.skipped),
            reasons.collect::<Vec<_>>().join("; ")
        ));
    }
    if record.reordered > 0 {
        table.note(format!(
            "{} jobs went back in time and were sorted.",
            count(record.reordered)
        ));
    }
    table
}

fn limits(row: &ReplayRow) -> String {
    let text = |limit: Option<u32>| limit.map_or(NOTHING.to_owned(), |limit| limit.to_string());
    format!("{} / {}", text(row.in_flight_max), text(row.backlog_max))
}

fn waits(record: &ReplayRecord) -> Table {
    let mut table = Table::new(
        "Waits in duration: p50 / p95 / p99 / max",
        &[
            "scheduler",
            "cap / limit",
            "all jobs",
            "top tenant",
            "bottom half",
            "worst tenant",
        ],
    );
    let four = |tenant: &TenantRecord| {
        let waits = tenant.waits;
        [waits.p50_us, waits.p95_us, waits.p99_us, waits.max_us]
            .map(duration)
            .join(" / ")
    };
    for row in &record.schedulers {
        let all = row.waits;
        table.row([
            row.scheduler.clone(),
            limits(row),
            [all.p50_us, all.p95_us, all.p99_us, all.max_us]
                .map(duration)
                .join(" / "),
            four(&row.top_tenant),
            four(&row.bottom_half),
            four(&row.worst_tenant),
        ]);
    }
    table.note("Top tenant: most work. Bottom half: the tenants with least work, together. Worst: the highest p95.");
    table.notes.extend(advice(&record.schedulers));
    table
}

/// A line whose utilisation is below the best by more than this buys short waits with idle workers.
const UTILISATION_LOSS_MAX: f64 = 0.05;

/// Which line to choose: among those that keep the pool busy, the one that refuses least; then the
/// shortest waits for the many small tenants; then for all; then the first.
fn advice(rows: &[ReplayRow]) -> Option<String> {
    let busiest = rows
        .iter()
        .map(|row| row.idle.utilisation)
        .fold(0.0, f64::max);
    let keeps_busy = |row: &&ReplayRow| row.idle.utilisation >= busiest - UTILISATION_LOSS_MAX;
    let best = rows.iter().filter(keeps_busy).min_by_key(|row| {
        (
            row.refused,
            row.bottom_half.waits.p95_us,
            row.bottom_half.waits.max_us,
            row.waits.p95_us,
        )
    })?;
    Some(format!(
        "Read off: without idling the pool and refusing least, the bottom half waits shortest under {} with cap / limit {} (p95 {}; top tenant {}; utilisation {}).",
        best.scheduler,
        limits(best),
        duration(best.bottom_half.waits.p95_us),
        duration(best.top_tenant.waits.p95_us),
        percent(best.idle.utilisation),
    ))
}

fn prices(record: &ReplayRecord) -> Table {
    let mut table = Table::new(
        "What it costs, and how evenly it falls",
        &[
            "scheduler",
            "cap / limit",
            "done",
            "refused",
            "utilisation",
            "idle while work waits",
            "Jain",
            "lag, cost",
            "end s",
        ],
    );
    for row in &record.schedulers {
        table.row([
            row.scheduler.clone(),
            limits(row),
            count(row.done),
            count(row.refused),
            percent(row.idle.utilisation),
            percent(row.idle.idle_while_waiting_share),
            fixed(row.jain_index, 3),
            count(row.lag_cost_max),
            duration(Some(row.end_us)),
        ]);
    }
    table
}

/// Who asks for what; the same under every scheduler that refuses nothing.
fn largest_tenants(row: &ReplayRow) -> Table {
    let mut table = Table::new(
        format!("Tenants with most work (waits under {})", row.scheduler),
        &[
            "tenant",
            "share of jobs",
            "share of work",
            "noise ratio",
            "wait p50 ms",
            "p95",
            "max",
        ],
    );
    for tenant in &row.top_tenants {
        let name = if tenant.tenants > 1 {
            format!("{} {}", tenant.tenants, tenant.tenant)
        } else {
            shortened(&tenant.tenant)
        };
        table.row([
            name,
            percent(tenant.request_share),
            percent(tenant.work_share),
            fixed(tenant.noise_ratio, 2),
            duration(tenant.waits.p50_us),
            duration(tenant.waits.p95_us),
            duration(tenant.waits.max_us),
        ]);
    }
    table
}

/// The start of a name that is a long hash.
fn shortened(name: &str) -> String {
    const SHOWN: usize = 16;
    let start: String = name.chars().take(SHOWN).collect();
    if start.len() < name.len() {
        start + "..."
    } else {
        start
    }
}
