//! Refuse, queue fairly, or cap: what each buys the neighbours, and who pays.

use super::table::{Page, Table, count, milliseconds, percent, seconds};
use crate::record::StrategyRecord;

/// One line a strategy.
#[must_use]
pub fn strategies_page(records: &[StrategyRecord]) -> Page {
    let mut table = Table::new(
        "Refuse, queue fairly, or cap: the noisy burst under each, waits in milliseconds",
        &[
            "strategy",
            "scheduler",
            "in front and around it",
            "neighbours p50",
            "p99",
            "refused",
            "noisy: refused",
            "noisy done s",
            "idle while work waits",
        ],
    );
    for StrategyRecord { strategy, result } in records {
        table.row([
            (*strategy).to_owned(),
            result.scheduler.clone(),
            super::burst::limits(result),
            milliseconds(result.p50_us),
            milliseconds(result.p99_us),
            count(result.normal_rejected),
            count(result.rejected - result.normal_rejected),
            seconds(result.noisy_after_burst_us),
            percent(result.idle.idle_while_waiting_share),
        ]);
    }
    for note in NOTES {
        table.note(note);
    }
    table.into()
}

const NOTES: [&str; 4] = [
    "Refused requests do not come back here: a client that retries by `Retry-After` spreads its burst over time.",
    "A rate limit alone refuses early and cheaply, and refuses work that idle workers could have done.",
    "A fair queue alone refuses nothing and idles nobody; the neighbours wait for a worker to come free.",
    "A cap keeps workers free for the neighbours, whether or not they come. With a limit in front, what would wait longest is refused instead.",
];
