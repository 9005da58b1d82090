//! Who is admitted, refused and kept waiting, by tenant, in bounded memory.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use hdrhistogram::Histogram;
use parking_lot::Mutex;

use super::layers::Layer;

/// Over so long a ratio of refusals is taken.
const MINUTE: Duration = Duration::from_secs(60);
/// Waits above this are counted as this: an hour, in microseconds.
const WAIT_US_MAX: u64 = 3_600_000_000;
/// A ratio or a wait of fewer samples alarms nobody.
const SAMPLES_MIN: u64 = 20;

/// When to call somebody.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Thresholds {
    /// The part of a minute's requests that was refused, from 0 to 1.
    pub refused: [f64; 2],
    /// The 95th percentile of the waits.
    pub wait_p95: [Duration; 2],
}

impl Default for Thresholds {
    /// A warning at 5 % refused or a second of waiting, critical at 25 % or ten seconds.
    fn default() -> Self {
        Self {
            refused: [0.05, 0.25],
            wait_p95: [Duration::from_secs(1), Duration::from_secs(10)],
        }
    }
}

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Alert {
    /// Below the first threshold, or too few samples to say.
    #[default]
    Fine,
    /// At or above the first.
    Warning,
    /// At or above the second.
    Critical,
}

impl Alert {
    fn of<T: PartialOrd>(value: &T, [warning, critical]: &[T; 2]) -> Self {
        if value >= critical {
            Self::Critical
        } else if value >= warning {
            Self::Warning
        } else {
            Self::Fine
        }
    }
}

/// Counters of the busiest tenants by name, and of all others together.
///
/// So many tenants have counters of their own; a tenant more takes the place of the one that asked
/// least, whose counts go to the others'. So the sums are exact, and a named tenant's own counts are
/// exact since it was last named. Each call takes one lock, O(1), or O(tenants named) when a place
/// changes hands. A tenant with waits takes some 26 kB, others a hundred bytes: name tens or hundreds.
#[derive(Debug)]
pub struct Counters<K> {
    named_max: usize,
    thresholds: Thresholds,
    state: Mutex<State<K>>,
}

#[derive(Debug)]
struct State<K> {
    named: HashMap<K, Tally>,
    others: Tally,
}

/// What is counted of one tenant.
#[derive(Debug)]
struct Tally {
    admitted: u64,
    refused: [u64; Layer::ALL.len()],
    this_minute: Minute,
    last_minute: Minute,
    /// Of the first wait on: it takes more room than all else, and a tenant that is only refused has none.
    wait_us: Option<Histogram<u64>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Minute {
    /// Minutes since the epoch of time.
    number: u128,
    asked: u64,
    refused: u64,
}

/// One line of the report.
#[derive(Clone, PartialEq, Debug)]
pub struct Count<K> {
    /// Whose; `None` for all that are not named.
    pub tenant: Option<K>,
    /// Requests admitted.
    pub admitted: u64,
    /// Requests refused, by layer, in the order of [`Layer::ALL`].
    pub refused: [u64; Layer::ALL.len()],
    /// The part of the requests of the last whole minute that was refused; `None` if there were none.
    pub refused_ratio: Option<f64>,
    /// How alarming that is.
    pub refused_alert: Alert,
    /// The 95th percentile of the waits (nearest rank, to two digits); `None` without waits.
    pub wait_p95: Option<Duration>,
    /// How alarming that is.
    pub wait_alert: Alert,
}

impl<K: Hash + Eq + Clone> Counters<K> {
    /// Counters of up to so many tenants by name.
    #[must_use]
    pub fn new(named_max: usize, thresholds: Thresholds) -> Self {
        let state = State {
            named: HashMap::new(),
            others: Tally::new(),
        };
        Self {
            named_max,
            thresholds,
            state: Mutex::new(state),
        }
    }

    /// Counts a request: admitted, or refused by a layer.
    pub fn count<Q>(&self, tenant: &Q, refused_by: Option<Layer>, now: Duration)
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        self.state
            .lock()
            .tally(tenant, self.named_max)
            .count(refused_by, now);
    }

