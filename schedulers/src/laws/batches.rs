//! The law of batches.

use super::law::{Breach, Law, Subject, expect};
use super::operation::{Operation, scripts};
use super::run::{Answer, Run};
use super::{Effort, random};

pub(super) const BATCHES_ARE_SINGLE_TAKES: Law = Law {
    name: "batches_are_single_takes",
    statement: "a batch is the jobs that single takes would give, in their order, and leaves the same queue",
    verify: batches_are_single_takes,
};

fn batches_are_single_takes(subject: &Subject, effort: &Effort) -> Result<u64, Breach> {
    random::for_each_script(effort, scripts(), |script| {
        let mut run = Run::new(subject, &script.settings, None);
        let mut twin = Run::new(subject, &script.settings, None);
        let mut operations = 0;
        for operation in script.unfolded() {
            let answers = run.apply(&operation)?;
            let singles = match operation {
                Operation::TakeBatch(max) => take_singly(&mut twin, max)?,
                _ => twin.apply(&operation)?,
            };
            expect("the answers of single takes", &singles, &answers)?;
            operations += 1;
        }
        Ok(operations)
    })
}

/// Up to `max` takes, until there is nothing to take.
fn take_singly(run: &mut Run, max: usize) -> Result<Vec<Answer>, Breach> {
    let mut answers = Vec::new();
    while answers.len() < max && answers.last() != Some(&Answer::Taken(None)) {
        answers.extend(run.apply(&Operation::Take)?);
    }
    Ok(answers)
}
