//! A right queue with a fault in one or two of its methods.

use schedulers::laws::Job;
use schedulers::{
    Cost, FairQueue, JobId, LagMax, Limits, Offer, Pushed, Refused, Taken, Tenant, TenantQueue,
    Ticket, UnknownTenant, discipline,
};

/// The right queue.
pub(crate) type Right = TenantQueue<discipline::DeficitRoundRobin, Job>;

/// The methods in which there may be a fault; all others are those of the right queue.
pub(crate) trait Faulty {
    fn inner(&self) -> &Right;
    fn inner_mut(&mut self) -> &mut Right;

    fn push(&mut self, tenant: Tenant, cost: Cost, job: Job) -> Result<JobId, Refused<Job>> {
        self.inner_mut().push(tenant, cost, job)
    }
    fn take(&mut self) -> Option<Taken<Job>> {
        self.inner_mut().take()
    }
    fn complete(&mut self, ticket: Ticket, actual: Cost) {
        self.inner_mut().complete(ticket, actual);
    }
    fn configure(&mut self, tenant: Tenant, limits: Limits) -> Result<(), UnknownTenant> {
        self.inner_mut().configure(tenant, limits)
    }
    fn release(&mut self, tenant: Tenant) -> bool {
        self.inner_mut().release(tenant)
    }
    fn push_batch(&mut self, offers: &mut Vec<Offer<Job>>, pushed: &mut Vec<Pushed<Job>>) {
        let push = |offer: Offer<Job>| self.push(offer.tenant, offer.cost, offer.job);
        pushed.extend(offers.drain(..).map(push));
    }
}

struct Wrapped<F>(F);

/// A queue with the fault.
pub(crate) fn wrap(fault: impl Faulty + 'static) -> Box<dyn FairQueue<Job>> {
    Box::new(Wrapped(fault))
}

impl<F: Faulty> FairQueue<Job> for Wrapped<F> {
    fn push(&mut self, tenant: Tenant, cost: Cost, job: Job) -> Result<JobId, Refused<Job>> {
        self.0.push(tenant, cost, job)
    }
    fn take(&mut self) -> Option<Taken<Job>> {
        self.0.take()
    }
    fn complete(&mut self, ticket: Ticket, actual: Cost) {
        self.0.complete(ticket, actual);
    }
    fn configure(&mut self, tenant: Tenant, limits: Limits) -> Result<(), UnknownTenant> {
        self.0.configure(tenant, limits)
    }
    fn release(&mut self, tenant: Tenant) -> bool {
        self.0.release(tenant)
    }
    fn push_batch(&mut self, offers: &mut Vec<Offer<Job>>, pushed: &mut Vec<Pushed<Job>>) {
        self.0.push_batch(offers, pushed);
    }
    fn cancel(&mut self, job: JobId) -> Option<Job> {
        self.0.inner_mut().cancel(job)
    }
    fn pause(&mut self, tenant: Tenant) -> Result<(), UnknownTenant> {
        self.0.inner_mut().pause(tenant)
    }
    fn resume(&mut self, tenant: Tenant) -> Result<(), UnknownTenant> {
        self.0.inner_mut().resume(tenant)
    }
    fn remove(&mut self, tenant: Tenant) -> Vec<Job> {
        self.0.inner_mut().remove(tenant)
    }
    fn close(&mut self) {
        self.0.inner_mut().close();
    }
    fn close_and_reclaim(&mut self) -> Vec<(Tenant, Job)> {
        self.0.inner_mut().close_and_reclaim()
    }
    fn is_closed(&self) -> bool {
        self.0.inner().is_closed()
    }
    fn backlog(&self, tenant: Tenant) -> usize {
        self.0.inner().backlog(tenant)
    }
    fn in_flight(&self, tenant: Tenant) -> usize {
        self.0.inner().in_flight(tenant)
    }
    fn len(&self) -> usize {
        self.0.inner().len()
    }
    fn lag_max(&self) -> Option<LagMax> {
        self.0.inner().lag_max()
    }
}

/// Says of how many calls one goes wrong.
struct Every {
    calls: u32,
    nth: u32,
}

impl Every {
    const fn new(nth: u32) -> Self {
        Self { calls: 0, nth }
    }

    fn is_due(&mut self) -> bool {
        self.calls += 1;
        self.calls.is_multiple_of(self.nth)
    }
}

/// A fault of this name, with the right queue and the fields it needs.
macro_rules! fault {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty = $value:expr),* } $($method:item)*) => {
        $(#[$doc])*
        pub(crate) struct $name {
            queue: Right,
            $($field: $type,)*
        }

        impl $name {
            pub(crate) fn new(queue: Right) -> Self {
                Self { queue, $($field: $value,)* }
            }
        }

        impl Faulty for $name {
            fn inner(&self) -> &Right {
                &self.queue
            }
            fn inner_mut(&mut self) -> &mut Right {
                &mut self.queue
            }
            $($method)*
        }
    };
}

