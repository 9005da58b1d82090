//! What the threads of a run tell each other while it is timed: as little as can be.

use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};

use crossbeam_utils::{Backoff, CachePadded};

/// Between two looks at what the other threads say, in jobs.
pub const CHUNK: usize = 128;

/// Producers wait when they are so many jobs ahead of the consumers.
pub const AHEAD_MAX: usize = 4_096;

/// Whether to stop, and how far producers are ahead.
#[derive(Default, Debug)]
pub struct Signals {
    /// Everybody stops at the end of a chunk. Relaxed on both sides: it carries nothing, and what the
    /// threads did is read after they were joined.
    stop: CachePadded<AtomicBool>,
    /// Jobs that were pushed and not yet taken, but for the chunks that are begun. Relaxed for the same
    /// reason.
    ahead: CachePadded<AtomicIsize>,
}

impl Signals {
    /// Where so many jobs wait already.
    #[must_use]
    pub fn new(waiting: usize) -> Self {
        Self {
            ahead: AtomicIsize::new(waiting.cast_signed()).into(),
            ..Self::default()
        }
    }

    /// Tells everybody to stop.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether somebody did.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Waits until producers are not too far ahead, and says whether to go on.
    #[must_use]
    pub fn may_push_chunk(&self) -> bool {
        let backoff = Backoff::new();
        while self.ahead.load(Ordering::Relaxed) >= AHEAD_MAX.cast_signed() {
            if self.is_stopped() {
                return false;
            }
            backoff.snooze();
        }
        let chunk = CHUNK.cast_signed();
        self.ahead.fetch_add(chunk, Ordering::Relaxed);
        true
    }

    /// So many jobs were taken.
    pub fn took(&self, jobs: usize) {
        self.ahead.fetch_sub(jobs.cast_signed(), Ordering::Relaxed);
    }
}
