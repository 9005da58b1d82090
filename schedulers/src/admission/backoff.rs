//! How long a client waits before it tries again.

use std::time::Duration;

/// Exponential back-off: the wait doubles with each failure in a row, up to a cap, where it stays. It
/// never overflows, and is never shorter than what the server asked for.
///
/// It has no jitter: a client draws the part of it that it waits.
///
/// ```
/// use std::time::Duration;
/// use schedulers::admission::Backoff;
///
/// let backoff = Backoff { base: Duration::from_millis(5), cap: Duration::from_secs(1) };
/// assert_eq!(backoff.wait(0, None), Duration::from_millis(5));
/// assert_eq!(backoff.wait(3, None), Duration::from_millis(40));
/// assert_eq!(backoff.wait(200, None), Duration::from_secs(1));
/// assert_eq!(backoff.wait(0, Some(Duration::from_secs(7))), Duration::from_secs(7));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Backoff {
    /// The wait after the first failure.
    pub base: Duration,
    /// The longest wait of its own; a server may ask for a longer one.
    pub cap: Duration,
}

impl Backoff {
    /// The wait after so many failures before this one, and what the server said of it.
    #[must_use]
    pub fn wait(&self, failures_before: u32, retry_after: Option<Duration>) -> Duration {
        // The shortest wait there is has outgrown the longest one after fewer doublings than these.
        let doublings = 0..failures_before.min(128);
        let own = doublings.fold(self.base, |wait, _| wait.saturating_mul(2).min(self.cap));
        let own = own.min(self.cap);
        own.max(retry_after.unwrap_or_default())
    }
}
