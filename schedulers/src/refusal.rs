//! Expected failures: each says what to do, and a refused push gives the job back.

use std::fmt;

use crate::Tenant;

/// A push that was refused: nothing changed, and here is the job.
///
/// ```
/// use schedulers::{Cost, FairQueue, Limits, Refusal, Settings, Tenant, TenantQueue};
/// use schedulers::discipline::ActiveList;
///
/// let limits = Limits { backlog_max: 1, ..Limits::default() };
/// let mut queue = TenantQueue::<ActiveList, _>::new(&Settings { limits, ..Settings::default() });
/// queue.push(Tenant::new(0), Cost::UNIT, "first")?;
/// let refused = queue.push(Tenant::new(0), Cost::UNIT, "second").unwrap_err();
/// assert_eq!(refused.job, "second");
/// assert!(matches!(refused.refusal, Refusal::TenantFull { backlog_max: 1, .. }));
/// # Ok::<(), schedulers::Refused<&str>>(())
/// ```
pub struct Refused<J, R = Refusal> {
    /// The very job that was pushed.
    pub job: J,
    /// Why it was refused.
    pub refusal: R,
}

/// Why a push was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// The tenant already has `backlog_max` jobs waiting. Its neighbours are not affected: tell this
    /// tenant to come back later.
    TenantFull {
        /// Whose lane is full.
        tenant: Tenant,
        /// The limit that it reached.
        backlog_max: u32,
    },
    /// The whole queue holds as many jobs as it may: shed load, or raise
    /// [`Settings::backlog_max`](crate::Settings::backlog_max).
    QueueFull {
        /// The limit that was reached.
        backlog_max: u32,
    },
    /// The handle is at or beyond the configured maximum.
    UnknownTenant(UnknownTenant),
    /// The queue was closed: no push can succeed any more.
    Closed,
}

/// A handle at or beyond [`Settings::tenants_max`](crate::Settings::tenants_max): a wild handle, or
/// a maximum set too low.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownTenant {
    /// The handle.
    pub tenant: Tenant,
    /// The first handle that is refused.
    pub tenants_max: u32,
}

impl Refusal {
    /// The same reason, by another handle of its tenant and another maximum of handles.
    #[cold]
    pub(crate) fn of(self, tenant: Tenant, tenants_max: u32) -> Self {
        match self {
            Self::TenantFull { backlog_max, .. } => Self::TenantFull {
                tenant,
                backlog_max,
            },
            Self::UnknownTenant(_) => Self::UnknownTenant(UnknownTenant {
                tenant,
                tenants_max,
            }),
            other => other,
        }
    }
}

impl<J, R: fmt::Debug> fmt::Debug for Refused<J, R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Refused")
            .field("refusal", &self.refusal)
            .finish_non_exhaustive()
    }
}

impl<J, R: fmt::Display> fmt::Display for Refused<J, R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.refusal.fmt(formatter)
    }
}

impl<J, R: fmt::Debug + fmt::Display> std::error::Error for Refused<J, R> {}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TenantFull {
                tenant,
                backlog_max,
            } => write!(
                formatter,
                "{tenant} already has {backlog_max} jobs waiting, its limit: try again when some are done"
            ),
            Self::QueueFull { backlog_max } => write!(
                formatter,
                "the queue already holds {backlog_max} jobs, its limit: shed load or try again later"
            ),
            Self::UnknownTenant(unknown) => unknown.fmt(formatter),
            Self::Closed => formatter.write_str("the queue is closed: no more jobs are accepted"),
        }
    }
}

impl fmt::Display for UnknownTenant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} is refused, as this queue takes {} tenants, from handle 0 on: use dense handles or raise tenants_max",
            self.tenant, self.tenants_max
        )
    }
}

impl std::error::Error for Refusal {}
impl std::error::Error for UnknownTenant {}
