//! The shared pool as a page: shares, delays, what fairness costs the largest, chunks, verdicts.

use super::burst::rate_limit;
use crate::measure::{Change, Verdict};
use crate::record::{PoolRecord, PoolTenantRecord};
use crate::shared_pool::{Account, SharedPool};
use records::cell::{count, fixed, percent};
use records::page::{Page, Table};

/// One run of the pool: each tenant that is shown, and the small ones together.
#[must_use]
pub fn pool_page(record: &PoolRecord) -> Page {
    let mut table = Table::new(
        format!(
            "Shared pool, {} ({})",
            record.parameters.discipline,
            day(record)
        ),
        &[
            "tenants",
            "requests",
            "units",
            "refused",
            "done",
            "mean delay",
            "max delay",
            "request share",
            "work share",
            "noise ratio",
        ],
    );
    let picked = record
        .picked
        .iter()
        .map(|row| (format!("rank {}", row.rank), &row.tenant));
    let rows = picked.chain([(small(record), &record.rank6_to_last)]);
    for (
        name,
        PoolTenantRecord {
            account,
            delay_rounds_mean,
            request_share,
            work_share,
            noise_ratio,
        },
    ) in rows
    {
        table.row([
            name,
            count(account.requests),
            count(account.units),
            count(account.refused),
            count(account.done),
            fixed(*delay_rounds_mean, 2),
            account.max_delay_rounds.to_string(),
            percent(*request_share),
            percent(*work_share),
            fixed(*noise_ratio, 2),
        ]);
    }
    table.note("Delays in rounds, from arrival to finish. Shares are of what was let through.");
    if let Some(limits) = limits(&record.parameters) {
        table.note(limits);
    }
    table.into()
}

/// The whole study on one page.
#[must_use]
pub fn pool_study(
    days: &[PoolRecord],
    schedulers: &[PoolRecord],
    chunks: &[PoolRecord],
    verdicts: &[(String, Verdict)],
) -> Page {
    let mut delays_table = delays("Delay in rounds, by rank", days);
    if days
        .first()
        .and_then(|day| limits(&day.parameters))
        .is_none()
    {
        delays_table.note("Under fair share the small hardly notice either day; on day B the largest pays for its own scans, in delay.");
    }
    let mut more = delays(
        "The same day B under the schedulers of the library",
        schedulers,
    );
    more.note("A scheduler says whose request is begun next, and a request that is begun is finished first; fifo is arrival order.");
    [
        shares(days),
        judged(verdicts, "Demand or noise, against the fault-free day"),
        delays_table,
        more,
        chunking(chunks),
        accounting(days),
    ]
    .into()
}

fn day(record: &PoolRecord) -> &'static str {
    match (
        record.parameters.small_grew,
        record.parameters.largest_scans_fivefold,
    ) {
        (false, false) => "fault-free",
        (true, false) => "day A: the small grew",
        (false, true) => "day B: the largest scans fivefold",
        (true, true) => "both days at once",
    }
}

/// What stands in front of the pool, if anything does.
fn limits(parameters: &SharedPool) -> Option<String> {
    let rate = parameters.rate_limit.map(rate_limit);
    let limit = parameters.backlog_max.map(|limit| format!("limit {limit}"));
    let limits: Vec<String> = [rate, limit].into_iter().flatten().collect();
    let cost = |name, cost: Option<u32>| cost.map(|cost| format!("; {name} costs {cost}"));
    let [small, scan] = [
        cost("a small request", parameters.small_cost),
        cost("a scan", parameters.scan_cost),
    ]
    .map(Option::unwrap_or_default);
    (!limits.is_empty()).then(|| {
        format!(
            "Each tenant is held to: {}, a round being a second{small}{scan}.",
            limits.join(", ")
        )
    })
}

fn small(record: &PoolRecord) -> String {
    format!("ranks 6 to {}", record.parameters.tenant_count)
}

