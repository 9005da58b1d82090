//! What a call with a key may be refused for.

use std::fmt;

use crate::{Refusal, UnknownTenant};

/// Why a push with a key was refused: a [`Refusal`], but that of a handle beyond the maximum, which is
/// here a newcomer too many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum KeyedRefusal {
    /// The tenant already has `backlog_max` jobs waiting: see [`Refusal::TenantFull`].
    TenantFull {
        /// The limit that it reached.
        backlog_max: u32,
    },
    /// The whole queue holds as many jobs as it may: see [`Refusal::QueueFull`].
    QueueFull {
        /// The limit that was reached.
        backlog_max: u32,
    },
    /// The key is new, and there is no room for another tenant.
    TooManyTenants(TooManyTenants),
    /// The queue was closed: no push can succeed any more.
    Closed,
}

/// All handles are in use, and no tenant was found that could be let go. Remove a tenant, or raise
/// [`Settings::tenants_max`](crate::Settings::tenants_max); or try again later, when one is idle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyTenants {
    /// How many tenants the queue takes.
    pub tenants_max: u32,
}

impl KeyedRefusal {
    /// What a refusal of the queue within means here.
    pub(super) fn new(refusal: Refusal) -> Self {
        match refusal {
            Refusal::TenantFull { backlog_max, .. } => Self::TenantFull { backlog_max },
            Refusal::QueueFull { backlog_max } => Self::QueueFull { backlog_max },
            Refusal::UnknownTenant(unknown) => Self::TooManyTenants(unknown.into()),
            Refusal::Closed => Self::Closed,
        }
    }
}

impl fmt::Display for KeyedRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TenantFull { backlog_max } => write!(
                formatter,
                "the tenant already has {backlog_max} jobs waiting, its limit: try again when some are done"
            ),
            Self::QueueFull { backlog_max } => Refusal::QueueFull { backlog_max }.fmt(formatter),
            Self::TooManyTenants(too_many) => too_many.fmt(formatter),
            Self::Closed => Refusal::Closed.fmt(formatter),
        }
    }
}

impl fmt::Display for TooManyTenants {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "a new tenant is refused, as this queue takes {} tenants and none was found idle: remove one, \
             raise tenants_max, or try again later",
            self.tenants_max
        )
    }
}

impl std::error::Error for KeyedRefusal {}
impl std::error::Error for TooManyTenants {}

impl From<UnknownTenant> for TooManyTenants {
    fn from(unknown: UnknownTenant) -> Self {
        Self {
            tenants_max: unknown.tenants_max,
        }
    }
}
