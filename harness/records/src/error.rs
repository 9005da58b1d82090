//! What a user did wrong, or the environment: one sentence that says what, where and what to do.

use std::fmt;

/// Bad input or a bad environment. The message stands alone: it names the file and line if there is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadInput(String);

impl BadInput {
    /// With this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for BadInput {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for BadInput {}
