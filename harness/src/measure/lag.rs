//! Lag: how far apart the service of two tenants drifts while both are eligible.
//!
//! The exact definition of [`LagMax`](schedulers::LagMax): over every stretch of time in which two
//! tenants both stay eligible, the difference of what they were served; the largest over all pairs
//! and stretches. All tenants of the lab have weight one.

use schedulers::Tenant;

use super::Ledger;
use crate::log::{EventKind, Log};
use crate::trace::{Job, Trace, position};

/// How many tenants are compared pair by pair: those with most work. A start costs one step for each.
pub const LAG_TENANTS_MAX: usize = 64;

/// The largest lag of any pair, where serving a job counts `count` of it.
#[must_use]
pub fn largest_lag(trace: &Trace, log: &Log, ledger: &Ledger, count: impl Fn(&Job) -> u64) -> u64 {
    let mut tenants = ledger.by_work();
    tenants.truncate(LAG_TENANTS_MAX);
    let mut pairs = Pairs::new(tenants.len());
    let mut places = vec![None; trace.tenants()];
    for (place, &tenant) in tenants.iter().enumerate() {
        places[position(tenant)] = Some(place);
    }
    let place_of = |tenant: Tenant| places[position(tenant)];

    let mut demand = vec![Demand::default(); tenants.len()];
    for event in &log.events {
        let job = &trace.jobs()[event.job as usize];
        let Some(place) = place_of(job.tenant) else {
            continue;
        };
        let before = demand[place].is_eligible(log.in_flight_max);
        match event.kind {
            EventKind::Pushed => demand[place].waiting += 1,
            EventKind::Refused | EventKind::RateLimited => {}
            EventKind::Started => {
                pairs.serve(place, count(job));
                demand[place].waiting -= 1;
                demand[place].in_flight += 1;
            }
            EventKind::Finished => demand[place].in_flight -= 1,
        }
        let after = demand[place].is_eligible(log.in_flight_max);
        if after && !before {
            pairs.join(place);
        } else if before && !after {
            pairs.leave(place);
        }
    }
    pairs.lag_max
}

/// What a tenant has waiting and running.
#[derive(Clone, Copy, Default)]
struct Demand {
    waiting: u32,
    in_flight: u32,
}

impl Demand {
    fn is_eligible(self, in_flight_max: u32) -> bool {
        self.waiting > 0 && self.in_flight < in_flight_max
    }
}

/// The lag between every two eligible tenants.
struct Pairs {
    /// What each was served, in all.
    served: Vec<i64>,
    /// Who is eligible.
    eligible: Vec<usize>,
    /// `lowest[a][b]`: the least that `served[a] - served[b]` has been since both are eligible.
    lowest: Vec<Vec<i64>>,
    lag_max: u64,
}

impl Pairs {
    fn new(tenants: usize) -> Self {
        Self {
            served: vec![0; tenants],
            eligible: Vec::new(),
            lowest: vec![vec![0; tenants]; tenants],
            lag_max: 0,
        }
    }

    fn join(&mut self, joiner: usize) {
        for &other in &self.eligible {
            let ahead = self.served[joiner] - self.served[other];
            self.lowest[joiner][other] = ahead;
            self.lowest[other][joiner] = -ahead;
        }
        self.eligible.push(joiner);
    }

    fn leave(&mut self, leaver: usize) {
        self.eligible.retain(|&place| place != leaver);
    }

    fn serve(&mut self, place: usize, amount: u64) {
        self.served[place] += i64::try_from(amount).unwrap_or(i64::MAX);
        for &other in self.eligible.iter().filter(|&&other| other != place) {
            let ahead = self.served[place] - self.served[other];
            let lowest = &mut self.lowest[other][place];
            *lowest = (*lowest).min(-ahead);
            let lag = ahead.abs_diff(self.lowest[place][other]);
            self.lag_max = self.lag_max.max(lag);
        }
    }
}
