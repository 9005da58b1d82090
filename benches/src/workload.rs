//! The noisy burst, made from a seed before anything is timed.
//!
//! Tenant 0 is noisy: it dumps 2,000 jobs for every 20 tenants, at least 2,000 and at most 200,000.
//! Every other tenant, a neighbour, trickles.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use records::runs::Fingerprint;
use schedulers::{Cost, Offer, Tenant};

use crate::costs::Costs;

/// The seed of every workload.
pub const SEED: u64 = 20_231_116;

/// The tenant that bursts.
pub const NOISY: Tenant = Tenant::new(0);

/// How many arrivals a random trace holds before it starts again: so many that neither caches nor
/// branch predictors learn it.
const TRACE: usize = 1 << 20;

/// The fewest jobs worth one reading of the clock.
pub const BATCH: usize = 2_048;

/// The job itself: its number among all that were pushed.
pub type Job = u64;

/// One job that will be pushed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// Whose it is.
    pub tenant: Tenant,
    /// What it costs.
    pub cost: Cost,
}

impl Arrival {
    /// As it is offered to a queue.
    #[inline(always)]
    #[must_use]
    pub const fn offer(self, job: Job) -> Offer<Job> {
        Offer {
            tenant: self.tenant,
            cost: self.cost,
            job,
        }
    }
}

/// Who is there and what they push.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Workload {
    /// All handles are below this one.
    pub tenants: u32,
    /// What jobs cost and tenants weigh.
    pub costs: Costs,
    /// Pushed and taken again before the start, so that the queue knows their tenants.
    pub known: Vec<Arrival>,
    /// Pushed before the start, untimed.
    pub backlog: Vec<Arrival>,
    /// Pushed while timed, and from the beginning again when all are.
    pub arrivals: Vec<Arrival>,
    /// When each of them is pushed, in the work that the pool could have done by then; nothing where
    /// they are pushed as fast as they can be.
    pub due: Vec<u64>,
}

impl Workload {
    /// The largest cost of a job.
    #[must_use]
    pub fn cost_max(&self) -> Cost {
        let all = [&self.known, &self.backlog, &self.arrivals]
            .into_iter()
            .flatten();
        all.map(|arrival| arrival.cost).max().unwrap_or(Cost::UNIT)
    }

    /// Everything that decides the result, in one short name.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        let parts = [&self.known, &self.backlog, &self.arrivals];
        let mut hash = Fingerprint::of(&self.tenants.to_le_bytes());
        for part in parts {
            hash = hash.and(&part.len().to_le_bytes());
            for arrival in part {
                hash = hash
                    .and(&arrival.tenant.index().to_le_bytes())
                    .and(&arrival.cost.units().to_le_bytes());
            }
        }
        let due = self.due.iter();
        due.fold(hash, |hash, due| hash.and(&due.to_le_bytes()))
    }
}

/// Makes the parts of a workload, one random generator for each part.
#[derive(Debug)]
pub struct Maker {
    tenants: u32,
    costs: Costs,
    random: Xoshiro256PlusPlus,
}

impl Maker {
    /// A maker of jobs of this many tenants, at least 1.
    #[must_use]
    pub fn new(tenants: u32, costs: Costs) -> Self {
        Self {
            tenants,
            costs,
            random: Xoshiro256PlusPlus::seed_from_u64(SEED ^ u64::from(tenants)),
        }
    }

    fn arrival(&mut self, tenant: Tenant) -> Arrival {
        Arrival {
            tenant,
            cost: self.costs.draw(&mut self.random),
        }
    }

    fn arrivals(&mut self, mut tenants: Vec<Tenant>) -> Vec<Arrival> {
        tenants.shuffle(&mut self.random);
        tenants
            .into_iter()
            .map(|tenant| self.arrival(tenant))
            .collect()
    }

    fn handles(&self) -> impl Iterator<Item = Tenant> + use<> {
        (0..self.tenants).map(Tenant::new)
    }

    fn burst_len(&self) -> usize {
        (2_000 * (self.tenants / 20).max(1)).min(200_000) as usize
    }

    /// The burst, and nothing else.
    pub fn noisy_burst(&mut self) -> Vec<Arrival> {
        let burst = std::iter::repeat_n(NOISY, self.burst_len());
        burst.map(|tenant| self.arrival(tenant)).collect()
    }

