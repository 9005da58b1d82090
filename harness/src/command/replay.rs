//! `replay`: a user's own trace under every scheduler.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use schedulers::Limits;

use super::Answered;
use super::output::{Answer, Common, Ending, to_json};
use super::progress::progress;
use super::rate_flags::RateFlags;
use super::scheduler_choice::{SchedulerChoice, scheduler_choice};
use crate::drive::{Pool, simulate};
use crate::measure::{Asked, Stretch, Verdict, verdict};
use crate::record::{ReplayRecord, ReplayRow};
use crate::report::replay_page;
use crate::scenario::workers_for;
use crate::trace::{
    Columns, ReadOptions, Source, SwfCost, TimeUnit, Trace, format_names, position, read,
};
use records::error::BadInput;
use records::number::{real, round};

const EXAMPLES: &str = "\
Examples:
  cargo lab replay harness/traces/azure-functions-2021-head199.csv
  cargo lab replay jobs.swf.gz --in-flight-max none,2,8 --scheduler rotation
  cargo lab replay calls.csv --columns time=ts,tenant=customer,cost=tokens --time-unit ms --workers 16
  cargo lab replay llm.csv --zipf-tenants 500 --seed 7 --speed-up 2 --json
  cargo lab replay log.csv --compare-window 3600..7200     demand or noise?
  cargo lab replay log.csv --rate 5 --burst 25 --backlog-max 100    admission in front of every scheduler

Formats: azure-llm, azure-functions, mooncake, swf (also .gz), servegen (a .tar.gz or a directory), csv and \
jsonl with named columns. Errors name the file and line. By default nothing is skipped or sorted, but for \
jobs that SWF itself marks as unknown (-1), which are counted.

A request takes what the trace says it costs in tokens (--columns cost=..., --swf-cost). There is no \
--endpoint-costs: a trace names no endpoints.";

/// The names that `--format` takes.
fn format_choice() -> PossibleValuesParser {
    PossibleValuesParser::new(std::iter::once("auto").chain(format_names()))
}

/// Replay your own trace, and read off which scheduler, cap and limit to use
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Replay {
    /// The trace
    file: PathBuf,
    /// One scheduler, or all
    #[arg(long, value_name = "NAME", default_value = "all", value_parser = scheduler_choice())]
    scheduler: SchedulerChoice,
    /// The trace's format; auto looks at the file
    #[arg(long, default_value = "auto", value_parser = format_choice())]
    format: String,
    /// Sort jobs that go back in time and skip lines that cannot be read, and count both
    #[arg(long)]
    lenient: bool,
    /// Read so many jobs at most
    #[arg(long, value_name = "JOBS", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Columns of csv and jsonl traces
    #[arg(long, value_name = "time=T,tenant=N,cost=C")]
    columns: Option<Columns>,
    /// In what unit csv and jsonl traces count time
    #[arg(long, value_enum, default_value_t)]
    time_unit: TimeUnit,
    /// What an SWF job costs
    #[arg(long, value_enum, default_value_t)]
    swf_cost: SwfCost,
    /// Tenants to draw, by a seeded Zipf rule, for a trace that names none
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    zipf_tenants: u32,
    /// Compress arrivals in time by this factor
    #[arg(long, default_value_t = 1.0, value_parser = positive)]
    speed_up: f64,
    /// How long a unit of cost keeps a worker busy; by default what the trace or its format says
    #[arg(long, value_name = "US", value_parser = clap::value_parser!(u64).range(1..))]
    service_us_per_unit: Option<u64>,
    /// Jobs that can run at once; by default as few as keep the offered load at or below 0.8
    #[arg(long)]
    workers: Option<NonZeroU32>,
    /// Caps to try, each tenant's most jobs at once: numbers from 1, or none
    #[arg(long, value_delimiter = ',', default_value = "none", value_parser = limit)]
    in_flight_max: Vec<u32>,
    /// Backlog limits to try, each tenant's most waiting jobs: numbers from 1, or none
    #[arg(long, value_delimiter = ',', default_value = "none", value_parser = limit)]
    backlog_max: Vec<u32>,
    #[command(flatten)]
    rate: RateFlags,
    /// Judge this window, in seconds from the first arrival, against all that came before it
    #[arg(long, value_name = "FROM..TO", value_parser = window)]
    compare_window: Option<(f64, f64)>,
    /// List so many tenants one by one; the others are one entry
    #[arg(long, default_value_t = 5)]
    top: usize,
    #[command(flatten)]
    common: Common,
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if f64::is_finite(value) && value > 0.0 => Ok(value),
        _ => Err("give a number above 0".to_owned()),
    }
}

