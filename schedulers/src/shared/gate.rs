//! Open, or shut for good.

use crate::sync::atomic::{AtomicU8, Ordering};

const OPEN: u8 = 0;
/// Pushes are refused; some that came before may be under way.
const SHUTTING: u8 = 1;
/// Every push that came before has ended.
const SHUT: u8 = 2;

/// What every push passes, under the lock of its shard.
pub(super) struct Gate(AtomicU8);

impl Gate {
    pub(super) fn new() -> Self {
        Self(AtomicU8::new(OPEN))
    }

    #[inline(always)]
    pub(super) fn is_shut(&self) -> bool {
        // Acquire: with the Release of `shut`.
        self.0.load(Ordering::Acquire) != OPEN
    }

    /// Refuses all that come from now on, and returns when all that came before have ended. `wait` takes
    /// each shard's lock once: whoever locks after that sees the gate shut, and whoever saw it open
    /// had locked before and has unlocked.
    pub(super) fn shut(&self, wait: impl FnOnce()) {
        // Acquire: with the Release below, so that what those accepted is seen.
        if self.0.load(Ordering::Acquire) == SHUT {
            return;
        }
        // Release: with the load of `is_shut`. Whoever locks a shard after `wait` had it sees this in
        // any case, by the lock.
        self.0.fetch_max(SHUTTING, Ordering::Release);
        wait();
        self.0.store(SHUT, Ordering::Release);
    }
}