/// Shares do not depend on the discipline: one row a day.
fn shares(days: &[PoolRecord]) -> Table {
    let mut table = Table::new(
        "Shared pool: what the largest tenant asks for",
        &[
            "day",
            "requests in all",
            "units in all",
            "its request share",
            "its work share",
            "its noise ratio",
        ],
    );
    let discipline = days.first().map(|record| record.parameters.discipline);
    for record in days
        .iter()
        .filter(|record| Some(record.parameters.discipline) == discipline)
    {
        table.row([
            day(record).to_owned(),
            count(record.total.requests),
            count(record.total.units),
            percent(record.largest().request_share),
            percent(record.largest().work_share),
            fixed(record.largest().noise_ratio, 2),
        ]);
    }
    table
}

pub(super) fn judged(verdicts: &[(String, Verdict)], title: &str) -> Table {
    let mut table = Table::new(
        title,
        &[
            "compared",
            "verdict",
            "its request share",
            "its work share",
            "requests in all",
        ],
    );
    for (name, verdict) in verdicts {
        let finding = match verdict.change {
            Change::Steady => "steady".to_owned(),
            Change::DemandGrew => format!("demand grew, most of {}", verdict.tenant),
            Change::NoisyNeighbour => format!("noisy neighbour: {}", verdict.tenant),
        };
        let moved = |before: f64, after: f64| format!("{} -> {}", percent(before), percent(after));
        table.row([
            name.clone(),
            finding,
            moved(verdict.before.request_share, verdict.after.request_share),
            moved(verdict.before.work_share, verdict.after.work_share),
            format!("x {:.3}", verdict.request_growth),
        ]);
        for reason in &verdict.unsound_because {
            table.note(format!(
                "{name}, not sound to share by request counts: {reason}."
            ));
        }
    }
    table
}

fn delays(title: &str, records: &[PoolRecord]) -> Table {
    let mut table = Table::new(title, &[]);
    let Some(first) = records.first() else {
        return table;
    };
    let ranks = first.picked.iter().map(|row| format!("rank {}", row.rank));
    table.headings = ["day", "order"]
        .map(str::to_owned)
        .into_iter()
        .chain(ranks)
        .collect();
    table
        .headings
        .extend([small(first), "their max".to_owned(), "finished".to_owned()]);
    let limits = limits(&first.parameters);
    if limits.is_some() {
        table.headings.push("refused".to_owned());
    }
    for record in records {
        let mut row = vec![
            day(record).to_owned(),
            record.parameters.discipline.to_string(),
        ];
        row.extend(
            record
                .picked
                .iter()
                .map(|row| fixed(row.tenant.delay_rounds_mean, 2)),
        );
        row.push(fixed(record.rank6_to_last.delay_rounds_mean, 2));
        row.push(record.rank6_to_last.account.max_delay_rounds.to_string());
        row.push(count(record.total.done));
        if limits.is_some() {
            row.push(count(record.total.refused));
        }
        table.row(row);
    }
    if let Some(limits) = limits {
        table.note(limits);
    }
    table
}

fn chunking(records: &[PoolRecord]) -> Table {
    let mut table = Table::new(
        "Cutting scans into chunks, on day B in arrival order",
        &[
            "chunk units",
            "requests",
            "units",
            "largest request",
            "small: mean delay",
            "largest: mean delay",
        ],
    );
    for record in records {
        table.row([
            record.parameters.chunk_units.to_string(),
            count(record.total.requests),
            count(record.total.units),
            count(u64::from(record.units_of_one_request_max)),
            fixed(record.rank6_to_last.delay_rounds_mean, 2),
            fixed(record.largest().delay_rounds_mean, 2),
        ]);
    }
    table.note("Smaller requests alone do not help: in one queue the same work stands ahead of the same neighbours. The order must change.");
    table
}

fn accounting(days: &[PoolRecord]) -> Table {
    let mut table = Table::new(
        "What the accounts cost",
        &["tenants", "bytes", "updates of an account per request"],
    );
    if let Some(record) = days.first() {
        let tenants = u64::from(record.parameters.tenant_count);
        let bytes = tenants * size_of::<Account>() as u64;
        table.row([count(tenants), count(bytes), "2".to_owned()]);
    }
    table.note("One update when a request arrives, one when it is done; `cargo lab pool` prints the measured time on standard error, if that is a terminal.");
    table
}
