//! Faults that people reported of fair queues in public, turned into tests of every scheduler to which
//! they apply. Each test is named after what it checks and cites where the fault was seen.

mod changes;
mod costs;
mod leases;
mod leaving;
mod sleeping;
mod turns;
mod waking;

use schedulers::laws::{Job, Subject};
use schedulers::{Cost, FairQueue, Quantum, Settings, Share, Tenant};

const A: Tenant = Tenant::new(0);
const B: Tenant = Tenant::new(1);
const C: Tenant = Tenant::new(2);

macro_rules! subjects {
    ($($name:ident => $new:expr,)*) => {
        vec![$(Subject {
            name: stringify!($name),
            new: |settings| Box::new($new(settings)),
        }),*]
    };
}

/// Every scheduler of the registry.
fn all() -> Vec<Subject> {
    schedulers::for_each_scheduler!(subjects)
}

/// Those that promise fairness of some kind.
fn fair() -> impl Iterator<Item = Subject> {
    all().into_iter().filter(|subject| share(subject).is_some())
}

/// Those that share cost by weight.
fn by_cost() -> impl Iterator<Item = Subject> {
    fair().filter(|subject| share(subject) == Some(Share::Cost))
}

fn share(subject: &Subject) -> Option<Share> {
    let lag_max = (subject.new)(&Settings::default()).lag_max()?;
    Some(lag_max.share)
}

/// A queue under test.
struct Queue {
    name: &'static str,
    queue: Box<dyn FairQueue<Job>>,
}

impl Queue {
    fn new(subject: &Subject) -> Self {
        Self::with_quantum(subject, 1)
    }

    fn with_quantum(subject: &Subject, quantum: u32) -> Self {
        let quantum = Quantum::new(quantum).expect("not zero");
        let settings = Settings {
            quantum,
            ..Settings::default()
        };
        Self {
            name: subject.name,
            queue: (subject.new)(&settings),
        }
    }

    fn push(&mut self, tenant: Tenant, jobs: u64, cost: u32) {
        for job in 0..jobs {
            let accepted = self.queue.push(tenant, Cost::new(cost), job);
            accepted.expect("a queue without limits accepts a push");
        }
    }

    /// Takes a job and completes it: whose was it?
    fn serve(&mut self) -> Tenant {
        let taken = self.queue.take();
        let ticket = taken
            .unwrap_or_else(|| panic!("{} gave no job", self.name))
            .ticket;
        let (tenant, cost) = (ticket.tenant(), ticket.cost());
        self.queue.complete(ticket, cost);
        tenant
    }

    /// Whose jobs the next takes give.
    fn serve_many(&mut self, jobs: usize) -> Vec<Tenant> {
        (0..jobs).map(|_| self.serve()).collect()
    }
}

/// How often each of the first tenants was served.
fn turns<const TENANTS: usize>(served: &[Tenant]) -> [usize; TENANTS] {
    std::array::from_fn(|index| {
        let own = served
            .iter()
            .filter(|tenant| tenant.index() as usize == index);
        own.count()
    })
}
