//! What a law is, who is held to it, and what is said when it is broken.

use std::any::Any;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};

use super::{Effort, Job};
use crate::{FairQueue, Settings};

/// A scheduler under the laws.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    /// What it is called in a [`Violation`].
    pub name: &'static str,
    /// Builds an empty queue.
    pub new: fn(&Settings) -> Box<dyn FairQueue<Job>>,
}

/// A law, and how it is checked.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// Its name.
    pub name: &'static str,
    /// What every scheduler must do.
    pub statement: &'static str,
    /// Gives the number of operations that were checked.
    pub(super) verify: fn(&Subject, &Effort) -> Result<u64, Breach>,
}

/// What went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach {
    /// What the law demands.
    pub expected: String,
    /// What the scheduler did.
    pub seen: String,
    /// The shortest sequence of operations found that does it; empty where the law itself, a script,
    /// says which.
    pub operations: Vec<String>,
}

/// A law that was broken, by whom, how, and how to see it again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The name of the law.
    pub law: &'static str,
    /// What the law says.
    pub statement: &'static str,
    /// The scheduler that broke it.
    pub scheduler: &'static str,
    /// What it did.
    pub breach: Breach,
    /// How hard was looked, and from which seed.
    pub effort: Effort,
}

impl Law {
    /// Holds one scheduler to this law, and gives the number of operations that were checked. A
    /// panic of the scheduler breaks the law too.
    ///
    /// # Errors
    ///
    /// What the scheduler did instead.
    pub fn check(&self, subject: &Subject, effort: &Effort) -> Result<u64, Box<Violation>> {
        let law = (self.name, self.statement);
        judge(law, subject.name, effort, |effort| {
            (self.verify)(subject, effort)
        })
    }
}

/// Holds a scheduler to a law of this name and statement. A panic breaks the law too.
pub(super) fn judge(
    (law, statement): (&'static str, &'static str),
    scheduler: &'static str,
    effort: &Effort,
    verify: impl FnOnce(&Effort) -> Result<u64, Breach>,
) -> Result<u64, Box<Violation>> {
    let effort = effort.of_law(law);
    let breach = match panic::catch_unwind(AssertUnwindSafe(|| verify(&effort))) {
        Ok(Ok(operations)) => return Ok(operations),
        Ok(Err(breach)) => breach,
        Err(panic) => Breach::new("no panic", panic_message(&*panic)),
    };
    Err(Box::new(Violation {
        law,
        statement,
        scheduler,
        breach,
        effort,
    }))
}

impl Breach {
    /// What was expected, and what was seen instead.
    pub(super) fn new(expected: impl Into<String>, seen: impl Into<String>) -> Self {
        Self {
            expected: expected.into(),
            seen: seen.into(),
            operations: Vec::new(),
        }
    }
}

/// Checks that what was seen is what was expected; `what` names it.
pub(super) fn expect<T: PartialEq + fmt::Debug>(
    what: &str,
    expected: &T,
    seen: &T,
) -> Result<(), Breach> {
    if expected == seen {
        Ok(())
    } else {
        Err(Breach::new(
            format!("{what}: {expected:?}"),
            format!("{seen:?}"),
        ))
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let literal = panic.downcast_ref::<&str>().map(ToString::to_string);
    let message = literal.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("a panic: {}", message.unwrap_or_default())
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            law,
            statement,
            scheduler,
            breach,
            effort,
        } = self;
        writeln!(formatter, "{scheduler} breaks the law `{law}`: {statement}")?;
        writeln!(formatter, "  expected: {}", breach.expected)?;
        writeln!(formatter, "  seen:     {}", breach.seen)?;
        for operation in &breach.operations {
            writeln!(formatter, "  after     {operation}")?;
        }
        write!(
            formatter,
            "  replay:   LAWS_SEED={} LAWS_OPERATIONS={}",
            effort.seed, effort.operations
        )
    }
}

impl std::error::Error for Violation {}
