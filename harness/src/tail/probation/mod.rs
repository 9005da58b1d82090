//! Probation: a server that is much slower than its peers is taken out, asked again in the shadow of
//! real requests, and put back when it is well.
//!
//! Taking a server out removes capacity. Latency gets better all the same, because what it removes is
//! the part that made requests wait.

mod run;

use clap::Args;
use run::Run;
use serde::Serialize;

use super::cluster::check_span;
use super::{Model, Percentiles, check_draws, open_share, random};
use records::cell::{percent, tenths_ms};
use records::error::BadInput;
use records::number::real;
use records::page::{Page, Table};

const EXAMPLES: &str = "\
Examples:
  cargo lab tail probation                              one of 10 servers is ten times slower for a third of the run
  cargo lab tail probation --slowdown 3 --suspect-factor 2
  cargo lab tail probation --servers 40 --json";

/// What taking a slow server out does to latency, although it removes capacity
#[derive(Args, Clone, Copy, Debug, Serialize)]
#[command(after_help = EXAMPLES)]
pub struct Probation {
    /// How many servers; each serves one request after another
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..=10_000))]
    pub servers: u32,
    /// What a request takes on average, exponentially
    #[arg(long, value_name = "US", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub service_us: u64,
    /// How busy all servers are on average while none is slow, above 0 and below 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = open_share)]
    pub load: f64,
    /// Server 0 takes so many times as long in the middle third of the run
    #[arg(long, value_name = "TIMES", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub slowdown: u64,
    /// Servers are judged at intervals of this
    #[arg(long, value_name = "US", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub interval_us: u64,
    /// Taken out: whose median answer is more than so many times that of its peers. Put back: at half of
    /// that or less
    #[arg(long, value_name = "TIMES", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub suspect_factor: u64,
    /// A server on probation is sent one of so many requests in shadow: nobody waits for its answer
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    pub shadow_of: u64,
    /// How many requests are simulated
    #[arg(long, default_value_t = 30_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub trials: u64,
}

/// Two rows: the slow server stays, or goes on probation.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ProbationRecord {
    /// In this order.
    pub rows: Vec<ProbationRow>,
}

/// One run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ProbationRow {
    /// Whether slow servers are taken out.
    pub probation: bool,
    /// Of all requests.
    pub simulated: Percentiles,
    /// Server-time on probation over all server-time.
    pub capacity_removed_share: f64,
    /// Requests that were sent in shadow.
    pub shadow_requests: u64,
    /// Who was out, and when.
    pub spells: Vec<Spell>,
}

/// One time on probation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Spell {
    /// The server; 0 is the slow one.
    pub server: u32,
    /// When it was taken out.
    pub out_us: u64,
    /// When it was put back; `null` if not before the end.
    pub back_us: Option<u64>,
}

impl Model for Probation {
    type Record = ProbationRecord;
    const VERB: &'static str = "probation";

    fn play(&self, seed: u64) -> Result<ProbationRecord, BadInput> {
        let span_us = self.gap_us() * real(self.trials);
        check_span(span_us)?;
        let judgements = span_us / real(self.interval_us) * f64::from(self.servers);
        if judgements > 1e8 {
            return Err(BadInput::new(
                "the servers would be judged more than a hundred million times: give a larger --interval-us",
            ));
        }
        check_draws(self.trials, 4)?;
        let rows = [false, true].map(|probation| Run::new(self, probation).play(random(seed)));
        Ok(ProbationRecord {
            rows: rows.to_vec(),
        })
    }

    fn page(&self, record: &ProbationRecord) -> Page {
        let mut table = Table::new(
            format!(
                "One of {} servers is {} times slower for a third of the run, in milliseconds",
                self.servers, self.slowdown
            ),
            &[
                "slow servers",
                "p50",
                "p95",
                "p99",
                "p99.9",
                "capacity removed",
                "shadow requests",
                "on probation",
            ],
        );
        for row in &record.rows {
            table.row([
                if row.probation {
                    "go on probation"
                } else {
                    "stay"
                }
                .to_owned(),
                tenths_ms(row.simulated.p50_us),
                tenths_ms(row.simulated.p95_us),
                tenths_ms(row.simulated.p99_us),
                tenths_ms(row.simulated.p999_us),
                percent(row.capacity_removed_share),
                row.shadow_requests.to_string(),
                row.spells_text(),
            ]);
        }
        table.note("Requests that the slow server had taken before it was found out wait it through: they are what is left of the tail.");
        table.into()
    }
}

impl ProbationRow {
    /// When the slow server was out, and how often the others were.
    fn spells_text(&self) -> String {
        let (slow, others): (Vec<Spell>, Vec<Spell>) =
            self.spells.iter().partition(|spell| spell.server == 0);
        let out = |spell: &Spell| {
            let back = spell.back_us.map_or_else(|| "the end".to_owned(), seconds);
            format!("from {} to {back}", seconds(spell.out_us))
        };
        let slow: Vec<String> = slow.iter().map(out).collect();
        match (slow.is_empty(), others.len()) {
            (true, 0) => "nobody".to_owned(),
            (true, others) => format!("{others} times one that was not slow"),
            (false, others) => format!("the slow one {}; others: {others}", slow.join(", ")),
        }
    }
}

fn seconds(us: u64) -> String {
    format!("{:.1} s", real(us) / 1e6)
}

impl Probation {
    /// From one request to the next, on average.
    fn gap_us(&self) -> f64 {
        real(self.service_us) / (self.load * f64::from(self.servers))
    }
}
