//! Laws that compare two runs, answer by answer.

use super::law::{Breach, Law, Subject, Violation};
use super::operation::{Operation, Script, scripts};
use super::run::{Answer, Run};
use super::{Effort, random};

pub(super) const IDLE_CALLS_CHANGE_NOTHING: Law = Law {
    name: "idle_calls_change_nothing",
    statement: "without the calls that were refused, found nothing or repeated one, all else is the same",
    verify: idle_calls_change_nothing,
};

/// A refused push that left a trace, in the order of turns say, would show here.
fn idle_calls_change_nothing(subject: &Subject, effort: &Effort) -> Result<u64, Breach> {
    random::for_each_script(effort, scripts(), |script| {
        let mut run = Run::new(subject, &script.settings, None);
        let mut twin = Run::new(subject, &script.settings, None);
        let mut operations = 0;
        for operation in script.unfolded() {
            let answers = run.apply(&operation)?;
            if !answers.iter().all(is_idle) {
                compare(&operation, &answers, &twin.apply(&operation)?)?;
            }
            operations += 1;
        }
        Ok(operations)
    })
}

/// Whether the call did nothing.
const fn is_idle(answer: &Answer) -> bool {
    matches!(
        answer,
        Answer::Pushed(_, Err(_))
            | Answer::Taken(None)
            | Answer::Cancelled(_, None)
            | Answer::Changed(_, Err(_))
    )
}

fn compare(operation: &Operation, expected: &[Answer], seen: &[Answer]) -> Result<(), Breach> {
    if expected == seen {
        return Ok(());
    }
    Err(Breach::new(
        format!("{operation:?} gives {expected:?}"),
        format!("{seen:?}"),
    ))
}

/// Compares two schedulers that are to have the same order, job for job, under random operations,
/// and gives how many there were.
///
/// # Errors
///
/// The first operation that `other` answers differently from `model`.
pub fn check_same(
    model: &Subject,
    other: &Subject,
    effort: &Effort,
) -> Result<u64, Box<Violation>> {
    let effort = effort.of_law("same");
    let compared = random::for_each_script(&effort, scripts(), |script| same(model, other, script));
    compared.map_err(|breach| {
        Box::new(Violation {
            law: "same",
            statement: "the order is that of another scheduler, job for job",
            scheduler: other.name,
            breach,
            effort,
        })
    })
}

fn same(model: &Subject, other: &Subject, script: &Script) -> Result<u64, Breach> {
    let mut model = Run::new(model, &script.settings, None);
    let mut other = Run::new(other, &script.settings, None);
    let mut operations = 0;
    for operation in script.unfolded() {
        compare(
            &operation,
            &model.apply(&operation)?,
            &other.apply(&operation)?,
        )?;
        operations += 1;
    }
    Ok(operations)
}
