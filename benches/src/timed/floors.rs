//! The floors: what the least one can do costs, so that every number has something to stand on.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, DefaultHasher};

use schedulers::{LagMax, Tenant};

use crate::timed::contender::Contender;
use crate::workload::Arrival;
use crate::workload::Job;

/// One plain queue for all, first in, first out: no tenants, no tickets, no fairness.
#[derive(Default, Debug)]
pub struct Plain(VecDeque<(Arrival, Job)>);

impl Contender for Plain {
    #[inline(always)]
    fn push(&mut self, arrival: Arrival, job: Job) {
        self.0.push_back((arrival, job));
    }

    #[inline(always)]
    fn take(&mut self) -> Option<(Arrival, Job)> {
        self.0.pop_front()
    }

    fn reclaim(&mut self) -> Vec<Job> {
        self.0.drain(..).map(|(_, job)| job).collect()
    }

    fn lag_max(&self) -> Option<LagMax> {
        None
    }
}

/// Std's hash function, with the same keys in every run.
type FixedSeed = BuildHasherDefault<DefaultHasher>;

/// The fair queue as one writes it by hand: a map from tenant to its jobs, and a ring of the tenants
/// that have some. A tenant keeps its empty lane, as one does to save the allocation.
#[derive(Default, Debug)]
pub struct HashMapRing {
    lanes: HashMap<Tenant, VecDeque<(Arrival, Job)>, FixedSeed>,
    /// Every tenant with a job waiting, once.
    ring: VecDeque<Tenant>,
}

impl Contender for HashMapRing {
    #[inline(always)]
    fn push(&mut self, arrival: Arrival, job: Job) {
        let lane = self.lanes.entry(arrival.tenant).or_default();
        if lane.is_empty() {
            self.ring.push_back(arrival.tenant);
        }
        lane.push_back((arrival, job));
    }

    #[inline(always)]
    fn take(&mut self) -> Option<(Arrival, Job)> {
        let tenant = self.ring.pop_front()?;
        let lane = self.lanes.get_mut(&tenant)?;
        let taken = lane.pop_front();
        if !lane.is_empty() {
            self.ring.push_back(tenant);
        }
        taken
    }

    fn reclaim(&mut self) -> Vec<Job> {
        self.ring.clear();
        let lanes = self.lanes.values_mut();
        lanes
            .flat_map(|lane| lane.drain(..))
            .map(|(_, job)| job)
            .collect()
    }

    fn lag_max(&self) -> Option<LagMax> {
        Some(LagMax::ONE_TURN)
    }
}
