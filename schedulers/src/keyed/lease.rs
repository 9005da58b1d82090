//! A keyed ticket that completes itself: whatever becomes of the job, its tenant's slot comes back.

use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::ops::Deref;

use super::shared::{KeyedJob, SharedKeyed, SharedKeyedTicket};
use crate::{Cost, SharedFairQueue, Taken};

/// A ticket that completes itself when it is dropped: at the end of the job, in a worker that
/// panics, with a future that nobody polls any more.
///
/// It holds the queue as you do, by reference or in an `Arc`. With an `Arc` it is `Send + 'static`
/// where the queue is. Dropped, it charges what was last [settled](Self::settle), or else the cost given
/// at the push.
///
/// ```
/// use std::sync::Arc;
/// use schedulers::discipline::ActiveList;
/// use schedulers::keyed::SharedKeyed;
/// use schedulers::{Cost, Locked, Settings, TenantQueue};
///
/// let queue = Locked::new(TenantQueue::<ActiveList, _>::new(&Settings::default()));
/// let queue: Arc<SharedKeyed<String, _>> = Arc::new(SharedKeyed::new(queue));
/// queue.push("globex", Cost::new(10), "a job").unwrap();
///
/// let (job, mut lease) = queue.take().unwrap().lease(Arc::clone(&queue));
/// let worker = std::thread::spawn(move || {
///     assert_eq!(lease.key(), "globex");
///     lease.settle(Cost::new(4)); // cheaper than thought
///     panic!("in the middle of {job}");
/// });
/// assert!(worker.join().is_err());
/// assert_eq!(queue.in_flight("globex"), 0);
/// ```
#[must_use = "a lease that is dropped at once ends its job at once"]
pub struct KeyedLease<K, H> {
    queue: H,
    /// `Some` until the drop.
    ticket: Option<SharedKeyedTicket<K>>,
    /// What the drop will charge.
    actual: Cost,
    /// How the queue completes a ticket: known where the lease is made, so that its type need not tell.
    complete: fn(&H, SharedKeyedTicket<K>, Cost),
}

impl<K, J> Taken<J, SharedKeyedTicket<K>> {
    /// The job, and a lease in place of its ticket. `queue` is the very queue that it was taken from: a
    /// reference, an `Arc` or another pointer to it.
    ///
    /// # Panics
    ///
    /// The lease, when it is dropped, if it was given another queue.
    pub fn lease<Q, S, H>(self, queue: H) -> (J, KeyedLease<K, H>)
    where
        K: Hash + Eq + Clone,
        Q: SharedFairQueue<KeyedJob<K, J>>,
        S: BuildHasher + Clone,
        H: Deref<Target = SharedKeyed<K, Q, S>>,
    {
        let lease = KeyedLease {
            queue,
            actual: self.ticket.cost(),
            ticket: Some(self.ticket),
            complete: |queue, ticket, actual| queue.complete(ticket, actual),
        };
        (self.job, lease)
    }
}

impl<K, H> KeyedLease<K, H> {
    /// Whose job it is.
    #[must_use]
    pub fn key(&self) -> &K {
        self.ticket().key()
    }

    /// The cost given at the push.
    #[must_use]
    pub fn cost(&self) -> Cost {
        self.ticket().cost()
    }

    /// Says what the job really costs, as far as is known: the drop charges it. The last word counts.
    pub fn settle(&mut self, actual: Cost) {
        self.actual = actual;
    }

    fn ticket(&self) -> &SharedKeyedTicket<K> {
        let ticket = self.ticket.as_ref();
        ticket.expect("only the drop takes the ticket")
    }
}

impl<K, H> Drop for KeyedLease<K, H> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            (self.complete)(&self.queue, ticket, self.actual);
        }
    }
}

impl<K, H> fmt::Debug for KeyedLease<K, H> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("KeyedLease")
            .field("cost", &self.cost())
            .field("actual", &self.actual)
            .finish_non_exhaustive()
    }
}
