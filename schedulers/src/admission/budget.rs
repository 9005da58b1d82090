//! What a tenant may spend in a day or a month.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash, RandomState};
use std::time::Duration;

use dashmap::DashMap;
use serde::{Deserialize, Serialize};
use time::{Date, Month, OffsetDateTime, Time};

/// When what was spent is forgotten: at the turn of the day or month, in UTC.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Period {
    /// A calendar day.
    Day,
    /// A calendar month.
    Month,
}

/// How much a tenant may spend in a period.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Units of cost: tokens, cents, whatever costs are counted in.
    pub units: u64,
    /// How long they have to last.
    pub period: Period,
    /// From here on a request is to be served more cheaply. `units` or more: never.
    pub downgrade_above: u64,
}

/// What a budget says to a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "a request beyond the budget must not be served"]
pub enum Spending {
    /// Spent, and there is more.
    Within {
        /// Units left.
        left: u64,
    },
    /// Spent, and past the threshold: serve it more cheaply, by a smaller model for instance.
    Downgrade {
        /// Units left.
        left: u64,
    },
    /// More than is left. Nothing was spent.
    Stopped {
        /// How long until the next period begins.
        retry_after: Duration,
    },
    /// More than the whole budget: it can never pass. Nothing was spent.
    AboveBudget {
        /// The whole budget.
        units: u64,
    },
}

/// What each tenant has spent in its period. Shared by all threads; no guard leaves it.
///
/// Time counts from the Unix epoch, as calendars need. A clock that steps back into an earlier period
/// is taken to stand at the beginning of the latest one seen, so that nothing is forgotten twice.
pub struct Budgets<K, S = RandomState> {
    budget: Budget,
    own: DashMap<K, Budget, S>,
    spent: DashMap<K, Spent, S>,
}

/// What was spent since this time, in seconds, at which a period began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Spent {
    since: i64,
    units: u64,
}

impl Spent {
    fn spend(&mut self, budget: &Budget, units: u64, now: Duration) -> Spending {
        let (begun, ends) = period_around(budget.period, now);
        if self.since < begun {
            *self = Self {
                since: begun,
                units: 0,
            };
        }
        let total = self.units.saturating_add(units);
        if total > budget.units {
            let end = Duration::from_secs(u64::try_from(ends).unwrap_or(0));
            return Spending::Stopped {
                retry_after: end.saturating_sub(now),
            };
        }
        self.units = total;
        let left = budget.units - total;
        if total > budget.downgrade_above {
            Spending::Downgrade { left }
        } else {
            Spending::Within { left }
        }
    }
}

impl<K: Hash + Eq + Clone> Budgets<K> {
    /// The same budget for everybody.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        Self {
            budget,
            own: DashMap::new(),
            spent: DashMap::new(),
        }
    }
}

impl<K: Hash + Eq + Clone, S: BuildHasher + Clone> Budgets<K, S> {
    /// Gives a tenant a budget of its own, at once; what it has spent stays spent.
    pub fn set(&self, tenant: K, budget: Budget) {
        self.own.insert(tenant, budget);
    }

    /// Spends, if so much is left. `now` counts from the Unix epoch.
    pub fn spend<Q>(&self, tenant: &Q, units: u64, now: Duration) -> Spending
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        let budget = self.of(tenant);
        if units > budget.units {
            return Spending::AboveBudget {
                units: budget.units,
            };
        }
        if let Some(mut spent) = self.spent.get_mut(tenant) {
            return spent.spend(&budget, units, now);
        }
        let since = period_around(budget.period, now).0;
        let entry = self.spent.entry(tenant.to_owned());
        let mut spent = entry.or_insert(Spent { since, units: 0 });
        spent.spend(&budget, units, now)
    }

    /// Corrects what was spent to what it really cost, or to nothing when the request was refused
    /// farther on. A correction that comes after the turn of the period is too late, and ignored.
    pub fn settle<Q>(&self, tenant: &Q, charged: u64, actual: u64, now: Duration)
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let (begun, _) = period_around(self.of(tenant).period, now);
        if let Some(mut spent) = self.spent.get_mut(tenant)
            && spent.since >= begun
        {
            spent.units = spent.units.saturating_sub(charged).saturating_add(actual);
        }
    }

    /// What the tenant has spent in this period.
    pub fn spent<Q>(&self, tenant: &Q, now: Duration) -> u64
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let (begun, _) = period_around(self.of(tenant).period, now);
        let spent = self.spent.get(tenant).map(|spent| *spent);
        spent
            .filter(|spent| spent.since >= begun)
            .map_or(0, |spent| spent.units)
    }

    /// Forgets the accounts of periods that are over. O(tenants).
    pub fn reclaim(&self, now: Duration) {
        self.spent
            .retain(|tenant, spent| spent.since >= period_around(self.of(tenant).period, now).0);
        self.spent.shrink_to_fit();
    }

    /// How many tenants have an account.
    #[must_use]
    pub fn accounts(&self) -> usize {
        self.spent.len()
    }

    fn of<Q>(&self, tenant: &Q) -> Budget
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.own.get(tenant).map_or(self.budget, |own| *own)
    }
}

impl<K, S> fmt::Debug for Budgets<K, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { budget, .. } = self;
        formatter
            .debug_struct("Budgets")
            .field("budget", budget)
            .finish_non_exhaustive()
    }
}

fn seconds(now: Duration) -> i64 {
    i64::try_from(now.as_secs()).unwrap_or(i64::MAX)
}

/// The seconds at which the period around this time begins and ends. The last day of the year 9999,
/// where the calendar ends, never does.
fn period_around(period: Period, now: Duration) -> (i64, i64) {
    let midnight = |date: Date| date.with_time(Time::MIDNIGHT).assume_utc().unix_timestamp();
    let Ok(moment) = OffsetDateTime::from_unix_timestamp(seconds(now)) else {
        return (midnight(Date::MAX), i64::MAX);
    };
    let today = moment.date();
    let (first, next) = match period {
        Period::Day => (today, today.next_day()),
        Period::Month => {
            let (year, month) = (moment.year(), moment.month());
            let next_year = if month == Month::December {
                year + 1
            } else {
                year
            };
            let first = today.replace_day(1).expect("every month has a first");
            (
                first,
                Date::from_calendar_date(next_year, month.next(), 1).ok(),
            )
        }
    };
    (midnight(first), next.map_or(i64::MAX, midnight))
}
