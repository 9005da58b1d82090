//! Who is asked.

use std::cell::Cell;
use std::hint::black_box;
use std::ops::Add;
use std::time::Duration;

use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::DashMapStateStore;
use governor::{NotUntil, Quota, RateLimiter};
use records::runs::{LAYERS, LIMITER, PEER};
use schedulers::Cost;
use schedulers::admission::{Admission, Counters, Limiter, Plan, RateLimit, Thresholds};

/// A tenant as a service knows it: a number out of its database.
pub(super) type Key = u64;

/// A rate limiter, with what a user of it would get by default.
pub trait Contender: Sync {
    /// Its name in tables.
    const NAME: &'static str;

    /// A moment, as it is told one: nanoseconds since its beginning.
    type Time: Copy + Add<Output = Self::Time>;

    /// The moment.
    fn time(ns: u64) -> Self::Time;

    /// Nobody has asked yet.
    fn new(limit: RateLimit) -> Self;

    /// Asks for one token. The whole answer is made, whatever is looked at of it.
    fn ask(&self, tenant: Key, now: Self::Time) -> bool;

    /// The same, and when to come back if not now.
    fn ask_until(&self, tenant: Key, now: Self::Time) -> bool;
}

impl Contender for Limiter<Key> {
    const NAME: &'static str = LIMITER;

    type Time = Duration;

    fn time(ns: u64) -> Duration {
        Duration::from_nanos(ns)
    }

    fn new(limit: RateLimit) -> Self {
        Self::new(Plan::uniform(limit))
    }

    #[inline(always)]
    fn ask(&self, tenant: Key, now: Duration) -> bool {
        black_box(&self.check(&tenant, Cost::UNIT, now)).is_admitted()
    }

    #[inline(always)]
    fn ask_until(&self, tenant: Key, now: Duration) -> bool {
        let verdict = self.check(&tenant, Cost::UNIT, now);
        black_box(verdict.retry_after());
        verdict.is_admitted()
    }
}

/// Tenants that the counters of the layers know by name.
const NAMED_MAX: usize = 100;

impl Contender for Admission<Key> {
    const NAME: &'static str = LAYERS;

    type Time = Duration;

    fn time(ns: u64) -> Duration {
        Duration::from_nanos(ns)
    }

    fn new(limit: RateLimit) -> Self {
        let limiter = Limiter::new(Plan::uniform(limit));
        Self::new(limiter, Counters::new(NAMED_MAX, Thresholds::default()))
    }

    #[inline(always)]
    fn ask(&self, tenant: Key, now: Duration) -> bool {
        black_box(&self.admit(&tenant, Cost::UNIT, now)).is_ok()
    }

    #[inline(always)]
    fn ask_until(&self, tenant: Key, now: Duration) -> bool {
        let answer = self.admit(&tenant, Cost::UNIT, now);
        black_box(answer.as_ref().err().map(|denied| denied.retry_after));
        answer.is_ok()
    }
}

/// The peer's clock: each thread is told the time by whoever asks on it, so neither side reads one, and
/// no threads meet at it.
#[derive(Clone, Copy, Debug)]
pub struct Told;

thread_local! {
    static NOW: Cell<Nanos> = const { Cell::new(Nanos::new(0)) };
}

impl Clock for Told {
    type Instant = Nanos;

    #[inline(always)]
    fn now(&self) -> Nanos {
        NOW.get()
    }
}

/// The peer, as its own documentation has it for many keys.
pub(super) type Governor = RateLimiter<Key, DashMapStateStore<Key>, Told, NoOpMiddleware<Nanos>>;

/// Asks the peer. Its quickest way: one cell has a method of its own.
#[inline(always)]
fn check(peer: &Governor, tenant: Key, now: Nanos) -> Result<(), NotUntil<Nanos>> {
    NOW.set(now);
    peer.check_key(&tenant)
}

impl Contender for Governor {
    const NAME: &'static str = PEER;

    type Time = Nanos;

    fn time(ns: u64) -> Nanos {
        Nanos::new(ns)
    }

    /// # Panics
    ///
    /// The rate is zero or divides no second, or there is no burst: it cannot express them.
    fn new(limit: RateLimit) -> Self {
        let per_second = limit.rate.micro_per_second() / 1_000_000;
        let period_ns = 1_000_000_000 / per_second;
        assert_eq!(
            period_ns * limit.rate.micro_per_second(),
            1_000_000_000_000_000
        );
        let quota = Quota::with_period(Duration::from_nanos(period_ns)).expect("not zero");
        let burst = limit.burst.try_into().expect("not zero");
        NOW.set(Nanos::new(0)); // its time begins with it
        Self::dashmap_with_clock(quota.allow_burst(burst), Told)
    }

    #[inline(always)]
    fn ask(&self, tenant: Key, now: Nanos) -> bool {
        black_box(&check(self, tenant, now)).is_ok()
    }

    #[inline(always)]
    fn ask_until(&self, tenant: Key, now: Nanos) -> bool {
        let answer = check(self, tenant, now);
        black_box(answer.as_ref().err().map(|until| until.wait_time_from(now)));
        answer.is_ok()
    }
}
