//! Time for those who have no clock of their own.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Time since the Unix epoch that never steps: the wall's when it was started, and from then on the
/// monotonic clock's. Nothing in this crate reads a clock unless it is given one.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    epoch: Duration,
    started: Instant,
}

impl Clock {
    /// A clock that is right now. A wall clock before 1970 counts as 1970.
    #[must_use]
    pub fn start() -> Self {
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            epoch: epoch.unwrap_or_default(),
            started: Instant::now(),
        }
    }

    /// Time since the Unix epoch.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.epoch + self.started.elapsed()
    }
}
