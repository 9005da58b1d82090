//! Admission in front of a queue, the same for simulated and real workers and for the pool in rounds.

use std::time::Duration;

use schedulers::admission::{Denied, Layer, Limiter, Plan, RateLimit};
use schedulers::{Cost, Tenant};

/// What a tenant with a full backlog is told to wait, as the library does by default.
const BACKLOG_RETRY: Duration = Duration::from_secs(1);

/// Asked before each push; open where there is no rate limit.
pub(crate) struct RateGate(Option<Limiter<Tenant>>);

impl RateGate {
    /// One limit for every tenant.
    pub(crate) fn new(rate_limit: Option<RateLimit>) -> Self {
        Self(rate_limit.map(Plan::uniform).map(Limiter::new))
    }

    /// Pushes a request if its tenant may ask now; otherwise says who refused it and when to come back.
    /// `push` says whether the queue took it: if not, its tokens are given back.
    pub(crate) fn push(
        &self,
        tenant: Tenant,
        cost: Cost,
        now_us: u64,
        push: impl FnOnce() -> bool,
    ) -> Result<(), Denied> {
        let now = Duration::from_micros(now_us);
        if let Some(limiter) = &self.0 {
            let verdict = limiter.check(&tenant, cost, now);
            if !verdict.is_admitted() {
                return Err(Denied {
                    layer: Layer::RateLimit,
                    retry_after: verdict.retry_after(),
                });
            }
        }
        if push() {
            return Ok(());
        }
        if let Some(limiter) = &self.0 {
            limiter.give_back(&tenant, cost);
        }
        Err(Denied {
            layer: Layer::Backlog,
            retry_after: Some(BACKLOG_RETRY),
        })
    }
}

#[cfg(test)]
mod tests {
    use schedulers::admission::Rate;

    use super::{Cost, Denied, Duration, Layer, RateGate, RateLimit, Tenant};

    #[test]
    fn a_full_backlog_costs_no_tokens() {
        let gate = RateGate::new(Some(RateLimit {
            burst: 1,
            rate: Rate::ZERO,
        }));
        let ask = |has_room| gate.push(Tenant::new(0), Cost::UNIT, 0, || has_room);
        let denied = |layer, retry_after| Err(Denied { layer, retry_after });
        let full = denied(Layer::Backlog, Some(Duration::from_secs(1)));
        assert_eq!([ask(false), ask(false), ask(true)], [full, full, Ok(())]);
        assert_eq!(ask(true), denied(Layer::RateLimit, None));
    }
}
