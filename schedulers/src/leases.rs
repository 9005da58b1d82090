//! Which leases are held, whose they are and since when: for those who ask, at the cost of a small
//! ordered map; a plain [`Lease`] pays nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::sync::Mutex;
use crate::{Lease, SharedFairQueue, Taken, Tenant};

/// A record of the leases that are held. Clones are the same record.
///
/// Stuck jobs fill their tenant's cap, and then it starves with nothing wrong to be seen: this says
/// whose leases are held, how many and how long. Time is whatever you count it in, an
/// [`Instant`](std::time::Instant) or a number of ticks, and yours to give.
///
/// Taking and dropping a recorded lease cost O(log of the leases held), under one lock.
///
/// ```
/// use schedulers::discipline::ActiveList;
/// use schedulers::{Cost, Leases, Locked, Settings, SharedFairQueue, Tenant, TenantQueue};
///
/// let queue = Locked::new(TenantQueue::<ActiveList, _>::new(&Settings::default()));
/// for job in ["first", "second"] {
///     queue.push(Tenant::new(7), Cost::UNIT, job).unwrap();
/// }
/// let leases = Leases::new();
/// let (_, first) = leases.lease(&queue, queue.take().unwrap(), 1_000);
/// let (_, second) = leases.lease(&queue, queue.take().unwrap(), 1_060);
///
/// let held = leases.held();
/// assert_eq!((held[0].tenant, held[0].leases, held[0].oldest), (Tenant::new(7), 2, 1_000));
/// drop(first);
/// assert_eq!(leases.held()[0].oldest, 1_060);
/// drop(second);
/// assert!(leases.held().is_empty());
/// ```
pub struct Leases<T> {
    book: Arc<Mutex<Book<T>>>,
}

/// The leases that one tenant holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held<T> {
    /// Whose jobs they are for.
    pub tenant: Tenant,
    /// How many.
    pub leases: usize,
    /// When the one held longest was taken.
    pub oldest: T,
}

/// The queue of a recorded lease; it strikes the lease off the record when it goes.
pub struct Holder<H, T> {
    queue: H,
    leases: Leases<T>,
    entry: Entry,
}

/// A tenant, and how many leases had been recorded before this one.
type Entry = (Tenant, u64);

struct Book<T> {
    recorded: u64,
    /// When each lease held was taken; those of a tenant stand together, the oldest first.
    held: BTreeMap<Entry, T>,
}

impl<T: Clone> Leases<T> {
    /// An empty record.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// [`Taken::lease`], on record from `now` until it is dropped.
    ///
    /// # Panics
    ///
    /// The lease, when it is dropped, if the job was not taken from `queue`.
    pub fn lease<J, H>(&self, queue: H, taken: Taken<J>, now: T) -> (J, Lease<J, Holder<H, T>>)
    where
        H: Deref<Target: SharedFairQueue<J>>,
    {
        let entry = self.record(taken.ticket.tenant(), now);
        let leases = self.clone();
        taken.lease(Holder {
            queue,
            leases,
            entry,
        })
    }

    /// Who holds leases, by tenant. O(leases held), under the lock.
    #[must_use]
    pub fn held(&self) -> Vec<Held<T>> {
        let book = self.book.lock();
        let mut tenants: Vec<Held<T>> = Vec::new();
        for (&(tenant, _), since) in &book.held {
            match tenants.last_mut() {
                Some(held) if held.tenant == tenant => held.leases += 1,
                _ => tenants.push(Held {
                    tenant,
                    leases: 1,
                    oldest: since.clone(),
                }),
            }
        }
        tenants
    }

    fn record(&self, tenant: Tenant, now: T) -> Entry {
        let mut book = self.book.lock();
        let entry = (tenant, book.recorded);
        book.recorded += 1;
        book.held.insert(entry, now);
        entry
    }
}

impl<T> Default for Leases<T> {
    fn default() -> Self {
        let book = Book {
            recorded: 0,
            held: BTreeMap::new(),
        };
        Self {
            book: Arc::new(Mutex::new(book)),
        }
    }
}

impl<T> Clone for Leases<T> {
    fn clone(&self) -> Self {
        Self {
            book: Arc::clone(&self.book),
        }
    }
}

impl<H: Deref, T> Deref for Holder<H, T> {
    type Target = H::Target;

    fn deref(&self) -> &H::Target {
        &self.queue
    }
}

impl<H, T> Drop for Holder<H, T> {
    fn drop(&mut self) {
        self.leases.book.lock().held.remove(&self.entry);
    }
}

impl<T> fmt::Debug for Leases<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = self.book.lock().held.len();
        formatter
            .debug_struct("Leases")
            .field("held", &held)
            .finish_non_exhaustive()
    }
}

impl<H, T> fmt::Debug for Holder<H, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Holder").finish_non_exhaustive()
    }
}