    /// The burst, and behind it one job of every neighbour, by handle.
    pub fn burst_in_order(&mut self) -> Vec<Arrival> {
        let burst = std::iter::repeat_n(NOISY, self.burst_len());
        let tenants = burst.chain(self.handles().skip(1));
        tenants.map(|tenant| self.arrival(tenant)).collect()
    }

    /// The burst, with one job of every neighbour somewhere in it.
    pub fn burst(&mut self) -> Vec<Arrival> {
        let burst = std::iter::repeat_n(NOISY, self.burst_len());
        self.arrivals(burst.chain(self.handles().skip(1)).collect())
    }

    /// The burst, with one job of every other neighbour somewhere in it.
    pub fn half_burst(&mut self) -> Vec<Arrival> {
        let burst = std::iter::repeat_n(NOISY, self.burst_len());
        self.arrivals(burst.chain(self.handles().skip(1).step_by(2)).collect())
    }

    /// Tenants at random, the noisy one twice as often as another.
    ///
    /// Where half of the neighbours have work, everybody's fair share is two in N; a neighbour asks
    /// for one, the noisy tenant for its two. So it stays that half of them have.
    pub fn churn(&mut self) -> Vec<Arrival> {
        let pick = |maker: &mut Self| match maker.random.random_range(0..=maker.tenants) {
            one_more if one_more == maker.tenants => NOISY,
            index => Tenant::new(index),
        };
        let tenants = (0..TRACE).map(|_| pick(self)).collect();
        self.arrivals(tenants)
    }

    /// One job of every tenant.
    pub fn everybody(&mut self) -> Vec<Arrival> {
        self.arrivals(self.handles().collect())
    }

    /// The same number of jobs of every tenant, enough for a batch; each round of all of them in
    /// another random order.
    pub fn rounds(&mut self) -> Vec<Arrival> {
        let rounds = (2 * BATCH).div_ceil(self.tenants as usize);
        (0..rounds).flat_map(|_| self.everybody()).collect()
    }

    /// Tenants at random out of the 1 % (at least one) that ever send.
    pub fn few_senders(&mut self) -> Vec<Arrival> {
        let mut everybody: Vec<Tenant> = self.handles().collect();
        let (senders, _) =
            everybody.partial_shuffle(&mut self.random, (self.tenants / 100).max(1) as usize);
        let senders = senders.to_vec();
        let pick = |maker: &mut Self| senders[maker.random.random_range(0..senders.len())];
        let tenants = (0..TRACE).map(|_| pick(self)).collect();
        self.arrivals(tenants)
    }

    /// The first arrival of a trace: with it alone, the pool keeps up and the queue is nearly idle.
    #[must_use]
    pub fn first(arrivals: &[Arrival]) -> Vec<Arrival> {
        arrivals[..1].to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(arrivals: &[Arrival], tenant: Tenant) -> usize {
        arrivals
            .iter()
            .filter(|arrival| arrival.tenant == tenant)
            .count()
    }

    #[test]
    fn the_burst_grows_with_the_tenants_up_to_its_limit() {
        for (tenants, jobs) in [
            (1, 2_000),
            (100, 10_000),
            (1_000, 100_000),
            (10_000, 200_000),
        ] {
            let burst = Maker::new(tenants, Costs::Unit).burst();
            assert_eq!(share(&burst, NOISY), jobs, "{tenants} tenants");
            assert_eq!(burst.len(), jobs + tenants as usize - 1);
        }
    }

    #[test]
    fn the_same_seed_makes_the_same_jobs() {
        let burst = || Maker::new(100, Costs::Mix).burst();
        assert_eq!(burst(), burst());
    }

    #[test]
    fn the_noisy_tenant_churns_twice_as_much_as_a_neighbour() {
        let churn = Maker::new(100, Costs::Unit).churn();
        let (noisy, neighbour) = (share(&churn, NOISY), share(&churn, Tenant::new(7)));
        assert!(
            noisy > neighbour * 18 / 10 && noisy < neighbour * 22 / 10,
            "{noisy} {neighbour}"
        );
    }

    #[test]
    fn one_tenant_in_a_hundred_ever_sends() {
        let mut senders: Vec<u32> = Maker::new(1_000, Costs::Unit)
            .few_senders()
            .iter()
            .map(|arrival| arrival.tenant.index())
            .collect();
        senders.sort_unstable();
        senders.dedup();
        assert_eq!(senders.len(), 10);
    }
}
