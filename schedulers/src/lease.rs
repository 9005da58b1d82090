//! A ticket that completes itself: whatever becomes of the job, its tenant's slot comes back.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use crate::{Cost, SharedFairQueue, Taken, Tenant, Ticket};

/// A ticket that completes itself when it is dropped: at the end of the job, in a worker that
/// panics, with a future that nobody polls any more.
///
/// It holds the queue as you do, by reference or in an `Arc`. With an `Arc` it is `Send + 'static`
/// where the queue is, and can live in a spawned task or in the body of a streaming response, to the last
/// byte.
///
/// Dropped, it charges what was last [settled](Self::settle), or else the cost given at the push.
/// A lease that is leaked ([`std::mem::forget`], a cycle of `Arc`s) or held for long keeps its slot;
/// [`Leases`](crate::Leases) tells whose and since when.
///
/// ```
/// use std::sync::Arc;
/// use schedulers::discipline::ActiveList;
/// use schedulers::{Cost, Locked, Settings, SharedFairQueue, Tenant, TenantQueue};
///
/// let queue = Arc::new(Locked::new(TenantQueue::<ActiveList, _>::new(&Settings::default())));
/// queue.push(Tenant::new(7), Cost::new(10), "a job").unwrap();
///
/// let (job, mut lease) = queue.take().unwrap().lease(Arc::clone(&queue));
/// let worker = std::thread::spawn(move || {
///     assert_eq!(lease.tenant(), Tenant::new(7));
///     lease.settle(Cost::new(4)); // cheaper than thought
///     panic!("in the middle of {job}");
/// });
/// assert!(worker.join().is_err());
/// assert_eq!(queue.in_flight(Tenant::new(7)), 0);
/// ```
#[must_use = "a lease that is dropped at once ends its job at once"]
pub struct Lease<J, H>
where
    H: Deref<Target: SharedFairQueue<J>>,
{
    queue: H,
    /// `Some` until the drop.
    ticket: Option<Ticket>,
    /// What the drop will charge.
    actual: Cost,
    jobs: PhantomData<fn() -> J>,
}

impl<J> Taken<J> {
    /// The job, and a lease in place of its ticket. `queue` is the very queue that it was taken from: a
    /// reference, an `Arc` or another pointer to it.
    ///
    /// # Panics
    ///
    /// The lease, when it is dropped, if it was given another queue.
    pub fn lease<H>(self, queue: H) -> (J, Lease<J, H>)
    where
        H: Deref<Target: SharedFairQueue<J>>,
    {
        let lease = Lease {
            queue,
            actual: self.ticket.cost(),
            ticket: Some(self.ticket),
            jobs: PhantomData,
        };
        (self.job, lease)
    }
}

impl<J, H> Lease<J, H>
where
    H: Deref<Target: SharedFairQueue<J>>,
{
    /// Whose job it is.
    #[must_use]
    pub fn tenant(&self) -> Tenant {
        self.ticket().tenant()
    }

    /// The cost given at the push.
    #[must_use]
    pub fn cost(&self) -> Cost {
        self.ticket().cost()
    }

    /// Says what the job really costs, as far as is known: the drop charges it. The last word counts,
    /// so a stream may settle as it goes and is charged for what it sent when its reader hangs up.
    pub fn settle(&mut self, actual: Cost) {
        self.actual = actual;
    }

    fn ticket(&self) -> &Ticket {
        self.ticket
            .as_ref()
            .expect("only the drop takes the ticket")
    }
}

impl<J, H> Drop for Lease<J, H>
where
    H: Deref<Target: SharedFairQueue<J>>,
{
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.queue.complete(ticket, self.actual);
        }
    }
}

impl<J, H> fmt::Debug for Lease<J, H>
where
    H: Deref<Target: SharedFairQueue<J>>,
{
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Lease")
            .field("ticket", self.ticket())
            .field("actual", &self.actual)
            .finish_non_exhaustive()
    }
}
