//! Laws that compare two runs, answer by answer.

use super::law::{Breach, Law, Subject, Violation};
use super::operation::{Operation, Script, scripts};
use super::run::{Answer, Run};
use super::{Effort, random};

pub(super) const IDLE_CALLS_CHANGE_NOTHING: Law = Law {
    name: "idle_calls_change_nothing",
    statement: "without the calls that were refused or named no waiting job, all else is the same",
    verify: idle_calls_change_nothing,
};

/// A refused push that left a trace, in the order of turns say, would show here.
fn idle_calls_change_nothing(subject: &Subject, effort: &Effort) -> Result<u64, Breach> {
    random::for_each_script(effort, scripts(), |script| {
        side_by_side([subject, subject], script, |twin, operation, answers| {
            if answers.iter().all(is_idle) {
                Ok(None)
            } else {
                twin.apply(operation).map(Some)
            }
        })
    })
}

/// Two runs of a script, answer by answer. The second is shown each operation and what the first
/// answered, and does what it is to be compared by, or nothing.
pub(super) fn side_by_side(
    subjects: [&Subject; 2],
    script: &Script,
    second: impl Fn(&mut Run, &Operation, &[Answer]) -> Result<Option<Vec<Answer>>, Breach>,
) -> Result<u64, Breach> {
    let [mut run, mut twin] = subjects.map(|subject| Run::new(subject, &script.settings, None));
    let mut operations = 0;
    for operation in script.unfolded() {
        let answers = run.apply(&operation)?;
        if let Some(others) = second(&mut twin, &operation, &answers)?
            && others != answers
        {
            return Err(Breach::new(
                format!("{operation:?} gives {answers:?}"),
                format!("{others:?}"),
            ));
        }
        operations += 1;
    }
    Ok(operations)
}

/// Whether the call did nothing. A take that gives `None` is not among these: it may pass over the
/// places of tenants that left the order, which then come back at its end.
const fn is_idle(answer: &Answer) -> bool {
    matches!(
        answer,
        Answer::Pushed(_, Err(_)) | Answer::Cancelled(_, None) | Answer::Changed(_, Err(_))
    )
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
    let compared = random::for_each_script(&effort, scripts(), |script| {
        side_by_side([model, other], script, |other, operation, _| {
            other.apply(operation).map(Some)
        })
    });
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
