//! How many more jobs the whole queue may hold.

use crossbeam_utils::CachePadded;

use crate::Refusal;
use crate::sync::atomic::{AtomicUsize, Ordering};

/// Room for jobs, counted only where there is a limit: a word that every push and take writes is
/// what shards are there to avoid.
pub(super) struct Room {
    backlog_max: u32,
    /// What is left of the limit: no more than nothing waits for.
    left: Option<CachePadded<AtomicUsize>>,
}

impl Room {
    pub(super) fn new(backlog_max: u32) -> Self {
        let limit = || CachePadded::new(AtomicUsize::new(backlog_max as usize));
        Self {
            backlog_max,
            left: (backlog_max < u32::MAX).then(limit),
        }
    }

    /// Takes room for so many jobs, or none at all.
    #[inline(always)]
    pub(super) fn enter(&self, jobs: usize) -> bool {
        match &self.left {
            None => true,
            Some(left) => {
                // Relaxed, with no partner: room is a number, and jobs are published by the locks.
                let less = |left: usize| left.checked_sub(jobs);
                left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
                    .is_ok()
            }
        }
    }

    /// So many jobs have left, or were never accepted.
    #[inline(always)]
    pub(super) fn leave(&self, jobs: usize) {
        if let Some(left) = &self.left
            && jobs > 0
        {
            left.fetch_add(jobs, Ordering::Relaxed);
        }
    }

    pub(super) fn refusal(&self) -> Refusal {
        Refusal::QueueFull {
            backlog_max: self.backlog_max,
        }
    }
}
