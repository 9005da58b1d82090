//! What is compared under many threads: every scheduler of the registry, shared, and the floors.

use schedulers::discipline::ActiveList;
use schedulers::{
    Cost, Locked, Offer, Pushed, Settings, SharedFairQueue, Taken, TenantQueue, Ticket,
};

use crate::costs::Costs;
use crate::timed::contender::Entry;
use crate::timed::shared::floors::{ArrayFloor, MutexFloor, SegFloor};
use crate::timed::shared::keyed::KeyedScheduler;
use crate::workload::Job;

/// A queue with many owners, under measurement.
pub trait SharedContender: Sync {
    /// What ends a job.
    type Ticket;
    /// What a thread keeps from call to call, so that no batch allocates.
    type Hands: Default;

    /// Pushes a job. One that is refused is lost, and will be missed when the books are closed.
    fn push(&self, offer: Offer<Job>);

    /// Takes the next job.
    fn take(&self) -> Option<(Offer<Job>, Self::Ticket)>;

    /// Completes a job at its cost.
    fn complete(&self, ticket: Self::Ticket);

    /// Pushes a batch, and leaves it empty.
    fn push_batch(&self, hands: &mut Self::Hands, offers: &mut Vec<Offer<Job>>);

    /// Takes up to `max` jobs, completes them, and appends them to `taken`.
    fn take_batch(&self, hands: &mut Self::Hands, max: usize, taken: &mut Vec<Offer<Job>>);

    /// Empties the queue at once, whatever it holds.
    fn reclaim(&self) -> Vec<Offer<Job>>;
}

/// A scheduler of the registry.
#[derive(Debug)]
pub struct SharedScheduler<Q>(Q);

/// What a thread keeps for a scheduler: buffers that are empty between calls.
#[derive(Default, Debug)]
pub struct Buffers {
    taken: Vec<Taken<Job>>,
    done: Vec<(Ticket, Cost)>,
    pushed: Vec<Pushed<Job>>,
}

impl<Q: SharedFairQueue<Job>> SharedContender for SharedScheduler<Q> {
    type Ticket = Ticket;
    type Hands = Buffers;

    #[inline(always)]
    fn push(&self, offer: Offer<Job>) {
        let _ = self.0.push(offer.tenant, offer.cost, offer.job);
    }

    #[inline(always)]
    fn take(&self) -> Option<(Offer<Job>, Ticket)> {
        let taken = self.0.take()?;
        Some((offer(&taken), taken.ticket))
    }

    #[inline(always)]
    fn complete(&self, ticket: Ticket) {
        let cost = ticket.cost();
        self.0.complete(ticket, cost);
    }

    #[inline(always)]
    fn push_batch(&self, hands: &mut Buffers, offers: &mut Vec<Offer<Job>>) {
        self.0.push_batch(offers, &mut hands.pushed);
        hands.pushed.clear();
    }

    #[inline(always)]
    fn take_batch(&self, hands: &mut Buffers, max: usize, taken: &mut Vec<Offer<Job>>) {
        self.0.take_batch(max, &mut hands.taken);
        hand_over(&mut hands.taken, offer, taken, &mut hands.done);
        self.0.complete_batch(&mut hands.done);
    }

    fn reclaim(&self) -> Vec<Offer<Job>> {
        let left = self.0.close_and_reclaim().into_iter();
        let again = |(tenant, job)| Offer {
            tenant,
            cost: Cost::UNIT,
            job,
        };
        left.map(again).collect()
    }
}

/// Appends what was taken to `offers`, and its tickets, at the cost of the job, to those to be completed.
#[inline(always)]
pub(super) fn hand_over<T>(
    taken: &mut Vec<Taken<Job, T>>,
    offer: impl Fn(&Taken<Job, T>) -> Offer<Job>,
    offers: &mut Vec<Offer<Job>>,
    done: &mut Vec<(T, Cost)>,
) {
    for one in taken.drain(..) {
        let offer = offer(&one);
        offers.push(offer);
        done.push((one.ticket, offer.cost));
    }
}

#[inline(always)]
fn offer(taken: &Taken<Job>) -> Offer<Job> {
    Offer {
        tenant: taken.ticket.tenant(),
        cost: taken.ticket.cost(),
        job: taken.job,
    }
}

/// Does something with every shared contender, each as its own type.
pub trait SharedVisitor {
    /// Sees one contender, and how to make it for so many tenants and at most so many jobs at once.
    fn visit<C: SharedContender>(&mut self, entry: &Entry, build: impl Fn(u32, usize) -> C);
}

/// Shows every shared contender: the floors, then the registry line by line, then keys over one of it.
pub fn for_each_shared_contender(visitor: &mut impl SharedVisitor) {
    let entry = |name: &str, is_floor| Entry {
        name: name.to_owned(),
        is_floor,
        costs: Costs::Unit,
    };
    visitor.visit(&entry(records::runs::SHARED_FLOOR, true), |_, _| {
        SegFloor::default()
    });
    visitor.visit(&entry("array_queue", true), |_, jobs_max| {
        ArrayFloor::new(jobs_max)
    });
    visitor.visit(&entry("mutex_vec_deque", true), |_, _| {
        MutexFloor::default()
    });
    macro_rules! visit_schedulers {
        ($($name:ident: $label:expr => $new:expr,)*) => {
            $(visitor.visit(&entry($label, false), |tenants, _| {
                let settings = Settings { tenants_max: tenants, ..Settings::default() };
                SharedScheduler($new(&settings))
            });)*
        };
    }
    schedulers::for_each_shared_scheduler!(visit_schedulers);
    // The name begins with `keyed`, and the rest is that of the one without keys.
    visitor.visit(&entry("keyed locked active_list", false), |_, _| {
        let queue = TenantQueue::<ActiveList, _>::new(&Settings::default());
        KeyedScheduler::new(Locked::new(queue))
    });
}
