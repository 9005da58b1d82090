//! `run`: the noisy burst with real workers.

use std::sync::Arc;

use clap::{Args, ValueEnum};
use schedulers::{Locked, Settings};
use serde_json::json;

use super::Answered;
use super::burst_flags::BurstFlags;
use super::output::{Answer, Common, Ending, to_json};
use super::progress::progress;
use super::scheduler_choice::{SchedulerChoice, scheduler_choice};
use super::simulate::strategies;
use crate::drive::{SharedQueue, run_tasks, run_threads, simulate};
use crate::log::Log;
use crate::record::{BurstRecord, RunRecord};
use crate::report::run_page;
use crate::scenario::NoisyBurst;
use crate::scheduler::Scheduler;
use crate::shape_check::shape_checks;
use crate::trace::Trace;
use records::error::BadInput;

const EXAMPLES: &str = "\
Examples:
  cargo lab run                                             every scheduler and strategy, 25 times shorter
  cargo lab run --scheduler rotation --scale 1 --runs 1     one, at full length
  cargo lab run --in-flight-max 4 --workers-as tasks        under a cap, workers as tokio tasks
  cargo lab run --check                                     exit with 3 if the shape disagrees

A busy machine lengthens waits: compare runs of one session, and look at the generator's lag first.";

/// Run the noisy burst with real workers and timers, and compare it with the simulation
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Run {
    #[command(flatten)]
    burst: BurstFlags,
    /// One scheduler, or all, each behind one lock
    #[arg(long, value_name = "NAME", default_value = "all", value_parser = scheduler_choice())]
    scheduler: SchedulerChoice,
    /// Divide all times by this
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..))]
    scale: u32,
    /// How often each is run
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// What a worker is
    #[arg(long, value_enum, default_value_t = WorkersAs::Threads)]
    workers_as: WorkersAs,
    /// Exit with 3 if a comparison with the simulation does not hold
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    common: Common,
}

/// What a worker is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum WorkersAs {
    /// A thread of the operating system.
    Threads,
    /// A tokio task.
    Tasks,
}

/// More threads than this are an accident.
const WORKERS_MAX: u32 = 4_096;

impl Run {
    pub(super) fn run(self) -> Answered {
        let strategies = strategies(&self.parameters()?);
        let schedulers = self.scheduler.schedulers();
        let progress = progress(strategies.len() * schedulers.len());
        let mut records = Vec::new();
        for parameters in &strategies {
            let trace = Arc::new(parameters.trace()?);
            for &scheduler in &schedulers {
                progress.set_message(scheduler.name);
                records.push(self.record(scheduler, parameters, &trace)?);
                progress.inc(1);
            }
        }
        progress.finish_and_clear();
        let promises_nothing = |record: &RunRecord| {
            let scheduler = Scheduler::named(&record.scheduler);
            scheduler.is_some_and(|scheduler| scheduler.lag_max(&Settings::default()).is_none())
        };
        let checks = shape_checks(&records, promises_nothing);
        let fields = json!({
            "scale": self.scale,
            "schedulers": to_json(&records),
            "shape": to_json(&checks),
        });
        Ok(Answer {
            common: self.common,
            document: self.common.document("run", fields),
            rows: "schedulers",
            page: run_page(&records, &checks, self.scale),
            ending: Ending::of(!self.check || checks.iter().all(|check| check.holds)),
        })
    }

    /// The shortened scenario, refused where a real run of it could not be, or would not end.
    fn parameters(&self) -> Result<NoisyBurst, BadInput> {
        let parameters = self.burst.parameters()?.shortened(self.scale);
        let NoisyBurst {
            workers,
            service_us,
            period_us,
            in_flight_max,
            ..
        } = parameters;
        if workers > WORKERS_MAX {
            return Err(BadInput::new(format!(
                "{workers} workers are more than the {WORKERS_MAX} that a real run may have"
            )));
        }
        if service_us == 0 || period_us == 0 {
            return Err(BadInput::new(format!(
                "at --scale {} a job or a period takes less than a microsecond",
                self.scale
            )));
        }
        if in_flight_max == Some(0) {
            return Err(BadInput::new(
                "a cap of 0 serves nothing: the run would never end",
            ));
        }
        Ok(parameters)
    }

    fn record(
        &self,
        scheduler: Scheduler,
        parameters: &NoisyBurst,
        trace: &Arc<Trace>,
    ) -> Result<RunRecord, BadInput> {
        let pool = parameters.pool();
        let settings = pool.settings(trace);
        let simulated = simulate(trace, &pool, &mut scheduler.build(&settings));
        let simulated = BurstRecord::new(scheduler.name, parameters, trace, &simulated, 0);
        let logs: Vec<Log> = (0..self.runs)
            .map(|_| {
                let queue: Arc<SharedQueue> = Arc::new(Locked::new(scheduler.build(&settings)));
                match self.workers_as {
                    WorkersAs::Threads => Ok(run_threads(trace, &pool, &*queue)),
                    WorkersAs::Tasks => run_tasks(trace, &pool, &queue),
                }
            })
            .collect::<Result<_, _>>()?;
        Ok(RunRecord::new(simulated, trace, &logs))
    }
}
