//! The noisy burst as a page: what the neighbours waited, what it cost, and what others published.

use schedulers::Settings;
use schedulers::admission::RateLimit;

use super::published::{Published, published};
use crate::record::BurstRecord;
use crate::scenario::NoisyBurst;
use crate::scheduler::Scheduler;
use records::cell::{NOTHING, count, fixed, milliseconds, percent, seconds};
use records::page::{Page, Table};

/// Results under chosen limits: waits and prices, without the published figures.
#[must_use]
pub fn burst_page(records: &[BurstRecord]) -> Page {
    [waits(records), prices(records)].into()
}

/// The study: every strategy under every scheduler, beside the published figures where there are
/// any for these parameters, and why they differ.
#[must_use]
pub fn burst_study(records: &[BurstRecord]) -> Page {
    let figures: Vec<_> = records.iter().map(published_for).collect();
    if figures.iter().all(Option::is_none) {
        return burst_page(records);
    }
    let mut beside = waits(records);
    let headings = ["published p50 / p95 / p99", "noisy done s", "refused"];
    beside.headings.extend(headings.map(str::to_owned));
    for (row, figures) in beside.rows.iter_mut().zip(figures) {
        row.extend(figures.map_or_else(
            || [NOTHING; 3].map(str::to_owned),
            |figures| {
                let waits = format!("{} / {} / {}", figures.p50, figures.p95, figures.p99);
                [
                    waits,
                    figures.noisy_done.to_owned(),
                    figures.refused.to_owned(),
                ]
            },
        ));
    }
    beside.notes = WHY_THEY_DIFFER.map(str::to_owned).to_vec();
    [beside, prices(records)].into()
}

fn published_for(record: &BurstRecord) -> Option<&'static Published> {
    let promises = |known: Scheduler| known.lag_max(&Settings::default()).is_some();
    let is_fair = Scheduler::named(&record.scheduler).is_some_and(promises);
    published(is_fair, &record.parameters)
}

const WHY_THEY_DIFFER: [&str; 5] = [
    "Published: one real run on another machine (Node.js, timers and an event loop). Ours: simulated time, so no timer is late: a wait of 0 is the 0.008 to 0.2 ms of overhead there, and 50.0 s the 50.4 s.",
    "Shared FIFO, p50 5,175 against 5,439 ms: 2,000 jobs of 100 ms on 20 workers drain in 10 s here; late timers stretch each of the 100 batches there.",
    "Fair without a cap, 25 ms against a p95 of 27.1: in simulated time all workers end together, so a neighbour waits for the next whole batch; in a real run ends spread out, and the median is 4.5 ms.",
    "An active list is not a faster scan: a tenant that wakes joins the tail, behind the noisy one and the others, and waits up to three batches (75 ms). `rotation` and `scan_all` come to it in the order of the handles, mostly in the next batch.",
    "A fair queue without a cap keeps all 20 workers busy. A cap of 4 takes the neighbours' wait to 0 and idles 12 of 20 workers while work waits: the noisy tenant pays with five times the time.",
];

/// What held tenants back, in words.
pub(super) fn limits(record: &BurstRecord) -> String {
    let NoisyBurst {
        in_flight_max,
        backlog_max,
        rate_limit,
        ..
    } = record.parameters;
    let rate = rate_limit.map(self::rate_limit);
    let cap = in_flight_max.map(|cap| format!("cap {cap}"));
    let limit = backlog_max.map(|limit| format!("limit {limit}"));
    let limits: Vec<String> = [rate, cap, limit].into_iter().flatten().collect();
    if limits.is_empty() {
        "none".to_owned()
    } else {
        limits.join(", ")
    }
}

/// A rate limit, in words.
pub(super) fn rate_limit(limit: RateLimit) -> String {
    let rate = limit.rate.tokens_per_second();
    format!("rate {rate} / s, burst {}", limit.burst)
}

fn waits(records: &[BurstRecord]) -> Table {
    let mut table = Table::new(
        "Noisy burst: waits of the neighbours, in milliseconds",
        &[
            "limits",
            "scheduler",
            "p50",
            "p95",
            "p99",
            "max",
            "noisy done s",
            "refused",
        ],
    );
    for record in records {
        table.row([
            limits(record),
            record.scheduler.clone(),
            milliseconds(record.p50_us),
            milliseconds(record.p95_us),
            milliseconds(record.p99_us),
            milliseconds(record.max_us),
            seconds(record.noisy_after_burst_us),
            count(record.rejected),
        ]);
    }
    table
}

fn prices(records: &[BurstRecord]) -> Table {
    let mut table = Table::new(
        "What it costs, and how evenly it falls",
        &[
            "limits",
            "scheduler",
            "idle workers under load",
            "idle while work waits",
            "utilisation",
            "Jain",
            "lag, jobs",
            "noisy: requests / work",
        ],
    );
    for record in records {
        let shares = [record.noisy_request_share, record.noisy_work_share].map(percent);
        table.row([
            limits(record),
            record.scheduler.clone(),
            format!(
                "{:.1} of {}",
                record.idle.idle_workers_under_load, record.parameters.workers
            ),
            percent(record.idle.idle_while_waiting_share),
            percent(record.idle.utilisation),
            fixed(record.jain_index, 3),
            count(record.lag_jobs_max),
            shares.join(" / "),
        ]);
    }
    table.note("Idle: worker-time free although work waited, up to the last arrival and over the whole run. Jain: of what each tenant got of an equal split while it had work; 1 is even.");
    table.note(
        "Lag: the most by which the service of two tenants drifted apart while both were eligible.",
    );
    table
}
