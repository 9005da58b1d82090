//! The round-based shared pool, and whether its trouble is demand or noise.
//!
//! A round is a step. Each tenant sends small requests in proportion to its size and, at intervals,
//! one scan whose cost grows with its size; then the pool serves a fixed number of units. The same
//! one-way flow as everywhere, in rounds: [`SharedPool`] (what is asked) -> `demand` (what
//! arrives) -> admission (what is let through) -> `serve` (in which order) -> [`Account`]s (what came of it).

mod demand;
mod serve;

use std::fmt;

use schedulers::admission::{Layer, RateLimit};
use schedulers::{Cost, Tenant};
use serde::{Deserialize, Serialize};

use crate::drive::RateGate;
use crate::scheduler::Scheduler;
use crate::trace::{JOBS_MAX, TENANTS_MAX, position};
use demand::Demand;
use records::error::BadInput;
use serve::{ArrivalOrder, FairShare, Registered, Request, Serve};

/// The most steps of the simulation, rounds times tenants: some seconds.
const STEPS_MAX: u64 = 1 << 30;
/// What a round lasts for a rate limit, which counts in seconds.
const ROUND_US: u64 = 1_000_000;

/// The parameters, with the published study's fault-free day as the default.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SharedPool {
    /// Units served in a round.
    pub capacity: u32,
    /// Tenants, ranked by size from 1.
    pub tenant_count: u32,
    /// Each tenant scans once in so many rounds.
    pub scan_interval_rounds: u32,
    /// How many rounds.
    pub rounds: u32,
    /// The order in which requests are served.
    pub discipline: Discipline,
    /// Day B: the largest tenant scans five times as often.
    pub largest_scans_fivefold: bool,
    /// Day A: tenants of rank 6 and beyond send 20 % more small requests.
    pub small_grew: bool,
    /// The most units of one request; larger ones are cut into equal chunks. 0 cuts nothing.
    pub chunk_units: u32,
    /// What every tenant is held to in front of the pool, a round being a second; nothing where absent.
    pub rate_limit: Option<RateLimit>,
    /// The most requests of one tenant that are not finished; more are refused. No limit where absent.
    pub backlog_max: Option<u32>,
    /// What a small request costs, in tokens and in a scheduler's account; its units where absent.
    pub small_cost: Option<u32>,
    /// What a scan, or a chunk of one, costs; likewise.
    pub scan_cost: Option<u32>,
}

impl Default for SharedPool {
    fn default() -> Self {
        Self {
            capacity: 540,
            tenant_count: 200,
            scan_interval_rounds: 60,
            rounds: 600,
            discipline: Discipline::ArrivalOrder,
            largest_scans_fivefold: false,
            small_grew: false,
            chunk_units: 0,
            rate_limit: None,
            backlog_max: None,
            small_cost: None,
            scan_cost: None,
        }
    }
}

/// What a request asks for.
#[derive(Clone, Copy, Debug)]
enum Endpoint {
    Small,
    Scan,
}

/// In which order the pool serves.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Discipline {
    /// One queue for all.
    ArrivalOrder,
    /// Equal allotments of every round among the tenants with work.
    FairShare,
    /// A scheduler of the registry: it says whose request is begun next.
    Registered(Scheduler),
}

/// What one tenant, or several, asked and got.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Account {
    /// Requests let through.
    pub requests: u64,
    /// What they take of the pool.
    pub units: u64,
    /// Requests refused, by the rate limit or a full backlog.
    pub refused: u64,
    /// Those of them that the rate limit refused.
    pub rate_limited: u64,
    /// What all refused ones would have taken.
    pub units_refused: u64,
    /// Requests finished.
    pub done: u64,
    /// Rounds from arrival to finish, over all finished requests.
    pub delay_rounds: u64,
    /// The longest of them.
    pub max_delay_rounds: u32,
    /// The largest single request that was let through.
    #[serde(skip)]
    pub units_max: u32,
}

impl SharedPool {
    /// Plays all rounds, and gives one account for each tenant, by rank.
    ///
    /// # Errors
    ///
    /// If a parameter makes no sense, or they ask for more than can be simulated.
    pub fn play(&self) -> Result<Vec<Account>, BadInput> {
        self.check()?;
        match self.discipline {
            Discipline::ArrivalOrder => self.play_with(ArrivalOrder::default()),
            Discipline::FairShare => self.play_with(FairShare::new(self.tenant_count)),
            Discipline::Registered(scheduler) => {
                self.play_with(Registered::new(scheduler, self.tenant_count))
            }
        }
    }

