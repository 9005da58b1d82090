//! Which shards have work, and which of them are due in the round that all have reached.

use std::cell::Cell;
use std::fmt;

use crossbeam_utils::CachePadded;

use super::placement::Shards;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::thread_local;

/// What a shard publishes, and what they have reached together.
pub(super) struct DueShards {
    /// A bit for each shard with an eligible tenant: set and cleared under that shard's lock.
    awake: CachePadded<AtomicU64>,
    /// No eligible tenant is due before this round. It only moves on.
    reached: CachePadded<AtomicU64>,
    /// The round in which each shard is due, or `ASLEEP`: written under its lock.
    rounds: Box<[CachePadded<AtomicU64>]>,
}

/// The round of a shard in which no tenant is eligible.
const ASLEEP: u64 = u64::MAX;

thread_local! {
    /// Where this thread begins to look. It moves when the thread meets another at a lock, so threads
    /// spread over the shards, and a thread that meets nobody gets jobs in the same order always.
    #[allow(clippy::missing_const_for_thread_local)] // the model checkers know no `const` here
    static BEGIN: Cell<usize> = Cell::new(0);
}

impl DueShards {
    pub(super) fn new(shards: Shards) -> Self {
        let asleep = |_| CachePadded::new(AtomicU64::new(ASLEEP));
        Self {
            awake: CachePadded::new(AtomicU64::new(0)),
            reached: CachePadded::new(AtomicU64::new(0)),
            rounds: (0..shards.count()).map(asleep).collect(),
        }
    }

    #[inline(always)]
    pub(super) fn reached(&self) -> u64 {
        // Relaxed, with no partner: a round publishes nothing, and an old one is only less exact.
        self.reached.load(Ordering::Relaxed)
    }

    /// Says in which round a shard is due. Its lock is held.
    #[inline(always)]
    pub(super) fn publish(&self, shard: usize, due: Option<u64>) {
        // The last round is kept for those asleep; no clock comes near it.
        let round = due.map_or(ASLEEP, |round| round.min(ASLEEP - 1));
        // Relaxed, both: only holders of the lock write here, one after the other.
        let before = self.rounds[shard].load(Ordering::Relaxed);
        if round == before {
            return;
        }
        self.rounds[shard].store(round, Ordering::Relaxed);
        if before == ASLEEP {
            // Release: with the load of `visit`, which then sees the round.
            self.awake.fetch_or(1 << shard, Ordering::Release);
        } else if round == ASLEEP {
            self.awake.fetch_and(!(1 << shard), Ordering::Release);
        }
    }

    /// Visits a shard that is due, and gives what the visit gave: a number of jobs, at least one. `None`
    /// only if at one instant no tenant was eligible, which is when no shard was awake: all of them are
    /// in one word, and a shard is in it from before the operation that woke it returns until after
    /// the one that put it to sleep began.
    ///
    /// `visit` is given a shard and whether to wait for its lock; it gives `None` if it did not get it,
    /// and 0 if there was nothing due.
    #[inline(always)]
    pub(super) fn visit(
        &self,
        mut visit: impl FnMut(usize, bool) -> Option<usize>,
    ) -> Option<usize> {
        let mask = self.rounds.len() - 1;
        loop {
            // Acquire: with the Release of `publish`.
            let awake = self.awake.load(Ordering::Acquire);
            if awake == 0 {
                return None;
            }
            let begin = BEGIN.with(Cell::get);
            let reached = self.reached();
            let mut next_round = ASLEEP;
            let mut held = None;
            let mut was_due = false;
            for shard in (begin..=begin + mask).map(|shard| shard & mask) {
                if awake >> shard & 1 == 0 {
                    continue;
                }
                let round = self.rounds[shard].load(Ordering::Relaxed);
                if round > reached {
                    next_round = next_round.min(round);
                    continue;
                }
                was_due = true;
                match visit(shard, false) {
                    None => held = held.or(Some(shard)),
                    Some(0) => {}
                    jobs => {
                        if held.is_some() {
                            BEGIN.with(|begin| begin.set(shard));
                        }
                        return jobs;
                    }
                }
            }
            if let Some(shard) = held {
                if let Some(jobs) = visit(shard, true).filter(|&jobs| jobs > 0) {
                    return Some(jobs);
                }
            } else if next_round != ASLEEP {
                if !was_due {
                    self.reached.fetch_max(next_round, Ordering::Relaxed);
                }
            } else if !was_due && let Some(jobs) = self.visit_patiently(awake, &mut visit) {
                return Some(jobs);
            }
        }
    }

    /// Shards that are awake by their bit and asleep by their round are about to say the same in both:
    /// waits for whoever holds their locks.
    #[cold]
    fn visit_patiently(
        &self,
        awake: u64,
        visit: &mut impl FnMut(usize, bool) -> Option<usize>,
    ) -> Option<usize> {
        let awake = (0..self.rounds.len()).filter(|shard| awake >> shard & 1 == 1);
        awake
            .filter_map(|shard| visit(shard, true))
            .find(|&jobs| jobs > 0)
    }
}

impl fmt::Debug for DueShards {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("DueShards")
            .field("awake", &self.awake.load(Ordering::Relaxed))
            .field("reached", &self.reached())
            .finish_non_exhaustive()
    }
}
