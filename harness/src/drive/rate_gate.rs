//! The rate limit in front of the queue, the same for simulated and for real workers.

use std::time::Duration;

use schedulers::Tenant;
use schedulers::admission::{Limiter, Plan};

use super::Pool;
use crate::log::EventKind;
use crate::trace::Job;

/// Asked before each push; open where the pool has no rate limit.
pub(super) struct RateGate(Option<Limiter<Tenant>>);

impl RateGate {
    pub(super) fn new(pool: &Pool) -> Self {
        Self(pool.rate_limit.map(Plan::uniform).map(Limiter::new))
    }

    /// Pushes the job if its tenant may ask now, and says what became of it.
    pub(super) fn push(&self, job: &Job, now_us: u64, push: impl FnOnce() -> bool) -> EventKind {
        let now = Duration::from_micros(now_us);
        let admits = |limiter: &Limiter<_>| limiter.check(&job.tenant, job.cost, now).is_admitted();
        if !self.0.as_ref().is_none_or(admits) {
            EventKind::RateLimited
        } else if push() {
            EventKind::Pushed
        } else {
            EventKind::Refused
        }
    }
}