    /// Counts how long a job waited between its push and its take.
    pub fn waited<Q>(&self, tenant: &Q, wait: Duration)
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        let us = u64::try_from(wait.as_micros()).unwrap_or(u64::MAX);
        self.state
            .lock()
            .tally(tenant, self.named_max)
            .wait_us
            .get_or_insert_with(no_waits)
            .saturating_record(us);
    }

    /// The report: named tenants, those that asked most first, and the others last.
    #[must_use]
    pub fn report(&self, now: Duration) -> Vec<Count<K>> {
        let state = self.state.lock();
        let count = |(tenant, tally): (&K, &Tally)| {
            tally.report(Some(tenant.clone()), &self.thresholds, now)
        };
        let mut counts: Vec<_> = state.named.iter().map(count).collect();
        counts.sort_by_key(|count| std::cmp::Reverse(count.asked()));
        counts.push(state.others.report(None, &self.thresholds, now));
        counts
    }
}

impl<K> Count<K> {
    /// Requests in all.
    #[must_use]
    pub fn asked(&self) -> u64 {
        self.admitted + self.refused.iter().sum::<u64>()
    }
}

impl<K: Hash + Eq + Clone> State<K> {
    /// The tally of a tenant, by name if there is a place or it can have one.
    fn tally<Q>(&mut self, tenant: &Q, named_max: usize) -> &mut Tally
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        if named_max == 0 {
            return &mut self.others;
        }
        if !self.named.contains_key(tenant) && self.named.len() >= named_max {
            let least = self.named.iter().min_by_key(|(_, tally)| tally.asked());
            let least = least.map(|(tenant, _)| tenant.clone());
            if let Some(tally) = least.and_then(|least| self.named.remove::<K>(&least)) {
                self.others.absorb(&tally);
            }
        }
        self.named
            .entry(tenant.to_owned())
            .or_insert_with(Tally::new)
    }
}

impl Tally {
    fn new() -> Self {
        Self {
            admitted: 0,
            refused: [0; Layer::ALL.len()],
            this_minute: Minute::default(),
            last_minute: Minute::default(),
            wait_us: None,
        }
    }

    fn asked(&self) -> u64 {
        self.admitted + self.refused.iter().sum::<u64>()
    }

    fn count(&mut self, refused_by: Option<Layer>, now: Duration) {
        let number = minute(now);
        if number > self.this_minute.number {
            self.last_minute = self.this_minute;
            self.this_minute = Minute {
                number,
                ..Minute::default()
            };
        }
        self.this_minute.asked += 1;
        match refused_by {
            None => self.admitted += 1,
            Some(layer) => {
                self.refused[layer as usize] += 1;
                self.this_minute.refused += 1;
            }
        }
    }

    /// The counts of a tenant that lost its name join the others'. Its minutes are let go.
    fn absorb(&mut self, other: &Self) {
        self.admitted += other.admitted;
        for (own, theirs) in self.refused.iter_mut().zip(other.refused) {
            *own += theirs;
        }
        if let Some(theirs) = &other.wait_us {
            self.wait_us
                .get_or_insert_with(no_waits)
                .add(theirs)
                .expect("histograms of the same bounds");
        }
    }

    /// The last minute that is over: of a tenant that fell silent, there may be none.
    fn whole_minute(&self, now: Duration) -> Minute {
        let before = minute(now).checked_sub(1);
        let recent = [self.this_minute, self.last_minute];
        let mut recent = recent.into_iter();
        recent
            .find(|minute| Some(minute.number) == before)
            .unwrap_or_default()
    }

    #[allow(clippy::cast_precision_loss)] // a ratio of counts
    fn report<K>(&self, tenant: Option<K>, thresholds: &Thresholds, now: Duration) -> Count<K> {
        let Minute { asked, refused, .. } = self.whole_minute(now);
        let refused_ratio = (asked > 0).then(|| refused as f64 / asked as f64);
        let refused_alert = match refused_ratio {
            Some(ratio) if asked >= SAMPLES_MIN => Alert::of(&ratio, &thresholds.refused),
            _ => Alert::Fine,
        };
        let p95 = |waits: &Histogram<u64>| Duration::from_micros(waits.value_at_quantile(0.95));
        let wait_p95 = self.wait_us.as_ref().map(p95);
        let waits = self.wait_us.as_ref().map_or(0, Histogram::len);
        let wait_alert = match wait_p95 {
            Some(p95) if waits >= SAMPLES_MIN => Alert::of(&p95, &thresholds.wait_p95),
            _ => Alert::Fine,
        };
        Count {
            tenant,
            admitted: self.admitted,
            refused: self.refused,
            refused_ratio,
            refused_alert,
            wait_p95,
            wait_alert,
        }
    }
}

fn no_waits() -> Histogram<u64> {
    Histogram::new_with_max(WAIT_US_MAX, 2).expect("bounds that a histogram takes")
}

fn minute(now: Duration) -> u128 {
    now.as_nanos() / MINUTE.as_nanos()
}
