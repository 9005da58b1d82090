//! Takes by name that wait.

use std::hash::{BuildHasher, Hash};
use std::time::Duration;

use super::{KeyedJob, SharedKeyed, SharedKeyedTicket};
use crate::{Closed, SharedFairQueue, Taken, Waiting};

/// Over a [`Waiting`] queue: feature `waiting`.
impl<K: Hash + Eq + Clone, Q, S: BuildHasher + Clone> SharedKeyed<K, Waiting<Q>, S> {
    /// See [`Waiting::take_blocking`].
    ///
    /// # Errors
    ///
    /// [`Closed`] when the queue is closed and empty.
    pub fn take_blocking<J>(&self) -> Result<Taken<J, SharedKeyedTicket<K>>, Closed>
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        self.queue.take_blocking().map(KeyedJob::taken)
    }

    /// See [`Waiting::take_timeout`].
    ///
    /// # Errors
    ///
    /// [`Closed`] when the queue is closed and empty.
    pub fn take_timeout<J>(
        &self,
        timeout: Duration,
    ) -> Result<Option<Taken<J, SharedKeyedTicket<K>>>, Closed>
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        let taken = self.queue.take_timeout(timeout)?;
        Ok(taken.map(KeyedJob::taken))
    }

    /// See [`Waiting::take_async`]: just as safe to cancel.
    ///
    /// # Errors
    ///
    /// [`Closed`] when the queue is closed and empty.
    pub async fn take_async<J>(&self) -> Result<Taken<J, SharedKeyedTicket<K>>, Closed>
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        self.queue.take_async().await.map(KeyedJob::taken)
    }
}
