//! What is compared: every scheduler of the registry, and the floors, behind one small trait.

use records::runs::FLOOR;
use schedulers::{FairQueue, LagMax, Limits, Settings, Share, Tenant};

use crate::costs::Costs;
use crate::timed::floors::{HashMapRing, Plain};
use crate::workload::{Arrival, Job};

/// A queue under measurement.
pub trait Contender {
    /// Pushes a job. One that is refused is lost, and will be missed when the books are closed.
    fn push(&mut self, arrival: Arrival, job: Job);

    /// Takes the next job and completes it at its cost.
    fn take(&mut self) -> Option<(Arrival, Job)>;

    /// Empties the queue at once, whatever it holds.
    fn reclaim(&mut self) -> Vec<Job>;

    /// The fairness it promises.
    fn lag_max(&self) -> Option<LagMax>;
}

/// A scheduler of the registry.
#[derive(Debug)]
pub struct Scheduler<Q>(Q);

impl<Q: FairQueue<Job>> Scheduler<Q> {
    fn new(mut queue: Q, tenants: u32, costs: Costs) -> Self {
        for tenant in (0..tenants).map(Tenant::new) {
            let weight = costs.weight(tenant);
            let limits = Limits {
                weight,
                ..Limits::default()
            };
            // A tenant of default limits is left alone: it appears with its first push.
            if limits != Limits::default() {
                let _ = queue.configure(tenant, limits);
            }
        }
        Self(queue)
    }
}

impl<Q: FairQueue<Job>> Contender for Scheduler<Q> {
    #[inline(always)]
    fn push(&mut self, arrival: Arrival, job: Job) {
        let _ = self.0.push(arrival.tenant, arrival.cost, job);
    }

    #[inline(always)]
    fn take(&mut self) -> Option<(Arrival, Job)> {
        let taken = self.0.take()?;
        let (tenant, cost) = (taken.ticket.tenant(), taken.ticket.cost());
        self.0.complete(taken.ticket, cost);
        Some((Arrival { tenant, cost }, taken.job))
    }

    fn reclaim(&mut self) -> Vec<Job> {
        let left = self.0.close_and_reclaim();
        left.into_iter().map(|(_, job)| job).collect()
    }

    fn lag_max(&self) -> Option<LagMax> {
        self.0.lag_max()
    }
}

/// The name of a contender, and the jobs it is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// As in the registry, with `_mix` behind it where costs are mixed.
    pub name: String,
    /// Whether it is a floor, and no scheduler.
    pub is_floor: bool,
    /// What its jobs cost.
    pub costs: Costs,
}

/// Does something with every contender, each as its own type: no call in a timed loop is virtual.
pub trait Visitor {
    /// Sees one contender, and how to make it for so many tenants and such jobs.
    fn visit<C: Contender + 'static>(
        &mut self,
        entry: &Entry,
        build: impl Fn(u32, Costs) -> C + 'static,
    );
}

/// Shows every contender: the floors, then the registry line by line.
pub fn for_each_contender(visitor: &mut impl Visitor) {
    let floor = |name: &str| Entry {
        name: name.to_owned(),
        is_floor: true,
        costs: Costs::Unit,
    };
    visitor.visit(&floor(FLOOR), |_, _| Plain::default());
    visitor.visit(&floor("hash_map_ring"), |_, _| HashMapRing::default());
    macro_rules! visit_schedulers {
        ($($name:ident => $new:expr,)*) => {
            $(visit_scheduler(visitor, stringify!($name), |settings| $new(settings));)*
        };
    }
    schedulers::for_each_scheduler!(visit_schedulers);
}

/// One that shares cost by weight competes twice: on equal jobs, and on the mix it is made for.
fn visit_scheduler<Q: FairQueue<Job> + 'static>(
    visitor: &mut impl Visitor,
    name: &str,
    new: impl Fn(&Settings) -> Q + Copy + 'static,
) {
    let entry = |name: String, costs| Entry {
        name,
        is_floor: false,
        costs,
    };
    let build = move |tenants, costs: Costs| Scheduler::new(new(&costs.settings()), tenants, costs);
    visitor.visit(&entry(name.to_owned(), Costs::Unit), build);

    let promise = new(&Settings::default()).lag_max();
    if promise.is_some_and(|promise| promise.share == Share::Cost) {
        visitor.visit(&entry(format!("{name}_mix"), Costs::Mix), build);
    }
}
