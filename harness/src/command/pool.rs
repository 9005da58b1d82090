//! `pool`: the round-based shared pool, and telling demand from noise.

use std::time::Instant;

use clap::Args;
use serde_json::json;

use super::Answered;
use super::output::{Answer, Common, Ending, to_json};
use super::progress::doing;
use super::rate_flags::{RateFlags, endpoint_costs};
use super::scheduler_choice::{SchedulerChoice, scheduler_choice};
use crate::measure::{Asked, Heaviest, Stretch, Verdict, verdict};
use crate::record::PoolRecord;
use crate::report::{pool_page, pool_study};
use crate::scheduler::SCHEDULERS;
use crate::shared_pool::{Account, Discipline, SharedPool};
use records::error::BadInput;
use records::number::real;
use records::page::Page;

const EXAMPLES: &str = "\
Examples:
  cargo lab pool                                              the whole study, on one page
  cargo lab pool --discipline fair-share --json               one fault-free day, as JSON
  cargo lab pool --largest-scans-fivefold --chunk 50          day B in arrival order, scans cut
  cargo lab pool --scheduler all --largest-scans-fivefold     day B under every scheduler
  cargo lab pool --rate 60 --burst 900 --discipline fair-share --largest-scans-fivefold
  cargo lab pool --rate 60 --burst 900 --endpoint-costs scan=1 --backlog-max 200

In front of the pool each tenant is held to --rate, --burst and --backlog-max. A round counts as a second.";

/// Play the round-based shared pool, and say whether its trouble is demand or noise
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Pool {
    /// Tenants, ranked by size
    #[arg(long, default_value_t = SharedPool::default().tenant_count, value_parser = clap::value_parser!(u32).range(1..))]
    tenants: u32,
    /// Units served in a round
    #[arg(long, default_value_t = SharedPool::default().capacity, value_parser = clap::value_parser!(u32).range(1..))]
    capacity: u32,
    /// Each tenant scans once in so many rounds
    #[arg(long, default_value_t = SharedPool::default().scan_interval_rounds, value_parser = clap::value_parser!(u32).range(1..))]
    scan_interval: u32,
    /// How many rounds
    #[arg(long, default_value_t = SharedPool::default().rounds, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// arrival-order or fair-share. Without this and the four below: the whole study, under any limits
    #[arg(long, value_parser = |name: &str| Discipline::try_from(name.to_owned()))]
    discipline: Option<Discipline>,
    /// Serve by a scheduler of the library instead, or by each of them
    #[arg(long, value_name = "NAME", value_parser = scheduler_choice(), conflicts_with = "discipline")]
    scheduler: Option<SchedulerChoice>,
    /// Day B: the largest tenant scans five times as often
    #[arg(long)]
    largest_scans_fivefold: bool,
    /// Day A: tenants of rank 6 and beyond send 20 % more small requests
    #[arg(long)]
    small_grew: bool,
    /// Cut requests of more units into equal chunks; 0 cuts nothing
    #[arg(long, value_name = "UNITS")]
    chunk: Option<u32>,
    #[command(flatten)]
    rate: RateFlags,
    /// Refuse what a tenant asks while so many of its requests are not finished
    #[arg(long, value_name = "REQUESTS")]
    backlog_max: Option<u32>,
    /// What a request costs, by its endpoint: the tokens it takes and a scheduler's charge; by default its
    /// units
    #[arg(long, value_name = "small=N,scan=N", value_parser = |text: &str| endpoint_costs(text, ["small", "scan"]))]
    endpoint_costs: Option<[Option<u32>; 2]>,
    #[command(flatten)]
    common: Common,
}

/// One run, with the accounts that verdicts are made from.
struct Played {
    record: PoolRecord,
    accounts: Vec<Account>,
}

impl Pool {
    pub(super) fn run(self) -> Answered {
        let [small_cost, scan_cost] = self.endpoint_costs.unwrap_or_default();
        let parameters = SharedPool {
            capacity: self.capacity,
            tenant_count: self.tenants,
            scan_interval_rounds: self.scan_interval,
            rounds: self.rounds,
            discipline: self.discipline.unwrap_or(Discipline::ArrivalOrder),
            largest_scans_fivefold: self.largest_scans_fivefold,
            small_grew: self.small_grew,
            chunk_units: self.chunk.unwrap_or(0),
            rate_limit: self.rate.rate_limit(),
            backlog_max: self.backlog_max,
            small_cost,
            scan_cost,
        };
        let is_one_run = self.discipline.is_some()
            || self.largest_scans_fivefold
            || self.small_grew
            || self.chunk.is_some();
        match self.scheduler {
            Some(SchedulerChoice::One(scheduler)) => self.one(SharedPool {
                discipline: Discipline::Registered(scheduler),
                ..parameters
            }),
            Some(SchedulerChoice::All) => self.each_scheduler(&parameters),
            None if is_one_run => self.one(parameters),
            None => self.study(&parameters),
        }
    }

