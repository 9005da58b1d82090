//! The two traits, what passes through them, and the adapter from shared to owned.
//!
//! [`FairQueue`] has one owner (`&mut self`); [`SharedFairQueue`] has many (`&self`). A reference to
//! a shared queue *is* an owned one, as `&File` is a reader, and [`Locked`](crate::Locked) lifts any
//! owned queue to a shared one; so one set of laws, drivers and benchmarks serves both.

use crate::{Cost, JobId, LagMax, Limits, Refusal, Refused, Tenant, Ticket, UnknownTenant};

/// What a push of a batch is answered: as single pushes would be.
pub type Pushed<J, R = Refusal> = Result<JobId, Refused<J, R>>;

/// A fair queue with one owner.
///
/// A tenant is *eligible* while it has jobs waiting, is below its cap and is not paused. Every
/// implementation holds these laws, which `schedulers::laws` (feature `laws`) checks:
/// each accepted job comes out exactly once, by [`take`](Self::take), [`cancel`](Self::cancel),
/// [`remove`](Self::remove) or [`close_and_reclaim`](Self::close_and_reclaim); a tenant's jobs come
/// out in the order in which they went in; `take` returns `None` only when no tenant is eligible; a
/// refused push changes nothing.
///
/// No queue reads a clock.
pub trait FairQueue<J> {
    /// Appends a job to a tenant's lane. The tenant appears with its first push.
    ///
    /// # Errors
    ///
    /// [`Refused`] gives the job back, unchanged, when the tenant or the queue is full, the handle is
    /// at or beyond the maximum, or the queue is closed.
    fn push(&mut self, tenant: Tenant, cost: Cost, job: J) -> Result<JobId, Refused<J>>;

    /// Takes the next job, or `None` when no tenant is eligible.
    ///
    /// The job is in flight until its [`Ticket`] is given to [`complete`](Self::complete).
    fn take(&mut self) -> Option<Taken<J>>;

    /// Ends a job: frees its tenant's slot, and settles the real cost against what was charged.
    ///
    /// # Panics
    ///
    /// If the ticket was issued by another queue.
    fn complete(&mut self, ticket: Ticket, actual: Cost);

    /// Removes a waiting job from wherever it stands in its lane, in O(1). `None` when the job was
    /// already taken, cancelled or reclaimed, or belongs to another queue.
    fn cancel(&mut self, job: JobId) -> Option<J>;

    /// Changes a tenant's limits at once, for queued work too. A tenant above a lowered cap or limit
    /// loses nothing: it is served or accepted again when it is below.
    ///
    /// # Errors
    ///
    /// [`UnknownTenant`] when the handle is at or beyond the maximum.
    fn configure(&mut self, tenant: Tenant, limits: Limits) -> Result<(), UnknownTenant>;

    /// Stops serving a tenant, while it may still push. Pausing twice is pausing once.
    ///
    /// # Errors
    ///
    /// [`UnknownTenant`] when the handle is at or beyond the maximum.
    fn pause(&mut self, tenant: Tenant) -> Result<(), UnknownTenant>;

    /// Serves a paused tenant again. Resuming a tenant that is not paused does nothing.
    ///
    /// # Errors
    ///
    /// [`UnknownTenant`] when the handle is at or beyond the maximum.
    fn resume(&mut self, tenant: Tenant) -> Result<(), UnknownTenant>;

    /// A tenant leaves: its waiting jobs come back in order, its limits, pause and account are
    /// forgotten, and its memory can be reused. Jobs in flight still complete, and count against the
    /// handle's cap until they do; what they cost in the end is not settled with its next tenant.
    /// O(jobs returned) amortised.
    fn remove(&mut self, tenant: Tenant) -> Vec<J>;

    /// Forgets a tenant if that changes nothing, and says whether it did: no job of it waits or is in
    /// flight, it has the limits of a tenant that nobody configured, is not paused, owes nothing, is
    /// owed nothing and keeps no place in the order. Its handle is then as good as a new one, and may
    /// be given to another tenant; its memory can be reused. O(1) amortised.
    fn release(&mut self, tenant: Tenant) -> bool;

    /// Refuses every later push. What waits can still be taken.
    fn close(&mut self);

    /// Closes, and gives back every waiting job with its tenant: tenant by tenant, in lane order,
    /// those of capped and paused tenants too. Every tenant is [removed](Self::remove) by it.
    /// O(tenants + jobs).
    fn close_and_reclaim(&mut self) -> Vec<(Tenant, J)>;

