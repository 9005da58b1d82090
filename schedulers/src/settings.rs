//! What a queue is built with.

use std::fmt;
use std::num::NonZeroU32;

use crate::Limits;

/// What a queue is built with; every scheduler of the registry is built from these alone.
///
/// ```
/// use schedulers::{Settings, TenantQueue, discipline::ActiveList};
/// let settings = Settings { tenants_max: 10_000, ..Settings::default() };
/// let queue = TenantQueue::<ActiveList, String>::new(&settings);
/// # let _ = queue;
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Handles from this one on are refused, so that one wild handle cannot allocate gigabytes.
    pub tenants_max: u32,
    /// The most jobs that may wait in the whole queue; a push beyond it is refused.
    pub backlog_max: u32,
    /// The limits of every tenant that was not configured itself.
    pub limits: Limits,
    /// The cost that weight 1 earns in one round. Read by deficit disciplines only.
    pub quantum: Quantum,
}

impl Default for Settings {
    /// A million tenants (2^20), no backlog limit, default [`Limits`], a quantum of 1.
    fn default() -> Self {
        Self {
            tenants_max: 1 << 20,
            backlog_max: u32::MAX,
            limits: Limits::default(),
            quantum: Quantum::UNIT,
        }
    }
}

/// The cost that a tenant of weight 1 may be served in one round of a deficit discipline; at least 1.
///
/// Any quantum gives the right shares. One at or above the usual job cost makes every turn serve
/// something; a far larger one makes turns long and neighbours wait.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Quantum(NonZeroU32);

impl Quantum {
    /// One unit of cost: with jobs of cost 1 and weight 1, plain turns.
    pub const UNIT: Self = Self(NonZeroU32::MIN);

    /// A quantum of this many units of cost.
    ///
    /// # Errors
    ///
    /// [`QuantumZero`] for 0: rounds that earn nothing would never serve anybody.
    pub const fn new(units: u32) -> Result<Self, QuantumZero> {
        match NonZeroU32::new(units) {
            Some(units) => Ok(Self(units)),
            None => Err(QuantumZero),
        }
    }

    /// The number of units, at least 1.
    #[must_use]
    pub const fn units(self) -> u32 {
        self.0.get()
    }
}

/// A quantum of 0 was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuantumZero;

impl fmt::Display for QuantumZero {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a quantum of 0 would never serve anybody: give at least 1")
    }
}

impl std::error::Error for QuantumZero {}
