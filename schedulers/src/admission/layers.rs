//! The layers in front of the queue, one after the other, each of which may refuse.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash, RandomState};
use std::time::Duration;

use super::bucket::Verdict;
use super::budget::{Budgets, Spending};
use super::counters::Counters;
use super::limiter::Limiter;
use crate::{Cost, JobId, Refusal, SharedFairQueue, Tenant};

/// Budget, rate limit, backlog limit, in this order, in front of a fair queue.
///
/// What one layer spent is given back when a later one refuses: a refusal changes nothing. Behind the
/// queue stands the [`Ceiling`](super::Ceiling), which refuses nobody and is asked by the workers.
///
/// Time counts from the Unix epoch, as budgets need; a clock that never steps is best, as
/// [`Clock`](super::Clock) is.
#[derive(Debug)]
pub struct Admission<K, S = RandomState> {
    budgets: Option<Budgets<K, S>>,
    limiter: Limiter<K, S>,
    counters: Counters<K>,
    /// What a tenant with a full backlog is told: the queue does not know when it will be served.
    backlog_retry: Duration,
}

/// A request that may be served.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Admitted {
    /// What was spent on it.
    pub cost: Cost,
    /// Whole tokens that the tenant has left.
    pub remaining: u32,
    /// Whether the budget asks for a cheaper way to serve it.
    pub downgrade: bool,
}

/// A request that may not be served now, and by whose word. Nothing was spent on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Denied {
    /// Who refused.
    pub layer: Layer,
    /// When to come back; `None` if the same request will never pass.
    pub retry_after: Option<Duration>,
}

/// Who refuses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Layer {
    /// The tenant has spent what it may in its day or month.
    Budget,
    /// The tenant asks too fast, or for too much at once.
    RateLimit,
    /// The tenant has too many jobs waiting.
    Backlog,
    /// The whole service has too many jobs waiting, or is closing.
    Service,
}

impl Layer {
    /// Every layer, in the order in which they are asked.
    pub const ALL: [Self; 4] = [Self::Budget, Self::RateLimit, Self::Backlog, Self::Service];

    /// Its name in a table or a response.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Budget => "budget",
            Self::RateLimit => "rate_limit",
            Self::Backlog => "backlog",
            Self::Service => "service",
        }
    }
}

impl<K: Hash + Eq + Clone, S: BuildHasher + Clone> Admission<K, S> {
    /// A rate limit in front of the queue, no budget, and counters of so many tenants by name.
    #[must_use]
    pub fn new(limiter: Limiter<K, S>, counters: Counters<K>) -> Self {
        let backlog_retry = Duration::from_secs(1);
        Self {
            budgets: None,
            limiter,
            counters,
            backlog_retry,
        }
    }

    /// Puts budgets before the rate limit.
    #[must_use]
    pub fn with_budgets(self, budgets: Budgets<K, S>) -> Self {
        Self {
            budgets: Some(budgets),
            ..self
        }
    }

    /// What a tenant with a full backlog is told to wait: about the time in which one of its jobs is
    /// served. A second by default.
    #[must_use]
    pub fn with_backlog_retry(self, backlog_retry: Duration) -> Self {
        Self {
            backlog_retry,
            ..self
        }
    }

    /// The rate limits, to change tiers.
    #[must_use]
    pub fn limiter(&self) -> &Limiter<K, S> {
        &self.limiter
    }

    /// The budgets, if there are any.
    #[must_use]
    pub fn budgets(&self) -> Option<&Budgets<K, S>> {
        self.budgets.as_ref()
    }

    /// What was admitted, refused and waited for, by tenant.
    #[must_use]
    pub fn counters(&self) -> &Counters<K> {
        &self.counters
    }

