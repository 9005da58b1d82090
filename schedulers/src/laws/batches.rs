//! The law of batches.

use super::law::{Breach, Law, Subject};
use super::operation::{Operation, scripts};
use super::run::{Answer, Run};
use super::same::side_by_side;
use super::{Effort, random};

pub(super) const BATCHES_ARE_SINGLE_CALLS: Law = Law {
    name: "batches_are_single_calls",
    statement: "a batch is answered as single calls would be, in their order, and leaves the same queue",
    verify: batches_are_single_calls,
};

fn batches_are_single_calls(subject: &Subject, effort: &Effort) -> Result<u64, Breach> {
    random::for_each_script(effort, scripts(), |script| {
        side_by_side([subject, subject], script, |twin, operation, _| {
            apply_singly(twin, operation).map(Some)
        })
    })
}

/// The calls that a batch stands for: up to `max` takes, until there is nothing to take; each push,
/// each completion.
fn apply_singly(run: &mut Run, operation: &Operation) -> Result<Vec<Answer>, Breach> {
    let mut answers = Vec::new();
    if let Operation::TakeBatch(max) = *operation {
        while answers.len() < max && answers.last() != Some(&Answer::Taken(None)) {
            answers.extend(run.apply(&Operation::Take)?);
        }
    } else {
        for single in operation.singles() {
            answers.extend(run.apply(&single)?);
        }
    }
    Ok(answers)
}