    fn play_with(&self, mut pool: impl Serve) -> Result<Vec<Account>, BadInput> {
        let mut accounts = vec![Account::default(); self.tenant_count as usize];
        let mut demand = Demand::new(self);
        let gate = RateGate::new(self.rate_limit);
        // By rank: requests that were let through and are not finished.
        let mut waiting = vec![0_u32; self.tenant_count as usize];
        for round in 1..=self.rounds {
            let now_us = u64::from(round) * ROUND_US;
            demand.round(round, |index, endpoint, units| {
                let tenant = Tenant::new(u32::try_from(index).expect("tenants are 32 bits"));
                let cost = self.cost(endpoint, units);
                let push = || {
                    let has_room = self.backlog_max.is_none_or(|most| waiting[index] < most);
                    if has_room {
                        pool.push(Request {
                            tenant,
                            cost,
                            units_left: units,
                            arrived: round,
                        });
                    }
                    has_room
                };
                match gate.push(tenant, cost, now_us, push) {
                    Ok(()) => {
                        accounts[index].ask(units);
                        waiting[index] += 1;
                    }
                    Err(denied) => accounts[index].refuse(units, denied.layer),
                }
            });
            let all_waiting: u64 = waiting.iter().copied().map(u64::from).sum();
            if all_waiting > JOBS_MAX as u64 {
                return Err(BadInput::new(format!(
                    "more than {JOBS_MAX} requests wait in round {round}: give the pool more capacity, or fewer rounds"
                )));
            }
            pool.serve(round, self.capacity, |request| {
                let index = position(request.tenant);
                accounts[index].finish(round - request.arrived);
                waiting[index] -= 1;
            });
        }
        Ok(accounts)
    }

    fn cost(&self, endpoint: Endpoint, units: u32) -> Cost {
        let cost = match endpoint {
            Endpoint::Small => self.small_cost,
            Endpoint::Scan => self.scan_cost,
        };
        Cost::new(cost.unwrap_or(units))
    }

    fn check(&self) -> Result<(), BadInput> {
        let counts = [
            ("tenants", self.tenant_count),
            ("scan-interval", self.scan_interval_rounds),
            ("rounds", self.rounds),
            ("capacity", self.capacity),
        ];
        if let Some((name, _)) = counts.iter().find(|(_, count)| *count == 0) {
            return Err(BadInput::new(format!("{name} is 0: give at least 1")));
        }
        let steps = u64::from(self.rounds) * u64::from(self.tenant_count);
        if steps > STEPS_MAX || self.tenant_count as usize > TENANTS_MAX {
            return Err(BadInput::new(format!(
                "{} tenants for {} rounds are too many: at most {TENANTS_MAX} tenants, and {STEPS_MAX} tenants x rounds",
                self.tenant_count, self.rounds
            )));
        }
        Ok(())
    }
}

impl Account {
    /// A request was let through.
    pub fn ask(&mut self, units: u32) {
        self.requests += 1;
        self.units += u64::from(units);
        self.units_max = self.units_max.max(units);
    }

    /// A request was refused.
    pub fn refuse(&mut self, units: u32, layer: Layer) {
        self.refused += 1;
        self.rate_limited += u64::from(layer == Layer::RateLimit);
        self.units_refused += u64::from(units);
    }

    /// A request is done.
    pub fn finish(&mut self, delay_rounds: u32) {
        self.done += 1;
        self.delay_rounds += u64::from(delay_rounds);
        self.max_delay_rounds = self.max_delay_rounds.max(delay_rounds);
    }

    /// Several accounts as one.
    #[must_use]
    pub fn sum(accounts: &[Self]) -> Self {
        accounts.iter().fold(Self::default(), |sum, account| Self {
            requests: sum.requests + account.requests,
            units: sum.units + account.units,
            refused: sum.refused + account.refused,
            rate_limited: sum.rate_limited + account.rate_limited,
            units_refused: sum.units_refused + account.units_refused,
            done: sum.done + account.done,
            delay_rounds: sum.delay_rounds + account.delay_rounds,
            max_delay_rounds: sum.max_delay_rounds.max(account.max_delay_rounds),
            units_max: sum.units_max.max(account.units_max),
        })
    }
}

impl Discipline {
    /// How records name it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::ArrivalOrder => "arrival_order",
            Self::FairShare => "fair_share",
            Self::Registered(scheduler) => scheduler.name,
        }
    }
}

impl PartialEq for Discipline {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl fmt::Display for Discipline {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl From<Discipline> for String {
    fn from(discipline: Discipline) -> Self {
        discipline.name().to_owned()
    }
}

impl TryFrom<String> for Discipline {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        match name.replace('-', "_").as_str() {
            "arrival_order" => Ok(Self::ArrivalOrder),
            "fair_share" => Ok(Self::FairShare),
            name => Scheduler::named(name).map(Self::Registered).ok_or_else(|| {
                format!(
                    "no discipline `{name}`: arrival-order, fair-share or a registered scheduler"
                )
            }),
        }
    }
}
