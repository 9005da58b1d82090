//! The takes that wait, and how they end.

use std::fmt;
use std::time::{Duration, Instant};

use event_listener::Listener;

use super::{Waiting, budget};
use crate::{SharedFairQueue, Taken};

/// The queue was closed, and its last job taken: no job will ever come again. The end of a worker's
/// loop, and no failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Closed;

impl<Q> Waiting<Q> {
    /// Takes the next job; blocks this thread while no tenant is eligible. For threads: in a task, use
    /// [`take_async`](Self::take_async).
    ///
    /// # Errors
    ///
    /// [`Closed`] when the queue is closed and empty.
    pub fn take_blocking<J>(&self) -> Result<Taken<J>, Closed>
    where
        Q: SharedFairQueue<J>,
    {
        loop {
            if let Some(end) = self.attempt() {
                return end;
            }
            let sleeper = self.listen();
            if let Some(end) = self.attempt() {
                return end;
            }
            sleeper.listener.wait();
        }
    }

    /// Takes the next job; blocks this thread while no tenant is eligible, but no longer than
    /// `timeout`. `Ok(None)` says that none came in time. It looks at least once, and a timeout beyond
    /// what the clock can count is none.
    ///
    /// This is the one place that reads a clock; the queues themselves never do.
    ///
    /// # Errors
    ///
    /// [`Closed`] when the queue is closed and empty.
    pub fn take_timeout<J>(&self, timeout: Duration) -> Result<Option<Taken<J>>, Closed>
    where
        Q: SharedFairQueue<J>,
    {
        if let Some(end) = self.attempt() {
            return end.map(Some);
        }
        let Some(deadline) = Instant::now().checked_add(timeout) else {
            return self.take_blocking().map(Some);
        };
        loop {
            let sleeper = self.listen();
            if let Some(end) = self.attempt() {
                return end.map(Some);
            }
            if sleeper.listener.wait_deadline(deadline).is_none() {
                return Ok(None);
            }
            if let Some(end) = self.attempt() {
                return end.map(Some);
            }
        }
    }

    /// Takes the next job; waits while no tenant is eligible. On any runtime, or none.
    ///
    /// **Cancel safety.** Dropping the future loses nothing: it holds no job while it waits, and a
    /// wake-up that had reached it goes to another worker. A future that was polled and is then neither
    /// polled nor dropped may hold such a wake-up back.
    ///
    /// **Yielding.** Jobs that are ready at once do not keep a task running: on each thread, after
    /// 128 takes in a row the next one yields to the executor first.
    ///
    /// # Errors
    ///
    /// [`Closed`] when the queue is closed and empty.
    pub async fn take_async<J>(&self) -> Result<Taken<J>, Closed>
    where
        Q: SharedFairQueue<J>,
    {
        // Before there is a wake-up to hold: a future dropped while it yields owes nobody anything.
        budget::spend().await;
        loop {
            if let Some(end) = self.attempt() {
                return end;
            }
            let sleeper = self.listen();
            if let Some(end) = self.attempt() {
                return end;
            }
            sleeper.listener.await;
        }
    }

    /// A job, or the end; `None` when there is nothing to do but wait.
    fn attempt<J>(&self) -> Option<Result<Taken<J>, Closed>>
    where
        Q: SharedFairQueue<J>,
    {
        match self.take() {
            Some(taken) => Some(Ok(taken)),
            None => self.is_over().then_some(Err(Closed)),
        }
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the queue is closed and empty: no job will come any more")
    }
}

impl std::error::Error for Closed {}
