//! Refuse, queue fairly, or cap: what each buys the neighbours, and who pays.

use crate::drive::Retry;
use crate::record::StrategyRecord;
use records::cell::{count, fixed, milliseconds, percent, seconds};
use records::number::real;
use records::page::{Page, Table};

/// One line a strategy. Where clients come back, what that costs stands in the place of what was lost.
#[must_use]
pub fn strategies_page(records: &[StrategyRecord]) -> Page {
    let retry = records.first().map_or(Retry::Never, |record| record.retry);
    match retry {
        Retry::Never => given_up(records),
        Retry::Obey => come_back(records, "what is refused comes back when it was told to"),
        Retry::Hammer { every_us } => {
            let every = milliseconds(Some(every_us));
            come_back(
                records,
                &format!("what is refused comes back every {every} ms"),
            )
        }
    }
    .into()
}

/// The columns that say which strategy it is, and what it does for the neighbours.
const STRATEGY: [&str; 5] = [
    "strategy",
    "scheduler",
    "in front and around it",
    "neighbours p50",
    "p99",
];

fn strategy(
    StrategyRecord {
        strategy, result, ..
    }: &StrategyRecord,
) -> [String; 5] {
    [
        (*strategy).to_owned(),
        result.scheduler.clone(),
        super::burst::limits(result),
        milliseconds(result.p50_us),
        milliseconds(result.p99_us),
    ]
}

fn given_up(records: &[StrategyRecord]) -> Table {
    let columns = [
        "refused",
        "noisy: refused",
        "noisy done s",
        "idle while work waits",
    ];
    let mut table = Table::new(
        "Refuse, queue fairly, or cap: the noisy burst under each, waits in milliseconds",
        &[&STRATEGY[..], &columns].concat(),
    );
    for record in records {
        let result = &record.result;
        table.row(strategy(record).into_iter().chain([
            count(result.normal_rejected),
            count(result.rejected - result.normal_rejected),
            seconds(result.noisy_after_burst_us),
            percent(result.idle.idle_while_waiting_share),
        ]));
    }
    for note in GIVEN_UP {
        table.note(note);
    }
    table
}

fn come_back(records: &[StrategyRecord], how: &str) -> Table {
    let columns = [
        "noisy: refusals",
        "for a job served",
        "given up",
        "waits p50 s",
        "p99 s",
        "done s",
        "idle while work waits",
    ];
    let mut table = Table::new(
        format!("The same, and {how}; the neighbours' waits in milliseconds"),
        &[&STRATEGY[..], &columns].concat(),
    );
    for record in records {
        let (result, waits) = (&record.result, &record.noisy_waits);
        let for_a_job =
            (result.noisy_done > 0).then(|| real(record.noisy_refusals) / real(result.noisy_done));
        table.row(strategy(record).into_iter().chain([
            count(record.noisy_refusals),
            fixed(for_a_job, 1),
            count(result.rejected - result.normal_rejected),
            seconds(waits.p50_us),
            seconds(waits.p99_us),
            seconds(result.noisy_after_burst_us),
            percent(result.idle.idle_while_waiting_share),
        ]));
    }
    table.note("The noisy tenant's waits count from its burst, whatever came between. Given up: what would never pass.");
    let neighbours: u64 = records
        .iter()
        .map(|record| record.refusals - record.noisy_refusals)
        .sum();
    table.note(if neighbours == 0 {
        "The neighbours were never refused.".to_owned()
    } else {
        format!(
            "The neighbours were refused {} times, over all rows.",
            count(neighbours)
        )
    });
    for note in COME_BACK {
        table.note(note);
    }
    table
}

const GIVEN_UP: [&str; 4] = [
    "Refused requests do not come back here; --retry obey and --retry hammer say what it costs if they do.",
    "A rate limit alone refuses early and cheaply, and refuses work that idle workers could have done.",
    "A fair queue alone refuses nothing and idles nobody; the neighbours wait for a worker to come free.",
    "A cap keeps workers free for the neighbours, whether or not they come. With a limit in front, what would wait longest is refused instead.",
];

const COME_BACK: [&str; 3] = [
    "Refusing moves the noisy tenant's queue to its own side: what it holds there does not wait, as far as idle workers know. Under a rate limit one that obeys is refused once each time that it comes back; one that hammers is let through no sooner, if a burst is as much as a second gives.",
    "A full backlog cannot know when it will have room, and says 1 s: who asks more often is let through sooner.",
    "What it costs to refuse is not in here: simulated time has workers, and no front door that could be busy.",
];
