//! The law of settled costs.

use std::collections::VecDeque;

use super::Effort;
use super::law::{Breach, Law, Subject};
use super::stage::Stage;
use crate::{Cost, LagMax, Limits, Share, Tenant, Weight};

pub(super) const SETTLED_COSTS_KEEP_THE_BOOKS: Law = Law {
    name: "settled_costs_keep_the_books",
    statement: "where cost is shared, tenants with work are served by weight of what their jobs really \
                cost, whatever was said at the push",
    verify: settled_costs_keep_the_books,
};

/// What a tenant says its jobs cost and what they really cost, one after the other.
type Statements = &'static [(u32, u32)];

/// Nobody states more, and nobody costs more.
const COST_MAX: u32 = 20;

/// One honest tenant, and one of each kind that is not; with the weights they have.
const TENANTS: [(u32, Statements); 5] = [
    (1, &[(5, 5)]),
    (1, &[(1, 20)]),
    (2, &[(20, 1)]),
    (3, &[(20, 1), (1, 1), (0, 20), (5, 0)]),
    (1, &[(1, 1), (1, 1), (20, 0)]),
];

/// How many jobs are in flight at once, and what weight 1 earns in a turn.
const POOLS: [(usize, u32); 4] = [(1, 1), (4, 1), (1, 5), (4, 5)];

fn settled_costs_keep_the_books(subject: &Subject, _effort: &Effort) -> Result<u64, Breach> {
    let pools = POOLS.into_iter();
    pools
        .map(|(workers, quantum)| keep_books(subject, workers, quantum))
        .sum()
}

fn keep_books(subject: &Subject, workers: usize, quantum: u32) -> Result<u64, Breach> {
    let mut stage = Stage::new(subject, quantum);
    let lag_max = match stage.queue.lag_max() {
        Some(lag_max) if lag_max.share == Share::Cost => lag_max,
        _ => return Ok(0),
    };
    let mut books = Books::new(lag_max, workers);
    for index in 0..TENANTS.len() {
        let limits = Limits {
            weight: weight(index),
            ..Limits::default()
        };
        stage.configure(tenant(index), limits)?;
    }
    let mut in_flight = VecDeque::new();
    for _ in 0..2_000 {
        for index in 0..TENANTS.len() {
            while stage.queue.backlog(tenant(index)) < 2 {
                stage.push(tenant(index), books.push(index))?;
            }
        }
        in_flight.push_back(stage.take()?);
        if in_flight.len() == workers {
            let ticket = in_flight.pop_front().expect("one at least");
            let actual = books.complete(ticket.tenant());
            stage.complete(ticket, actual);
            books.check()?;
        }
    }
    Ok(stage.operations)
}

fn tenant(index: usize) -> Tenant {
    Tenant::new(u32::try_from(index).expect("a few tenants"))
}

fn weight(index: usize) -> Weight {
    Weight::new(TENANTS[index].0).expect("in range")
}

/// What each tenant really had.
struct Books {
    lag_max: LagMax,
    /// The most by which a tenant's account may be wrong until its jobs in flight are settled: each
    /// is charged what it does not cost, and was charged what another did not.
    cost_max: Cost,
    /// Real costs of the jobs not yet completed, in lane order.
    unsettled: [VecDeque<Cost>; TENANTS.len()],
    pushed: [usize; TENANTS.len()],
    service: [u64; TENANTS.len()],
}

impl Books {
    fn new(lag_max: LagMax, workers: usize) -> Self {
        let jobs = u32::try_from(2 * workers + 1).expect("a few workers");
        Self {
            lag_max,
            cost_max: Cost::new(COST_MAX * jobs),
            unsettled: Default::default(),
            pushed: Default::default(),
            service: Default::default(),
        }
    }

    /// The cost that is stated for the tenant's next job.
    fn push(&mut self, index: usize) -> Cost {
        let (_, statements) = TENANTS[index];
        let (stated, actual) = statements[self.pushed[index] % statements.len()];
        self.pushed[index] += 1;
        self.unsettled[index].push_back(Cost::new(actual));
        Cost::new(stated)
    }

    /// The real cost of the tenant's oldest job, which is now known.
    fn complete(&mut self, tenant: Tenant) -> Cost {
        let index = tenant.position();
        let actual = self.unsettled[index]
            .pop_front()
            .expect("each job is completed once");
        self.service[index] += Share::Cost.of(actual);
        actual
    }

    fn check(&self) -> Result<(), Breach> {
        for one in 0..TENANTS.len() {
            for other in one + 1..TENANTS.len() {
                let [a, b] = [one, other].map(|index| (self.service[index], weight(index)));
                if !self.lag_max.allows(a, b, self.cost_max) {
                    return Err(Breach::new(
                        format!("real service by weight of tenants {one} and {other}"),
                        format!("{a:?} and {b:?}"),
                    ));
                }
            }
        }
        Ok(())
    }
}