    /// Whether the queue was closed. Closed and empty means: no job will ever come again.
    fn is_closed(&self) -> bool;

    /// How many of this tenant's jobs wait. 0 for a tenant never seen.
    fn backlog(&self, tenant: Tenant) -> usize;

    /// How many of this tenant's jobs were taken and not yet completed.
    fn in_flight(&self, tenant: Tenant) -> usize;

    /// How many jobs wait in all, eligible or not.
    fn len(&self) -> usize;

    /// Whether no job waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The fairness this queue promises, or `None` where it promises nothing.
    fn lag_max(&self) -> Option<LagMax>;

    /// Takes up to `max` jobs in the order in which single takes would give them, appends them to
    /// `taken`, and returns how many. Fair inside the batch: it is `max` takes, never a run of one lane.
    fn take_batch(&mut self, max: usize, taken: &mut Vec<Taken<J>>) -> usize {
        let before = taken.len();
        taken.extend(std::iter::from_fn(|| self.take()).take(max));
        taken.len() - before
    }

    /// Pushes all offers, in their order, and appends to `pushed` what each push answered. It is that
    /// many pushes: one that is refused does not keep the next from being accepted. Leaves `offers`
    /// empty, with its room for the next batch.
    fn push_batch(&mut self, offers: &mut Vec<Offer<J>>, pushed: &mut Vec<Pushed<J>>) {
        let push = |offer: Offer<J>| self.push(offer.tenant, offer.cost, offer.job);
        pushed.extend(offers.drain(..).map(push));
    }

    /// Completes all tickets, each with its actual cost, and leaves `done` empty.
    ///
    /// # Panics
    ///
    /// If one of the tickets was issued by another queue; those before it are completed.
    fn complete_batch(&mut self, done: &mut Vec<(Ticket, Cost)>) {
        for (ticket, actual) in done.drain(..) {
            self.complete(ticket, actual);
        }
    }
}

/// A fair queue with many owners: [`FairQueue`], taking `&self`. Each method means the same.
#[allow(clippy::missing_errors_doc, clippy::missing_panics_doc)] // as in `FairQueue`
pub trait SharedFairQueue<J>: Sync {
    /// See [`FairQueue::push`].
    fn push(&self, tenant: Tenant, cost: Cost, job: J) -> Result<JobId, Refused<J>>;
    /// See [`FairQueue::take`].
    fn take(&self) -> Option<Taken<J>>;
    /// See [`FairQueue::complete`].
    fn complete(&self, ticket: Ticket, actual: Cost);
    /// See [`FairQueue::cancel`].
    fn cancel(&self, job: JobId) -> Option<J>;
    /// See [`FairQueue::configure`].
    fn configure(&self, tenant: Tenant, limits: Limits) -> Result<(), UnknownTenant>;
    /// See [`FairQueue::pause`].
    fn pause(&self, tenant: Tenant) -> Result<(), UnknownTenant>;
    /// See [`FairQueue::resume`].
    fn resume(&self, tenant: Tenant) -> Result<(), UnknownTenant>;
    /// See [`FairQueue::remove`].
    fn remove(&self, tenant: Tenant) -> Vec<J>;
    /// See [`FairQueue::release`].
    fn release(&self, tenant: Tenant) -> bool;
    /// See [`FairQueue::close`].
    fn close(&self);
    /// See [`FairQueue::close_and_reclaim`].
    fn close_and_reclaim(&self) -> Vec<(Tenant, J)>;
    /// See [`FairQueue::is_closed`].
    fn is_closed(&self) -> bool;
    /// See [`FairQueue::backlog`].
    fn backlog(&self, tenant: Tenant) -> usize;
    /// See [`FairQueue::in_flight`].
    fn in_flight(&self, tenant: Tenant) -> usize;
    /// See [`FairQueue::len`].
    fn len(&self) -> usize;
    /// See [`FairQueue::is_empty`].
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// See [`FairQueue::lag_max`].
    fn lag_max(&self) -> Option<LagMax>;
    /// See [`FairQueue::take_batch`].
    fn take_batch(&self, max: usize, taken: &mut Vec<Taken<J>>) -> usize;
    /// See [`FairQueue::push_batch`]. Pushes of other threads may come between.
    fn push_batch(&self, offers: &mut Vec<Offer<J>>, pushed: &mut Vec<Pushed<J>>);
    /// See [`FairQueue::complete_batch`].
    fn complete_batch(&self, done: &mut Vec<(Ticket, Cost)>);
}

