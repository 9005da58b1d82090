//! Verification: each scenario's expected answers, and the laws of every run, before anything is timed.

use serde::Serialize;
use serde_json::Value;

use crate::drive::{Pool, simulate};
use crate::error::BadInput;
use crate::laws::broken_laws;
use crate::record::{BurstRecord, PoolRecord, ReplayRecord, ReplayRow};
use crate::scenario::{Expectation, Names, Parameters, Scenario, differences};
use crate::scheduler::{SCHEDULERS, Scheduler};
use crate::trace::Trace;

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
            Prepared::Absent(reason) => checks.push(check("", Outcome::Skipped, vec![reason])),
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
    /// Its trace is not here.
    Absent(String),
    /// It takes no scheduler, and this is its answer.
    Answer(Value),
    /// It is answered scheduler by scheduler.
    Runs(Runs),
}

/// A trace and a pool, and what makes a record of a run.
struct Runs {
    trace: Trace,
    pool: Pool,
    answer: Box<dyn Fn(&str, &Trace, &crate::log::Log) -> Value>,
}

fn to_json(record: impl Serialize) -> Value {
    serde_json::to_value(record).expect("records have text keys and finite numbers")
}

fn prepare(parameters: &Parameters) -> Result<Prepared, BadInput> {
    Ok(match parameters {
        Parameters::SharedPool(parameters) => {
            Prepared::Answer(to_json(PoolRecord::new(parameters, &parameters.play()?)))
        }
        Parameters::NoisyBurst(parameters) => {
            let parameters = *parameters;
            Prepared::Runs(Runs {
                trace: parameters.trace()?,
                pool: parameters.pool(),
                answer: Box::new(move |name, trace, log| {
                    to_json(BurstRecord::new(name, &parameters, trace, log, 0))
                }),
            })
        }
        Parameters::Replay(replay) if replay.optional && !replay.file.exists() => {
            Prepared::Absent(format!("{} is not here", replay.file.display()))
        }
        Parameters::Replay(replay) => {
            let source = replay.source()?;
            let pool = replay.pool(&source.trace);
            let about = to_json(ReplayRecord::new(
                String::new(),
                &source,
                replay.seed,
                pool.workers,
            ));
            Prepared::Runs(Runs {
                trace: source.trace,
                pool,
                answer: Box::new(move |name, trace, log| {
                    // The fields of the one scheduler stand beside those of the trace.
                    let row = to_json(ReplayRow::new(name, &pool, trace, log, 0));
                    let (mut answer, Value::Object(row)) = (about.clone(), row) else {
                        unreachable!("a row is an object")
                    };
                    answer
                        .as_object_mut()
                        .expect("a record is an object")
                        .extend(row);
                    answer
                }),
            })
        }
    })
}

impl Runs {
    fn run(&self, scheduler: Scheduler) -> (Value, Vec<String>) {
        let mut queue = scheduler.build(&self.pool.settings(&self.trace));
        let log = simulate(&self.trace, &self.pool, &mut queue);
        let broken = broken_laws(
            &self.trace,
            &log,
            &self.pool.limits,
            scheduler.lag_max(&self.pool.settings(&self.trace)),
        );
        ((self.answer)(scheduler.name, &self.trace, &log), broken)
    }
}
