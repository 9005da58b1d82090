//! So many requests at once, in the order of the queue.

use std::fmt;
use std::sync::Arc;

use tokio::sync::{Semaphore, oneshot};

use crate::{Cost, JobId, SharedFairQueue, Waiting};

/// What waits in the queue for a request: the way to tell it that its turn has come.
pub struct Turn(oneshot::Sender<Place>);

/// A place among those that are served. Dropped, it frees the place and completes the job.
pub(super) struct Place {
    _held: Box<dyn Send + Sync>,
}

/// Lets requests through, so many at once, in the order of a queue.
///
/// Somebody has to turn it: spawn [`run`](Self::run) once. It ends when the queue is closed and empty,
/// so closing the queue and awaiting it is a graceful shutdown.
pub struct Turnstile<Q> {
    queue: Arc<Waiting<Q>>,
    places: Arc<Semaphore>,
}

impl<Q: SharedFairQueue<Turn>> Turnstile<Q> {
    /// A turnstile with so many places, at least one.
    ///
    /// # Panics
    ///
    /// If there are none, or more than [`Semaphore::MAX_PERMITS`].
    #[must_use]
    pub fn new(queue: Arc<Waiting<Q>>, places: usize) -> Self {
        assert!(places > 0, "a turnstile without places lets nobody through");
        Self {
            queue,
            places: Arc::new(Semaphore::new(places)),
        }
    }

    /// Where requests wait.
    #[must_use]
    pub fn queue(&self) -> &Arc<Waiting<Q>> {
        &self.queue
    }
}

impl<Q: SharedFairQueue<Turn> + Send + 'static> Turnstile<Q> {
    /// Gives turns until the queue is closed and empty. First a place, then whose turn it is: so a
    /// request waits in the queue, where it can be overtaken fairly, and not in front of a place.
    pub async fn run(&self) {
        loop {
            let place = Arc::clone(&self.places).acquire_owned().await;
            let Ok(place) = place else {
                return; // nobody closes the semaphore
            };
            let Ok(taken) = self.queue.take_async().await else {
                return;
            };
            let (Turn(tell), mut lease) = taken.lease(Arc::clone(&self.queue));
            if tell.is_closed() {
                lease.settle(Cost::ZERO); // the client has gone, and was not served
            }
            // Where it went in this very moment, the place comes back with the refusal.
            let _ = tell.send(Place {
                _held: Box::new((lease, place)),
            });
        }
    }

    /// Puts a request into the queue, by `push`.
    pub(super) fn enter<E>(
        &self,
        push: impl FnOnce(&Waiting<Q>, Turn) -> Result<JobId, E>,
    ) -> Result<InLine<Q>, E> {
        let (tell, told) = oneshot::channel();
        let job = push(&self.queue, Turn(tell))?;
        let queue = Arc::clone(&self.queue);
        Ok(InLine { queue, job, told })
    }
}

/// A request that waits for its turn. Dropped, it leaves the queue.
pub(super) struct InLine<Q: SharedFairQueue<Turn>> {
    queue: Arc<Waiting<Q>>,
    job: JobId,
    told: oneshot::Receiver<Place>,
}

impl<Q: SharedFairQueue<Turn>> InLine<Q> {
    /// Waits for the turn. `None` if the queue was emptied, so that it will never come.
    pub(super) async fn turn(mut self) -> Option<Place> {
        (&mut self.told).await.ok()
    }
}

impl<Q: SharedFairQueue<Turn>> Drop for InLine<Q> {
    fn drop(&mut self) {
        // Does nothing once its turn has come: then the place is in the channel, and goes with it.
        self.queue.cancel(self.job);
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Turn").finish()
    }
}

impl<Q> fmt::Debug for Turnstile<Q> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = self.places.available_permits();
        formatter
            .debug_struct("Turnstile")
            .field("places_free", &places)
            .finish_non_exhaustive()
    }
}
