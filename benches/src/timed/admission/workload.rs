//! Who asks, how often, and what they are allowed.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use records::runs::{Demand, Fingerprint};
use schedulers::admission::{Rate, RateLimit};

use super::contender::Contender;
use crate::tally::Tally;
use crate::workload::SEED;

/// Every tenant may make one request a second, of which both sides can count every part.
const PERIOD_NS: u64 = 1_000_000_000;

/// Requests of tenants at random, one list for each thread, in parts: the first warms up, and each of the
/// others is one run.
#[derive(Clone, Debug)]
pub(super) struct Workload {
    demand: Demand,
    tenants: u32,
    /// How many requests of a thread are one part.
    part: usize,
    requests: Vec<Vec<u32>>,
}

impl Workload {
    /// So many parts for each thread.
    #[must_use]
    pub(super) fn new(
        demand: Demand,
        threads: usize,
        tenants: u32,
        (part, parts): (usize, usize),
    ) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
        let mut list = || {
            let tenant = |_| random.random_range(0..tenants);
            (0..part * parts).map(tenant).collect()
        };
        let requests = (0..threads).map(|_| list()).collect();
        Self {
            demand,
            tenants,
            part,
            requests,
        }
    }

    /// The name of exactly these requests.
    #[must_use]
    pub(super) fn fingerprint(&self) -> String {
        let start = Fingerprint::of(self.demand.name().as_bytes()).and(&self.tenants.to_le_bytes());
        let requests = self.requests.iter().flatten();
        let all = requests.fold(start, |print, tenant| print.and(&tenant.to_le_bytes()));
        all.hex()
    }

    /// How many threads ask.
    #[must_use]
    pub(super) fn threads(&self) -> usize {
        self.requests.len()
    }

    /// How many requests of a thread are one part.
    #[must_use]
    pub(super) fn part(&self) -> usize {
        self.part
    }

    /// What everybody may ask. The burst is one token where all are to be refused or some: then a first
    /// request spends it.
    fn limit(&self) -> RateLimit {
        let burst = match self.demand {
            Demand::Admitted => 1_000_000,
            Demand::Refused | Demand::RefusedUntil | Demand::Mixed => 1,
        };
        let rate = Rate::per_second(1);
        RateLimit { burst, rate }
    }

    /// A limiter that has heard of every tenant once: at the same time, or spread over a period where
    /// some of them are to have their token back at any time, and some not.
    #[must_use]
    pub(super) fn start<C: Contender>(&self) -> C {
        let limiter = C::new(self.limit());
        let step_ns = match self.demand {
            Demand::Admitted | Demand::Refused | Demand::RefusedUntil => 0,
            Demand::Mixed => PERIOD_NS / u64::from(self.tenants),
        };
        let (mut now, step) = (C::time(0), C::time(step_ns));
        for tenant in 0..self.tenants {
            limiter.ask(tenant.into(), now);
            now = now + step;
        }
        limiter
    }

    /// The time of the first request of a part, and the time to the next, in nanoseconds.
    fn times_ns(&self, part: usize) -> (u64, u64) {
        let twice_the_rate = PERIOD_NS / (2 * u64::from(self.tenants));
        let half_the_rate = 4 * twice_the_rate;
        let (start, step) = match self.demand {
            Demand::Admitted => (PERIOD_NS, half_the_rate),
            // So little that no token comes back before the end.
            Demand::Refused | Demand::RefusedUntil => (0, 1),
            Demand::Mixed => (PERIOD_NS * 3 / 2, twice_the_rate),
        };
        (start + step * (part * self.part) as u64, step)
    }

    /// One thread asks one part, and counts what was admitted, and in which order.
    pub(super) fn ask<C: Contender>(&self, limiter: &C, thread: usize, part: usize) -> Tally {
        let (start_ns, step_ns) = self.times_ns(part);
        let (start, step) = (C::time(start_ns), C::time(step_ns));
        let requests = &self.requests[thread][part * self.part..][..self.part];
        match self.demand {
            Demand::RefusedUntil => ask(requests, start, step, |tenant, now| {
                limiter.ask_until(tenant, now)
            }),
            _ => ask(requests, start, step, |tenant, now| {
                limiter.ask(tenant, now)
            }),
        }
    }

    /// Whether so many of the requests are what the demand is named after.
    #[must_use]
    pub(super) fn is_met_by(&self, admitted: u64, requests: u64) -> bool {
        match self.demand {
            Demand::Admitted => admitted == requests,
            Demand::Refused | Demand::RefusedUntil => admitted == 0,
            Demand::Mixed => (requests / 5..requests * 4 / 5).contains(&admitted),
        }
    }
}

/// The timed loop.
#[inline(never)]
fn ask<T: Copy + std::ops::Add<Output = T>>(
    requests: &[u32],
    start: T,
    step: T,
    ask: impl Fn(u64, T) -> bool,
) -> Tally {
    let (mut tally, mut now) = (Tally::default(), start);
    for tenant in requests {
        tally.add(u64::from(ask(u64::from(*tenant), now)));
        now = now + step;
    }
    tally
}
