//! Why a contender gets no number.

use std::fmt;

use records::runs::Outcome;

/// Why a contender was not timed, or its time was thrown away.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// It answered as no queue may, or its time cannot be true. The run fails.
    Wrong(String),
    /// It is right, but one batch outlasted the limit. No number, and no failure.
    Slow(String),
    /// It is right, but its threads were hardly ever at the queue at the same time. No number, and no
    /// failure.
    Void(String),
}

impl Failure {
    /// A wrong answer, in words.
    ///
    /// # Errors
    ///
    /// Always: this makes one.
    pub fn wrong<T>(reason: impl Into<String>) -> Result<T, Self> {
        Err(Self::Wrong(reason.into()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrong(reason) => write!(formatter, "FAILED: {reason}"),
            Self::Slow(reason) => write!(formatter, "slow: {reason}"),
            Self::Void(reason) => write!(formatter, "void: {reason}"),
        }
    }
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Wrong(reason) => Self::Failed(reason),
            Failure::Slow(reason) => Self::Slow(reason),
            Failure::Void(reason) => Self::Void(reason),
        }
    }
}
