//! `simulate`: the noisy burst in simulated time.

use std::time::Instant;

use clap::Args;
use serde_json::json;

use super::Answered;
use super::burst_flags::BurstFlags;
use super::output::{Answer, Common, Ending, to_json};
use super::progress::doing;
use super::scheduler_choice::{SchedulerChoice, scheduler_choice};
use crate::drive::simulate;
use crate::record::BurstRecord;
use crate::report::{burst_page, burst_study};
use crate::scenario::NoisyBurst;
use crate::scheduler::{SCHEDULERS, Scheduler};
use records::error::BadInput;
use records::number::real;

const EXAMPLES: &str = "\
Examples:
  cargo lab simulate                                     the whole study, beside the published figures
  cargo lab simulate --scheduler all --in-flight-max 4   every scheduler under a cap
  cargo lab simulate --scheduler rotation --json         one result, as JSON
  cargo lab simulate --scheduler active_list --normal-tenants 9999 --burst-jobs 500000 --workers 64";

/// Simulate the noisy burst, exactly, in integer microseconds
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Simulate {
    #[command(flatten)]
    burst: BurstFlags,
    /// One scheduler, or all. Without it: the whole study, every strategy beside the published figures
    #[arg(long, value_name = "NAME", value_parser = scheduler_choice())]
    scheduler: Option<SchedulerChoice>,
    /// List so many tenants one by one, in JSON; the others are one entry
    #[arg(long, default_value_t = 25)]
    top: usize,
    #[command(flatten)]
    common: Common,
}

/// The limits that the study compares: none, a cap, a cap and a backlog limit.
const STRATEGIES: [(Option<u32>, Option<u32>); 3] =
    [(None, None), (Some(4), None), (Some(4), Some(100))];

/// The scenario under the limits of the study, or under its own where it has any.
pub(super) fn strategies(parameters: &NoisyBurst) -> Vec<NoisyBurst> {
    let NoisyBurst {
        in_flight_max,
        backlog_max,
        rate_limit,
        ..
    } = parameters;
    if in_flight_max.is_some() || backlog_max.is_some() || rate_limit.is_some() {
        return vec![*parameters];
    }
    let with = |(in_flight_max, backlog_max)| NoisyBurst {
        in_flight_max,
        backlog_max,
        ..*parameters
    };
    STRATEGIES.map(with).to_vec()
}

impl Simulate {
    pub(super) fn run(self) -> Answered {
        let parameters = self.burst.parameters()?;
        let Some(choice) = self.scheduler else {
            let records = self.records(SCHEDULERS, &strategies(&parameters))?;
            let fields = json!({ "schedulers": to_json(&records) });
            return Ok(self.answer(fields, burst_study(&records)));
        };
        let records = self.records(&choice.schedulers(), &[parameters])?;
        let fields = match (choice, records.as_slice()) {
            (SchedulerChoice::One(_), [record]) => to_json(record),
            _ => json!({ "schedulers": to_json(&records) }),
        };
        Ok(self.answer(fields, burst_page(&records)))
    }

    fn answer(&self, fields: serde_json::Value, page: records::page::Page) -> Answer {
        Answer {
            common: self.common,
            document: self.common.document("simulate", fields),
            rows: "schedulers",
            page,
            ending: Ending::Well,
        }
    }

    /// All schedulers under all strategies. How fast each ran goes to standard error.
    fn records(
        &self,
        schedulers: &[Scheduler],
        strategies: &[NoisyBurst],
    ) -> Result<Vec<BurstRecord>, BadInput> {
        let mut records = Vec::new();
        for parameters in strategies {
            let (trace, pool) = (parameters.trace()?, parameters.pool());
            for scheduler in schedulers {
                let mut queue = scheduler.build(&pool.settings(&trace));
                let start = Instant::now();
                let log = simulate(&trace, &pool, &mut queue);
                let seconds = start.elapsed().as_secs_f64();
                let events = log.events.len();
                doing(&format!(
                    "{}: {events} events in {seconds:.3} s, {:.0} events per second",
                    scheduler.name,
                    real(events as u64) / seconds
                ));
                records.push(BurstRecord::new(
                    scheduler.name,
                    parameters,
                    &trace,
                    &log,
                    self.top,
                ));
            }
        }
        Ok(records)
    }
}