/// Implements [`FairQueue`] by forwarding every method to `$target`, reached from `$self`.
macro_rules! forward_fair_queue {
    ($self:ident => $target:expr) => {
        fn push(&mut $self, tenant: Tenant, cost: Cost, job: J) -> Result<JobId, Refused<J>> {
            $target.push(tenant, cost, job)
        }
        fn take(&mut $self) -> Option<Taken<J>> {
            $target.take()
        }
        fn complete(&mut $self, ticket: Ticket, actual: Cost) {
            $target.complete(ticket, actual);
        }
        fn cancel(&mut $self, job: JobId) -> Option<J> {
            $target.cancel(job)
        }
        fn configure(&mut $self, tenant: Tenant, limits: Limits) -> Result<(), UnknownTenant> {
            $target.configure(tenant, limits)
        }
        fn pause(&mut $self, tenant: Tenant) -> Result<(), UnknownTenant> {
            $target.pause(tenant)
        }
        fn resume(&mut $self, tenant: Tenant) -> Result<(), UnknownTenant> {
            $target.resume(tenant)
        }
        fn remove(&mut $self, tenant: Tenant) -> Vec<J> {
            $target.remove(tenant)
        }
        fn release(&mut $self, tenant: Tenant) -> bool {
            $target.release(tenant)
        }
        fn close(&mut $self) {
            $target.close();
        }
        fn close_and_reclaim(&mut $self) -> Vec<(Tenant, J)> {
            $target.close_and_reclaim()
        }
        fn is_closed(&$self) -> bool {
            $target.is_closed()
        }
        fn backlog(&$self, tenant: Tenant) -> usize {
            $target.backlog(tenant)
        }
        fn in_flight(&$self, tenant: Tenant) -> usize {
            $target.in_flight(tenant)
        }
        fn len(&$self) -> usize {
            $target.len()
        }
        fn lag_max(&$self) -> Option<LagMax> {
            $target.lag_max()
        }
        fn take_batch(&mut $self, max: usize, taken: &mut Vec<Taken<J>>) -> usize {
            $target.take_batch(max, taken)
        }
        fn push_batch(&mut $self, offers: &mut Vec<Offer<J>>, pushed: &mut Vec<Pushed<J>>) {
            $target.push_batch(offers, pushed);
        }
        fn complete_batch(&mut $self, done: &mut Vec<(Ticket, Cost)>) {
            $target.complete_batch(done);
        }
    };
}

/// Shared lowers to owned: whoever has a reference may use the queue as if it were its own.
impl<J, Q: SharedFairQueue<J> + ?Sized> FairQueue<J> for &Q {
    forward_fair_queue!(self => (**self));
}

/// A shared queue with one owner. A reference to a shared queue is an owned one; this is for whoever
/// has to hold the queue itself, as the registry and the laws do.
///
/// ```
/// use schedulers::discipline::ActiveList;
/// use schedulers::{Cost, FairQueue, Locked, Lowered, Settings, Tenant, TenantQueue};
///
/// let shared = Locked::new(TenantQueue::<ActiveList, _>::new(&Settings::default()));
/// let mut queue: Box<dyn FairQueue<&str>> = Box::new(Lowered(shared));
/// queue.push(Tenant::new(0), Cost::UNIT, "job").unwrap();
/// assert_eq!(queue.len(), 1);
/// ```
#[derive(Debug)]
pub struct Lowered<Q>(pub Q);

impl<J, Q: SharedFairQueue<J>> FairQueue<J> for Lowered<Q> {
    forward_fair_queue!(self => self.0);
}

/// A queue behind a pointer, `Box<dyn FairQueue<J>>` among them, for a scheduler chosen at run time.
impl<J, Q: FairQueue<J> + ?Sized> FairQueue<J> for Box<Q> {
    forward_fair_queue!(self => (**self));
}

/// A job that is offered to a queue, in a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offer<J, T = Tenant> {
    /// Whose job it is.
    pub tenant: T,
    /// What it will cost, as far as is known.
    pub cost: Cost,
    /// The job.
    pub job: J,
}

/// A job that was taken, and the ticket that ends it.
#[derive(Debug)]
#[must_use = "a job was taken: run it, then give its ticket to `complete`"]
pub struct Taken<J, T = Ticket> {
    /// The job.
    pub job: J,
    /// Ends the job when given to [`FairQueue::complete`]. Dropped instead, the job stays in flight
    /// for ever and holds a slot of its tenant.
    pub ticket: T,
}