    fn one(&self, parameters: SharedPool) -> Answered {
        let record = play(&parameters)?.record;
        Ok(self.answer(to_json(&record), pool_page(&record)))
    }

    fn each_scheduler(&self, parameters: &SharedPool) -> Answered {
        let records = under_each_scheduler(parameters)?;
        let tables = records
            .iter()
            .flat_map(|record| pool_page(record).tables)
            .collect();
        Ok(self.answer(json!({ "runs": to_json(&records) }), Page { tables }))
    }

    fn study(&self, parameters: &SharedPool) -> Answered {
        let day_a = SharedPool {
            small_grew: true,
            ..*parameters
        };
        let day_b = SharedPool {
            largest_scans_fivefold: true,
            ..*parameters
        };
        let mut days = Vec::new();
        for discipline in [Discipline::ArrivalOrder, Discipline::FairShare] {
            for day in [parameters, &day_a, &day_b] {
                days.push(play(&SharedPool { discipline, ..*day })?);
            }
        }
        let [fault_free, a, b, ..] = days.as_slice() else {
            unreachable!("six days were played")
        };
        let verdicts = [("day A", a), ("day B", b)]
            .map(|(name, day)| (name.to_owned(), compare(fault_free, day)));
        let schedulers = under_each_scheduler(&day_b)?;
        let chunks = [0, 681, 50].map(|chunk_units| {
            play(&SharedPool {
                chunk_units,
                ..day_b
            })
        });
        let chunks: Vec<PoolRecord> = chunks
            .into_iter()
            .map(|played| played.map(|played| played.record))
            .collect::<Result<_, _>>()?;
        time_accounting(&fault_free.accounts);
        let days: Vec<PoolRecord> = days.into_iter().map(|played| played.record).collect();
        let page = pool_study(&days, &schedulers, &chunks, &verdicts);
        let fields = json!({
            "runs": to_json(days.iter().chain(&schedulers).chain(&chunks[1..]).collect::<Vec<_>>()),
            "verdicts": verdicts.iter().map(|(day, verdict)| json!({ "day": day, "verdict": verdict })).collect::<Vec<_>>(),
        });
        Ok(self.answer(fields, page))
    }

    fn answer(&self, fields: serde_json::Value, page: Page) -> Answer {
        Answer {
            common: self.common,
            document: self.common.document("pool", fields),
            rows: "runs",
            page,
            ending: Ending::Well,
        }
    }
}

fn play(parameters: &SharedPool) -> Result<Played, BadInput> {
    let accounts = parameters.play()?;
    Ok(Played {
        record: PoolRecord::new(parameters, &accounts),
        accounts,
    })
}

fn under_each_scheduler(parameters: &SharedPool) -> Result<Vec<PoolRecord>, BadInput> {
    SCHEDULERS
        .iter()
        .map(|&scheduler| {
            let discipline = Discipline::Registered(scheduler);
            play(&SharedPool {
                discipline,
                ..*parameters
            })
            .map(|played| played.record)
        })
        .collect()
}

fn compare(before: &Played, after: &Played) -> Verdict {
    let asked = |played: &Played| -> Vec<Asked> {
        let of = |account: &Account| Asked {
            requests: account.requests + account.refused,
            work: account.units + account.units_refused,
        };
        played.accounts.iter().map(of).collect()
    };
    let (asked_before, asked_after) = (asked(before), asked(after));
    let length = |played: &Played| u64::from(played.record.parameters.rounds);
    let heaviest = Heaviest {
        request: u64::from(after.record.units_of_one_request_max),
        round: u64::from(after.record.parameters.capacity),
    };
    verdict(
        |index| format!("rank {}", index + 1),
        Stretch {
            asked: &asked_before,
            length: length(before),
        },
        Stretch {
            asked: &asked_after,
            length: length(after),
        },
        Some(heaviest),
    )
}

/// Keeps the books once more, with nothing else to do, and says what an account costs a request.
fn time_accounting(accounts: &[Account]) {
    let requests: Vec<usize> = (0..accounts.len())
        .flat_map(|tenant| {
            std::iter::repeat_n(
                tenant,
                usize::try_from(accounts[tenant].requests).unwrap_or(0),
            )
        })
        .collect();
    let mut books = vec![Account::default(); accounts.len()];
    let start = Instant::now();
    for &tenant in &requests {
        books[tenant].ask(1);
        books[tenant].finish(0);
    }
    let seconds = start.elapsed().as_secs_f64();
    std::hint::black_box(&books);
    let requests = requests.len();
    if requests == 0 {
        return; // all was refused
    }
    doing(&format!(
        "accounting: {requests} requests, {:.1} ns each",
        seconds * 1e9 / real(requests as u64)
    ));
}