fault! {
    /// Has none.
    Faultless {}
}

fault! {
    /// Drops an accepted job.
    Lost { due: Every = Every::new(20) }

    fn push(&mut self, tenant: Tenant, cost: Cost, job: Job) -> Result<JobId, Refused<Job>> {
        let accepted = self.queue.push(tenant, cost, job)?;
        if self.due.is_due() {
            self.queue.cancel(accepted);
        }
        Ok(accepted)
    }
}

fault! {
    /// Gives a job a second time.
    Twice { due: Every = Every::new(20) }

    fn push(&mut self, tenant: Tenant, cost: Cost, job: Job) -> Result<JobId, Refused<Job>> {
        if self.due.is_due() {
            let _ = self.queue.push(tenant, cost, job);
        }
        self.queue.push(tenant, cost, job)
    }
}

fault! {
    /// Lets a job overtake the one before it.
    OrderSwapped { due: Every = Every::new(10), last: Option<(JobId, Cost)> = None }

    fn push(&mut self, tenant: Tenant, cost: Cost, job: Job) -> Result<JobId, Refused<Job>> {
        let accepted = self.queue.push(tenant, cost, job)?;
        let last = self.last.replace((accepted, cost));
        if self.due.is_due()
            && let Some((overtaken, cost)) = last.filter(|(last, _)| last.tenant() == tenant)
            && let Some(job) = self.queue.cancel(overtaken)
        {
            self.queue.push(tenant, cost, job)?;
        }
        Ok(accepted)
    }
}

fault! {
    /// Gives nothing now and then, whatever waits.
    Sleeper { due: Every = Every::new(10) }

    fn take(&mut self) -> Option<Taken<Job>> {
        if self.due.is_due() { None } else { self.queue.take() }
    }
}

fault! {
    /// Every tenant may have any number of jobs in flight.
    CapIgnored {}

    fn configure(&mut self, tenant: Tenant, limits: Limits) -> Result<(), UnknownTenant> {
        self.queue.configure(tenant, Limits { in_flight_max: u32::MAX, ..limits })
    }
}

fault! {
    /// Hands back another job when it refuses one.
    JobSwapped {}

    fn push(&mut self, tenant: Tenant, cost: Cost, job: Job) -> Result<JobId, Refused<Job>> {
        let answer = self.queue.push(tenant, cost, job);
        answer.map_err(|refused| Refused { job: refused.job ^ 1, ..refused })
    }
}

fault! {
    /// Takes half of what its jobs cost off the account of one tenant.
    Favourite {}

    fn complete(&mut self, ticket: Ticket, actual: Cost) {
        let is_favourite = ticket.tenant() == Tenant::new(1);
        let actual = if is_favourite { Cost::new(actual.units() / 2) } else { actual };
        self.queue.complete(ticket, actual);
    }
}

fault! {
    /// Never learns what a job really cost.
    Unsettled {}

    fn complete(&mut self, ticket: Ticket, _actual: Cost) {
        let charged = ticket.cost();
        self.queue.complete(ticket, charged);
    }
}

fault! {
    /// Forgets a tenant without jobs, debts and all.
    Forgiving {}

    fn release(&mut self, tenant: Tenant) -> bool {
        let is_idle = self.queue.backlog(tenant) == 0 && self.queue.in_flight(tenant) == 0;
        if is_idle {
            self.queue.remove(tenant);
        }
        is_idle
    }
}

fault! {
    /// Never forgets anybody.
    Hoarder {}

    fn release(&mut self, _tenant: Tenant) -> bool {
        false
    }
}

fault! {
    /// Pushes a batch tenant by tenant, and answers in the order of the offers all the same.
    BatchRegrouped {}

    fn push_batch(&mut self, offers: &mut Vec<Offer<Job>>, pushed: &mut Vec<Pushed<Job>>) {
        // A full queue refuses the last offers: in another order that would show as a refusal.
        let never_full = self.queue.len() + offers.len() < 60;
        let mut places: Vec<usize> = (0..offers.len()).collect();
        if never_full {
            places.sort_by_key(|&place| offers[place].tenant);
        }
        let push = |place: usize| {
            let Offer { tenant, cost, job } = offers[place];
            (place, self.queue.push(tenant, cost, job))
        };
        let mut answers: Vec<(usize, Pushed<Job>)> = places.into_iter().map(push).collect();
        answers.sort_by_key(|&(place, _)| place);
        pushed.extend(answers.into_iter().map(|(_, answer)| answer));
        offers.clear();
    }
}
