//! How hard the random laws look, and from which seed.

use std::env;
use std::str::FromStr;

/// How many random operations a law goes through, and the seed that they come from.
///
/// The same effort gives the same operations, on every platform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// A random law goes through at least this many operations with each scheduler.
    pub operations: u64,
    /// The seed.
    pub seed: u64,
    /// The name of the law, so that no two laws go through the same operations.
    law: &'static str,
}

impl Effort {
    /// Some operations from a seed.
    #[must_use]
    pub const fn new(operations: u64, seed: u64) -> Self {
        Self {
            operations,
            seed,
            law: "",
        }
    }

    /// As `LAWS_OPERATIONS` and `LAWS_SEED` say; without them 10,000 operations from seed 1.
    ///
    /// # Panics
    ///
    /// If one of them is set and is not a number.
    #[must_use]
    pub fn from_environment() -> Self {
        Self::new(number("LAWS_OPERATIONS", 10_000), number("LAWS_SEED", 1))
    }

    pub(super) const fn of_law(self, law: &'static str) -> Self {
        Self { law, ..self }
    }

    /// The seed of the law's own random numbers.
    pub(super) fn seed_bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        let own = self.seed.to_le_bytes().into_iter().chain(self.law.bytes());
        for (byte, own) in bytes.iter_mut().zip(own) {
            *byte = own;
        }
        bytes
    }
}

fn number<N: FromStr>(variable: &str, default: N) -> N {
    let Ok(text) = env::var(variable) else {
        return default;
    };
    let number = text.parse().ok();
    number.unwrap_or_else(|| panic!("{variable} must be a whole number, and is {text:?}"))
}
