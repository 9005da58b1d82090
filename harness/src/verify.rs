//! Verification: each scenario's expected answers, and the laws of every run, before anything is timed.

use serde::Serialize;
use serde_json::Value;

use crate::drive::{Pool, simulate};
use crate::laws::broken_laws;
use crate::log::Log;
use crate::record::{BurstRecord, PoolRecord, ReplayRecord, ReplayRow};
use crate::scenario::{Expectation, Names, NoisyBurst, Parameters, Scenario, differences};
use crate::scheduler::{SCHEDULERS, Scheduler};
use crate::trace::Trace;
use records::error::BadInput;

/// How one check came out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Check {
    /// The scenario.
    pub scenario: String,
    /// What was checked: an expectation, by its place in the file, or the laws.
    pub what: String,
    /// The scheduler; empty where there is none.
    pub scheduler: String,
    /// How it came out.
    pub outcome: Outcome,
    /// What failed, or why it was skipped; empty for what passed.
    pub reasons: Vec<String>,
}

/// How a check can come out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// All is as expected.
    Passed,
    /// Something is not.
    Failed,
    /// It could not be checked here.
    Skipped,
}

/// Checks everything that a scenario expects, under the schedulers that `chosen` accepts.
///
/// # Errors
///
/// If the scenario itself cannot be run.
pub fn verify(scenario: &Scenario, chosen: impl Fn(&str) -> bool) -> Result<Vec<Check>, BadInput> {
    let mut checks = Vec::new();
    for (index, expectation) in scenario.expect.iter().enumerate() {
        let what = format!("expectation {}", index + 1);
        let check = |scheduler: &str, outcome, reasons| Check {
            scenario: scenario.name.clone(),
            what: what.clone(),
            scheduler: scheduler.to_owned(),
            outcome,
            reasons,
        };
        match prepare(&scenario.parameters(&expectation.with)?)? {
            Prepared::Answer(answer) => checks.push(judge(&answer, expectation, &check, "")),
            Prepared::Runs(runs) => {
                for name in names(&expectation.scheduler)
                    .into_iter()
                    .filter(|name| chosen(name))
                {
                    let Some(scheduler) = Scheduler::named(&name) else {
                        let reason = format!("no scheduler {name} is registered");
                        checks.push(check(&name, Outcome::Skipped, vec![reason]));
                        continue;
                    };
                    let (answer, broken) = runs.run(scheduler);
                    checks.push(judge(&answer, expectation, &check, &name));
                    let outcome = if broken.is_empty() {
                        Outcome::Passed
                    } else {
                        Outcome::Failed
                    };
                    checks.push(Check {
                        what: "laws".to_owned(),
                        ..check(&name, outcome, broken)
                    });
                }
            }
        }
    }
    Ok(checks)
}

fn judge(
    answer: &Value,
    expectation: &Expectation,
    check: &impl Fn(&str, Outcome, Vec<String>) -> Check,
    scheduler: &str,
) -> Check {
    let found = differences(answer, &expectation.result);
    let outcome = if found.is_empty() {
        Outcome::Passed
    } else {
        Outcome::Failed
    };
    check(scheduler, outcome, found)
}

fn names(names: &Names) -> Vec<String> {
    match names {
        Names::One(name) if name == "all" => SCHEDULERS
            .iter()
            .map(|scheduler| scheduler.name.to_owned())
            .collect(),
        Names::One(name) => vec![name.clone()],
        Names::Several(names) => names.clone(),
    }
}

/// An instance of a scenario, as far as it is the same for all schedulers.
enum Prepared {
    /// It takes no scheduler, and this is its answer.
    Answer(Value),
    /// It is answered scheduler by scheduler.
    Runs(Runs),
}

/// A trace, a pool, and what a record of a run says beside it.
struct Runs {
    trace: Trace,
    pool: Pool,
    about: About,
}

/// What is known before any scheduler ran.
enum About {
    NoisyBurst(NoisyBurst),
    Replay(Box<ReplayRecord>),
}

fn to_json(record: impl Serialize) -> Value {
    serde_json::to_value(record).expect("records have text keys and finite numbers")
}

fn prepare(parameters: &Parameters) -> Result<Prepared, BadInput> {
    Ok(match parameters {
        Parameters::SharedPool(parameters) => {
            Prepared::Answer(to_json(PoolRecord::new(parameters, &parameters.play()?)))
        }
        Parameters::NoisyBurst(parameters) => Prepared::Runs(Runs {
            trace: parameters.trace()?,
            pool: parameters.pool(),
            about: About::NoisyBurst(*parameters),
        }),
        Parameters::Replay(replay) => {
            let source = replay.source()?;
            let pool = replay.pool(&source.trace);
            let record = ReplayRecord::new(String::new(), &source, pool.workers);
            Prepared::Runs(Runs {
                trace: source.trace,
                pool,
                about: About::Replay(Box::new(record)),
            })
        }
    })
}

impl Runs {
    /// The answer of one scheduler, and the laws that its run broke.
    fn run(&self, scheduler: Scheduler) -> (Value, Vec<String>) {
        let settings = self.pool.settings(&self.trace);
        let log = simulate(&self.trace, &self.pool, &mut scheduler.build(&settings));
        let promise = scheduler.lag_max(&settings);
        let broken = broken_laws(&self.trace, &log, &self.pool.limits, promise);
        (self.answer(scheduler.name, &log), broken)
    }

    fn answer(&self, scheduler: &str, log: &Log) -> Value {
        match &self.about {
            About::NoisyBurst(parameters) => {
                to_json(BurstRecord::new(scheduler, parameters, &self.trace, log, 0))
            }
            About::Replay(about) => {
                // The fields of the one scheduler stand beside those of the trace.
                let row = ReplayRow::new(scheduler, &self.pool, &self.trace, log, 0);
                let (mut answer, row) = (to_json(about), to_json(row));
                let fields = answer.as_object_mut().zip(row.as_object());
                let (answer_fields, row_fields) = fields.expect("records are objects");
                answer_fields.extend(row_fields.clone());
                answer
            }
        }
    }
}
