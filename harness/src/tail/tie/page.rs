//! Ties and their rivals as a page.

use super::{Tie, TieRecord, TieRow};
use crate::tail::Policy;
use records::cell::{count, percent, tenths_ms};
use records::number::real;
use records::page::{Page, Table};

const NOTES: [&str; 2] = [
    "Published (a file system's reads, tied after 1 ms): median -16 %, p99.9 -38 % on idle servers, -32 % under a concurrent heavy load. On idle servers the model comes close by itself, -14 % and -31 to -35 % by the seed: a tie escapes what waits before it, and nothing of the service. Under the heavy load all depends on how alike the two queues are: if a batch's jobs are independent (--heavy-alike 0) a tie cuts half of the tail, if they are the same on all servers (1) a sixth. The default of 0.5 (-27 to -33 % by the seed) was chosen because it meets the published figure; nothing published says it is so.",
    "First and random are the same by construction: they show how much of a difference is chance. Hedged after the observed p95 of the first. Sent and cancelled: copies over requests.",
];

pub(super) fn page(given: &Tie, record: &TieRecord) -> Page {
    let is_asking = |row: &&TieRow| {
        matches!(
            row.policy,
            Policy::ShorterOfTwo { .. } | Policy::ShortestOfAll { .. }
        )
    };
    let mut tied = Table::new(
        format!(
            "Tied requests on {} servers, in milliseconds",
            given.servers
        ),
        &[
            "queues",
            "load",
            "policy",
            "p50",
            "p99",
            "p99.9",
            "p50 change",
            "p99.9 change",
            "sent",
            "cancelled",
            "server time wasted",
        ],
    );
    for row in record.rows.iter().filter(|row| !is_asking(row)) {
        let leaves = real(row.tally.leaves);
        tied.row([
            row.scheduler.to_owned(),
            load_name(given, row.heavy),
            policy_name(row.policy),
            tenths_ms(row.simulated.p50_us),
            tenths_ms(row.simulated.p99_us),
            tenths_ms(row.simulated.p999_us),
            change(row.p50_change),
            change(row.p999_change),
            percent(real(row.tally.sent) / leaves),
            percent(real(row.tally.cancelled) / leaves),
            percent(row.tally.wasted_share),
        ]);
    }
    for note in NOTES {
        tied.note(note);
    }
    let mut asked = Table::new(
        "Asking for the shorter queue, by how old the answers are, in milliseconds",
        &[
            "queues",
            "load",
            "policy",
            "asked every",
            "p50",
            "p99",
            "p99.9",
            "most jobs on a server",
        ],
    );
    for row in record.rows.iter().filter(is_asking) {
        let (Policy::ShorterOfTwo { stale_us } | Policy::ShortestOfAll { stale_us }) = row.policy
        else {
            continue;
        };
        asked.row([
            row.scheduler.to_owned(),
            load_name(given, row.heavy),
            policy_name(row.policy),
            tenths_ms(Some(stale_us)),
            tenths_ms(row.simulated.p50_us),
            tenths_ms(row.simulated.p99_us),
            tenths_ms(row.simulated.p999_us),
            count(row.tally.jobs_on_a_server_max),
        ]);
    }
    asked.note("Herding: until they are asked again, all requests go to the server that was the shortest, and it no longer is. Two choices herd less than all. 0 is an oracle: it knows what no message could have told it.");
    [tied, asked].into()
}

fn load_name(given: &Tie, heavy: bool) -> String {
    if heavy {
        format!("{} + {}", percent(given.load), percent(given.heavy_load))
    } else {
        percent(given.load)
    }
}

fn policy_name(policy: Policy) -> String {
    match policy {
        Policy::First => "first server".to_owned(),
        Policy::Random => "random of two".to_owned(),
        Policy::ShorterOfTwo { .. } => "shorter of two".to_owned(),
        Policy::ShortestOfAll { .. } => "shortest of all".to_owned(),
        Policy::Hedge { delay_us } => format!("hedged after {}", tenths_ms(Some(delay_us))),
        Policy::Tie => "tied".to_owned(),
    }
}

fn change(change: f64) -> String {
    format!("{:+.0} %", change * 100.0)
}
