//! Whether real workers bear the simulation out, within stated tolerances.

use serde::Serialize;

use crate::record::RunRecord;
use records::number::real;

/// Every fix is at least so many times better than the plain queue at the neighbours' p95, where
/// the simulation says so with room to spare.
const BETTER_MIN: f64 = 350.0;
/// Where it does not, so much of what the simulation says: late timers and woken threads add to a
/// short wait, and hardly to the plain queue's long one.
const OF_SIMULATED_MIN: f64 = 0.5;
/// A fair queue without a cap ends the noisy tenant's jobs within this of the plain queue's time.
const NOISY_TIME_MORE_MAX: f64 = 0.25;
/// Idle workers are within this of the simulation's.
const IDLE_WORKERS_OFF_MAX: f64 = 1.0;

/// One comparison.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ShapeCheck {
    /// What is compared.
    pub what: String,
    /// The figure.
    pub figure: f64,
    /// What it should be, in words.
    pub expected: String,
    /// Whether it is.
    pub holds: bool,
}

/// All comparisons that the records allow. Those with the plain queue need a run of it, without
/// limits: `plain` says which records are of a scheduler that promises no fairness.
#[must_use]
pub fn shape_checks(records: &[RunRecord], plain: impl Fn(&RunRecord) -> bool) -> Vec<ShapeCheck> {
    let is_unlimited = |record: &RunRecord| {
        record.parameters.in_flight_max.is_none() && record.parameters.backlog_max.is_none()
    };
    let is_problem = |record: &&RunRecord| plain(record) && is_unlimited(record);
    let problem = records.iter().find(is_problem);
    let mut checks = Vec::new();
    for record in records {
        checks.push(idle_workers(record));
        let Some(problem) = problem.filter(|_| !is_problem(&record)) else {
            continue;
        };
        checks.extend(better(record, problem));
        if is_unlimited(record) {
            checks.extend(noisy_time(record, problem));
        }
    }
    checks
}

fn name(record: &RunRecord) -> String {
    let limit = |name: &str, limit: Option<u32>| {
        limit.map_or(String::new(), |limit| format!(", {name} {limit}"))
    };
    let (cap, backlog) = (
        record.parameters.in_flight_max,
        record.parameters.backlog_max,
    );
    format!(
        "{}{}{}",
        record.scheduler,
        limit("cap", cap),
        limit("limit", backlog)
    )
}

fn idle_workers(record: &RunRecord) -> ShapeCheck {
    let simulated = record.simulated.idle.idle_workers_under_load;
    let figure = record.idle_workers_under_load;
    ShapeCheck {
        what: format!("{}: idle workers under load", name(record)),
        figure,
        expected: format!("{simulated:.1} as simulated, give or take {IDLE_WORKERS_OFF_MAX:.0}"),
        holds: (figure - simulated).abs() <= IDLE_WORKERS_OFF_MAX,
    }
}

fn better(record: &RunRecord, problem: &RunRecord) -> Option<ShapeCheck> {
    let times_better = |wait: Option<u64>, problem_wait: Option<u64>| {
        let (wait, problem_wait) = wait.zip(problem_wait)?;
        Some(real(problem_wait) / real(wait.max(1)))
    };
    let simulated = times_better(record.simulated.p95_us, problem.simulated.p95_us)?;
    let figure = times_better(record.p95_us.median, problem.p95_us.median)?;
    let least = BETTER_MIN.min(simulated * OF_SIMULATED_MIN);
    Some(ShapeCheck {
        what: format!(
            "{}: neighbours' p95, times better than {}",
            name(record),
            name(problem)
        ),
        figure,
        expected: format!("at least {least:.0} (simulated {simulated:.0})"),
        holds: figure >= least,
    })
}

fn noisy_time(record: &RunRecord, problem: &RunRecord) -> Option<ShapeCheck> {
    let (time, problem_time) = record
        .noisy_after_burst_us
        .median
        .zip(problem.noisy_after_burst_us.median)?;
    let figure = real(time) / real(problem_time);
    Some(ShapeCheck {
        what: format!(
            "{}: noisy tenant's time over that under {}",
            name(record),
            name(problem)
        ),
        figure,
        expected: format!("at most {:.2}", 1.0 + NOISY_TIME_MORE_MAX),
        holds: figure <= 1.0 + NOISY_TIME_MORE_MAX,
    })
}