/// `none` is the absence of a limit, which the schedulers write as the largest number.
fn limit(text: &str) -> Result<u32, String> {
    match text.parse() {
        Err(_) if text == "none" => Ok(u32::MAX),
        Ok(limit @ 1..) => Ok(limit),
        Ok(0) => Err("0 would serve nothing: give at least 1, or none".to_owned()),
        Err(_) => Err("give a number from 1, or none".to_owned()),
    }
}

fn window(text: &str) -> Result<(f64, f64), String> {
    let (from, to) = text.split_once("..").ok_or("give FROM..TO in seconds")?;
    let (from, to) = (positive(from)?, positive(to)?);
    if from < to {
        Ok((from, to))
    } else {
        Err("the window ends before it begins".to_owned())
    }
}

impl Replay {
    pub(super) fn run(self) -> Answered {
        let source = read(&self.file, &self.options())?;
        let trace = &source.trace;
        let workers = self
            .workers
            .map_or_else(|| workers_for(trace), NonZeroU32::get);
        let file = self.file.display().to_string();
        let mut record = ReplayRecord::new(file, &source, workers);
        record.verdict = self
            .compare_window
            .map(|window| judge(&source, window))
            .transpose()?;
        record.schedulers = self.rows(trace, workers);
        Ok(Answer {
            common: self.common,
            document: self.common.document("replay", to_json(&record)),
            rows: "schedulers",
            page: replay_page(&record),
            ending: Ending::Well,
        })
    }

    fn options(&self) -> ReadOptions {
        ReadOptions {
            format: (self.format != "auto").then(|| self.format.clone()),
            lenient: self.lenient,
            jobs_max: self.limit.map(|jobs| jobs as usize),
            columns: self.columns.clone().unwrap_or_default(),
            time_unit: self.time_unit,
            swf_cost: self.swf_cost,
            service_us_per_unit: self.service_us_per_unit,
            speed_up: self.speed_up,
            zipf_tenants: self.zipf_tenants,
            seed: self.common.seed,
        }
    }

    fn rows(&self, trace: &Trace, workers: u32) -> Vec<ReplayRow> {
        let schedulers = self.scheduler.schedulers();
        let limits = self.in_flight_max.iter().flat_map(|&in_flight_max| {
            let with = move |&backlog_max| Limits {
                in_flight_max,
                backlog_max,
                ..Limits::default()
            };
            self.backlog_max.iter().map(with)
        });
        let runs: Vec<_> = limits
            .flat_map(|limits| schedulers.iter().map(move |scheduler| (limits, scheduler)))
            .collect();
        let progress = progress(runs.len());
        let rows = runs
            .into_iter()
            .map(|(limits, scheduler)| {
                progress.set_message(scheduler.name);
                let pool = Pool {
                    workers,
                    limits,
                    rate_limit: self.rate.rate_limit(),
                };
                let mut queue = scheduler.build(&pool.settings(trace));
                let log = simulate(trace, &pool, &mut queue);
                progress.inc(1);
                ReplayRow::new(scheduler.name, &pool, trace, &log, self.top)
            })
            .collect();
        progress.finish_and_clear();
        rows
    }
}

fn judge(source: &Source, (from, to): (f64, f64)) -> Result<Verdict, BadInput> {
    let trace = &source.trace;
    let [from_us, to_us] = [from, to].map(|seconds| round(seconds * 1e6));
    let asked = |from_us: u64, to_us: u64| {
        let mut asked = vec![Asked::default(); trace.tenants()];
        for job in trace
            .jobs()
            .iter()
            .filter(|job| (from_us..to_us).contains(&job.arrival_us))
        {
            let asked = &mut asked[position(job.tenant)];
            asked.requests += 1;
            asked.work += job.service_us;
        }
        if asked.iter().all(|asked| asked.requests == 0) {
            return Err(BadInput::new(format!(
                "--compare-window: no job arrives from {} s to {} s",
                real(from_us) / 1e6,
                real(to_us) / 1e6
            )));
        }
        Ok(asked)
    };
    let (before, after) = (asked(0, from_us)?, asked(from_us, to_us)?);
    let name = |place: usize| {
        let tenant = u32::try_from(place).expect("TENANTS_MAX is below 2^32");
        trace.name(tenant.into()).to_owned()
    };
    let before = Stretch {
        asked: &before,
        length: from_us,
    };
    let after = Stretch {
        asked: &after,
        length: to_us - from_us,
    };
    Ok(verdict(name, before, after, None))
}