    /// Asks budget and rate limit, without a queue behind them.
    ///
    /// # Errors
    ///
    /// [`Denied`] by the first layer that refuses.
    pub fn admit<Q>(&self, tenant: &Q, cost: Cost, now: Duration) -> Result<Admitted, Denied>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        let verdict = self.ask(tenant, cost, now);
        let layer = verdict.as_ref().err().map(|denied| denied.layer);
        self.counters.count(tenant, layer, now);
        verdict
    }

    /// Asks every layer, and pushes the job.
    ///
    /// # Errors
    ///
    /// The job, and [`Denied`] by the first layer that refuses.
    pub fn push<Q, J>(
        &self,
        queue: &impl SharedFairQueue<J>,
        (tenant, handle): (&Q, Tenant),
        cost: Cost,
        job: J,
        now: Duration,
    ) -> Result<(JobId, Admitted), (J, Denied)>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        let verdict = match self.ask(tenant, cost, now) {
            Err(denied) => Err((job, denied)),
            Ok(admitted) => match queue.push(handle, cost, job) {
                Ok(id) => Ok((id, admitted)),
                Err(refused) => {
                    self.give_back(tenant, cost, now);
                    Err((refused.job, self.denied_by_queue(refused.refusal)))
                }
            },
        };
        let layer = verdict.as_ref().err().map(|(_, denied)| denied.layer);
        self.counters.count(tenant, layer, now);
        verdict
    }

    /// Corrects the budget to what an admitted request really cost.
    pub fn settle<Q>(&self, tenant: &Q, admitted: &Admitted, actual: Cost, now: Duration)
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        if let Some(budgets) = &self.budgets {
            budgets.settle(
                tenant,
                admitted.cost.units().into(),
                actual.units().into(),
                now,
            );
        }
    }

    /// Takes an admission back, as the request was not served after all.
    pub fn give_back<Q>(&self, tenant: &Q, cost: Cost, now: Duration)
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.limiter.give_back(tenant, cost);
        if let Some(budgets) = &self.budgets {
            budgets.settle(tenant, cost.units().into(), 0, now);
        }
    }

    fn ask<Q>(&self, tenant: &Q, cost: Cost, now: Duration) -> Result<Admitted, Denied>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        let units = u64::from(cost.units());
        let spending = self
            .budgets
            .as_ref()
            .map(|budgets| budgets.spend(tenant, units, now));
        let denied = |retry_after| {
            Err(Denied {
                layer: Layer::Budget,
                retry_after,
            })
        };
        match spending {
            Some(Spending::Stopped { retry_after }) => return denied(Some(retry_after)),
            Some(Spending::AboveBudget { .. }) => return denied(None),
            Some(Spending::Within { .. } | Spending::Downgrade { .. }) | None => {}
        }
        let verdict = self.limiter.check(tenant, cost, now);
        let Verdict::Admitted { remaining } = verdict else {
            if let Some(budgets) = &self.budgets {
                budgets.settle(tenant, units, 0, now);
            }
            let retry_after = verdict.retry_after();
            return Err(Denied {
                layer: Layer::RateLimit,
                retry_after,
            });
        };
        let downgrade = matches!(spending, Some(Spending::Downgrade { .. }));
        Ok(Admitted {
            cost,
            remaining,
            downgrade,
        })
    }

    fn denied_by_queue(&self, refusal: Refusal) -> Denied {
        let (layer, retry_after) = match refusal {
            Refusal::TenantFull { .. } => (Layer::Backlog, Some(self.backlog_retry)),
            Refusal::QueueFull { .. } => (Layer::Service, Some(self.backlog_retry)),
            Refusal::Closed | Refusal::UnknownTenant(_) => (Layer::Service, None),
        };
        Denied { layer, retry_after }
    }
}

impl fmt::Display for Denied {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match (self.layer, self.retry_after) {
            (Layer::Budget, Some(_)) => "the budget of this period is spent",
            (Layer::Budget, None) => "the request costs more than the whole budget",
            (Layer::RateLimit, Some(_)) => "too many requests in a short time",
            (Layer::RateLimit, None) => "the request costs more than can ever be asked at once",
            (Layer::Backlog, _) => "too many requests of yours are waiting already",
            (Layer::Service, Some(_)) => "the service has too much to do",
            (Layer::Service, None) => "the service takes no more requests",
        })?;
        match self.retry_after {
            Some(wait) => write!(formatter, ": try again in {} s", whole_seconds(wait)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Denied {}

/// A wait in whole seconds, as `Retry-After` has it, rounded up: whoever obeys is not too early.
#[must_use]
pub fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs()
        .saturating_add(u64::from(wait.subsec_nanos() > 0))
}
