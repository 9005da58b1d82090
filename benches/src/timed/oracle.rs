//! Correct before timed: a naive model that watches a contender do exactly what will be timed.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use schedulers::{Cost, LagMax, Tenant};

use crate::costs::Costs;
use crate::failure::Failure;
use crate::timed::contender::Contender;
use crate::workload::Job;
use crate::workload::{Arrival, NOISY, Workload};

/// Longer than this, and the contender is too slow to be timed in this state.
const PATIENCE: Duration = Duration::from_secs(1);

/// How many takes go by between two looks at the clock.
const TAKES_PER_LOOK: u64 = 256;

/// What the model knows of a tenant.
#[derive(Clone, Default, Debug)]
struct Lane {
    jobs: VecDeque<(Arrival, Job)>,
    /// Work served since it and the noisy tenant have both had jobs.
    served: u64,
    /// All work the noisy tenant had been served at that time.
    noisy_before: u64,
}

/// The cost served to the noisy tenant while it and others wait, and what it would have been had all
/// who wait been served the same.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Noise {
    served: f64,
    equal_share: f64,
}

impl Noise {
    /// Served over equal share: 1 is fair, above 1 the neighbours pay. Nothing where nobody shared.
    #[must_use]
    pub fn ratio(self) -> Option<f64> {
        (self.equal_share > 0.0).then(|| self.served / self.equal_share)
    }
}

/// A contender and its model, side by side. From the first wrong answer on it gives no jobs.
#[derive(Debug)]
pub struct Audited<C> {
    contender: C,
    costs: Costs,
    cost_max: Cost,
    promise: Option<LagMax>,
    lanes: Vec<Lane>,
    waiting: usize,
    /// How many tenants have jobs waiting.
    backlogged: u32,
    noise: Noise,
    /// All work the noisy tenant was served.
    noisy_served: u64,
    takes: u64,
    since: Instant,
    failure: Option<Failure>,
}

impl<C: Contender> Audited<C> {
    /// Watches a contender that is empty.
    pub fn new(contender: C, workload: &Workload) -> Self {
        Self {
            promise: contender.lag_max(),
            contender,
            costs: workload.costs,
            cost_max: workload.cost_max(),
            lanes: vec![Lane::default(); workload.tenants as usize],
            waiting: 0,
            backlogged: 0,
            noise: Noise::default(),
            noisy_served: 0,
            takes: 0,
            since: Instant::now(),
            failure: None,
        }
    }

    /// What the noisy tenant got while others waited too.
    pub fn noise(&self) -> Noise {
        self.noise
    }

    /// What was wrong, if anything; also whether somebody still waits for a turn that is overdue.
    ///
    /// # Errors
    ///
    /// The first wrong answer.
    pub fn verdict(&self) -> Result<(), Failure> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let indices = (0..).map(Tenant::new).zip(&self.lanes);
        for (tenant, lane) in indices {
            if !lane.jobs.is_empty() {
                self.check_lag(tenant)?;
            }
        }
        Ok(())
    }

    fn lane(&mut self, tenant: Tenant) -> &mut Lane {
        &mut self.lanes[tenant.index() as usize]
    }

    fn check_taken(&mut self, arrival: Arrival, job: Job) -> Result<(), Failure> {
        self.check_lag(arrival.tenant)?;
        self.count_noise(arrival);
        match self.lane(arrival.tenant).jobs.pop_front() {
            Some(due) if due == (arrival, job) => {}
            Some((_, due)) => {
                return Failure::wrong(format!("{}: job {job} in place of {due}", arrival.tenant));
            }
            None => {
                return Failure::wrong(format!("{}: job {job}, and none waits", arrival.tenant));
            }
        }
        self.waiting -= 1;
        self.backlogged -= u32::from(self.lane(arrival.tenant).jobs.is_empty());
        let work = self
            .promise
            .map_or(0, |promise| promise.share.of(arrival.cost));
        self.lane(arrival.tenant).served += work;
        if arrival.tenant == NOISY {
            self.noisy_served += work;
        }
        self.check_lag(arrival.tenant)
    }

    fn count_noise(&mut self, arrival: Arrival) {
        if self.backlogged < 2 || self.lanes[0].jobs.is_empty() {
            return;
        }
        let cost = f64::from(arrival.cost.units());
        self.noise.equal_share += cost / f64::from(self.backlogged);
        if arrival.tenant == NOISY {
            self.noise.served += cost;
        }
    }

    /// The lag between a tenant and the noisy one, over the time in which both have had jobs. The
    /// noisy tenant is the one that a broken scheduler favours, or starves.
    fn check_lag(&self, tenant: Tenant) -> Result<(), Failure> {
        let (lane, noisy) = (&self.lanes[tenant.index() as usize], &self.lanes[0]);
        let Some(promise) = self.promise else {
            return Ok(());
        };
        if tenant == NOISY || noisy.jobs.is_empty() {
            return Ok(());
        }
        let noisy_served = self.noisy_served - lane.noisy_before;
        let noisy = (noisy_served, self.costs.weight(NOISY));
        let neighbour = (lane.served, self.costs.weight(tenant));
        if promise.allows(noisy, neighbour, self.cost_max) {
            return Ok(());
        }
        Failure::wrong(format!(
            "{tenant} was served {} while the noisy tenant was served {noisy_served}: beyond {promise:?}",
            lane.served
        ))
    }

    fn check_none(&self) -> Result<(), Failure> {
        if self.waiting == 0 {
            return Ok(());
        }
        Failure::wrong(format!(
            "nothing was taken while {} jobs wait",
            self.waiting
        ))
    }

    fn check_patience(&self) -> Result<(), Failure> {
        if !self.takes.is_multiple_of(TAKES_PER_LOOK) || self.since.elapsed() < PATIENCE {
            return Ok(());
        }
        Err(Failure::Slow(format!(
            "{} takes in {PATIENCE:?}",
            self.takes
        )))
    }
}

impl<C: Contender> Contender for Audited<C> {
    fn push(&mut self, arrival: Arrival, job: Job) {
        let (noisy_served, tenant) = (self.noisy_served, arrival.tenant);
        if self.lane(tenant).jobs.is_empty() {
            self.backlogged += 1;
            let lane = self.lane(tenant);
            (lane.served, lane.noisy_before) = (0, noisy_served);
            if tenant == NOISY {
                for lane in &mut self.lanes {
                    (lane.served, lane.noisy_before) = (0, noisy_served);
                }
            }
        }
        self.lane(tenant).jobs.push_back((arrival, job));
        self.waiting += 1;
        self.contender.push(arrival, job);
    }

    fn take(&mut self) -> Option<(Arrival, Job)> {
        if self.failure.is_some() {
            return None;
        }
        self.takes += 1;
        let taken = self.contender.take();
        let answer = match taken {
            Some((arrival, job)) => self.check_taken(arrival, job),
            None => self.check_none(),
        };
        self.failure = answer.and_then(|()| self.check_patience()).err();
        taken
    }

    fn reclaim(&mut self) -> Vec<Job> {
        self.contender.reclaim()
    }

    fn lag_max(&self) -> Option<LagMax> {
        self.promise
    }
}
