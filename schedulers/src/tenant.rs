//! The nouns of every call: who pushes, what a job costs, and what a tenant is entitled to.
//!
//! Each is a newtype, so that two bare integers never stand side by side in a signature.

use std::fmt;
use std::num::NonZeroU32;

/// A dense handle of a tenant: 0, 1, 2, ... in whatever order the caller first meets them.
///
/// A queue keeps one lane for every handle up to the largest one it has seen, so handles should be
/// dense. A handle at or beyond [`Settings::tenants_max`](crate::Settings::tenants_max) is refused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tenant(u32);

impl Tenant {
    /// The tenant with this dense index.
    #[must_use]
    pub const fn new(index: u32) -> Self {
        Self(index)
    }

    /// The dense index.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.0
    }

    /// The tenant of this position in a table of lanes, which is never that long.
    #[inline]
    #[allow(clippy::cast_possible_truncation)]
    pub(crate) const fn at(position: usize) -> Self {
        Self(position as u32)
    }

    /// The index as a position in a table of lanes.
    #[inline]
    pub(crate) const fn position(self) -> usize {
        self.0 as usize
    }
}

impl From<u32> for Tenant {
    fn from(index: u32) -> Self {
        Self::new(index)
    }
}

impl fmt::Display for Tenant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "tenant {}", self.0)
    }
}

/// What a job costs, in units of the caller's choice: tokens, milliseconds, bytes, or just 1.
///
/// Zero is allowed. A discipline that counts cost charges at least one unit a turn, so that a
/// stream of free jobs cannot hold the pool for ever.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cost(u32);

impl Cost {
    /// A job that costs nothing by the caller's account.
    pub const ZERO: Self = Self(0);
    /// One unit: the cost to give when all jobs are alike.
    pub const UNIT: Self = Self(1);
    /// The largest cost of one job.
    pub const MAX: Self = Self(u32::MAX);

    /// A cost of this many units.
    #[must_use]
    pub const fn new(units: u32) -> Self {
        Self(units)
    }

    /// The number of units.
    #[must_use]
    pub const fn units(self) -> u32 {
        self.0
    }
}

impl From<u32> for Cost {
    fn from(units: u32) -> Self {
        Self::new(units)
    }
}

/// A tenant's weight: while both have work, a tenant of weight 3 is entitled to three times the
/// cost served to a tenant of weight 1. From 1 to [`Weight::MAX`]; a weight of zero does not exist
/// (pause the tenant, or set `in_flight_max` to 0, to serve it nothing).
///
/// ```
/// use schedulers::Weight;
/// assert_eq!(Weight::new(3)?.get(), 3);
/// assert!(Weight::new(0).is_err());
/// # Ok::<(), schedulers::WeightOutOfRange>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Weight(NonZeroU32);

impl Weight {
    /// The weight of a tenant that nobody configured.
    pub const ONE: Self = Self(NonZeroU32::MIN);
    /// The largest weight. A bound this low keeps `quantum x weight` far inside 64 bits.
    pub const MAX: Self = Self(NonZeroU32::new(1_000_000).unwrap());

    /// A weight of this value.
    ///
    /// # Errors
    ///
    /// [`WeightOutOfRange`] for 0 and for anything above [`Weight::MAX`].
    pub const fn new(value: u32) -> Result<Self, WeightOutOfRange> {
        match NonZeroU32::new(value) {
            Some(weight) if value <= Self::MAX.get() => Ok(Self(weight)),
            _ => Err(WeightOutOfRange { value }),
        }
    }

    /// The value, at least 1.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0.get()
    }
}

impl TryFrom<u32> for Weight {
    type Error = WeightOutOfRange;

    fn try_from(value: u32) -> Result<Self, WeightOutOfRange> {
        Self::new(value)
    }
}

/// The weight asked for is 0 or above [`Weight::MAX`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WeightOutOfRange {
    /// The value that was refused.
    pub value: u32,
}

impl fmt::Display for WeightOutOfRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, max) = (self.value, Weight::MAX.get());
        write!(
            formatter,
            "weight {value} is out of range: give 1 to {max}, or pause the tenant to serve it nothing"
        )
    }
}

impl std::error::Error for WeightOutOfRange {}

/// What one tenant is entitled to and held to.
///
/// ```
/// use schedulers::{Limits, Weight};
/// let limits = Limits { weight: Weight::new(3)?, in_flight_max: 4, ..Limits::default() };
/// assert_eq!(limits.backlog_max, u32::MAX); // unlimited
/// # Ok::<(), schedulers::WeightOutOfRange>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Limits {
    /// The share of service, relative to other tenants with work. Read by weighted disciplines.
    pub weight: Weight,
    /// The most jobs that may be in flight at once; at this cap the tenant is parked. 0 serves
    /// nothing while it lasts; `u32::MAX` is no cap. (They are counted in 31 bits: 2^31 - 1 jobs in
    /// flight, dropped tickets among them, park any tenant.)
    pub in_flight_max: u32,
    /// The most jobs that may wait; a push beyond it is refused. 0 refuses every push; `u32::MAX`
    /// is no limit.
    pub backlog_max: u32,
}

impl Default for Limits {
    /// Weight one, no cap, no backlog limit.
    fn default() -> Self {
        Self {
            weight: Weight::ONE,
            in_flight_max: u32::MAX,
            backlog_max: u32::MAX,
        }
    }
}
