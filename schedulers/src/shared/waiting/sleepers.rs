//! Who sleeps, and how they are woken: a list of listeners, and the count that spares everybody else
//! from looking at it.

use event_listener::{Event, EventListener, IntoNotification};

use crate::sync::atomic::{AtomicUsize, Ordering};

/// The workers that wait for a job.
///
/// Alone on its cache lines: every operation on the queue reads the count, and only those who go to
/// sleep or wake write it.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Sleepers {
    /// How many listeners there are, or more: raised before one is added to the list, lowered when it
    /// has left.
    count: AtomicUsize,
    event: Event,
}

/// A worker on the list. Dropped with a wake-up that it did not use, it passes it on.
#[derive(Debug)]
pub(super) struct Sleeper<'a> {
    /// Leaves the list before the count falls: fields are dropped in this order.
    pub(super) listener: EventListener,
    _counted: Counted<'a>,
}

#[derive(Debug)]
struct Counted<'a>(&'a AtomicUsize);

impl Sleepers {
    /// Puts the caller on the list. It must then order this before a last look at the queue, and sleep
    /// only if it finds nothing.
    pub(super) fn listen(&self) -> Sleeper<'_> {
        // Relaxed: the queue's fence that follows orders it before that look; see `any`.
        self.count.fetch_add(1, Ordering::Relaxed);
        let counted = Counted(&self.count);
        Sleeper {
            listener: self.event.listen(),
            _counted: counted,
        }
    }

    /// Whether anybody may sleep: all that an operation costs when nobody does.
    #[inline]
    pub(super) fn any(&self) -> bool {
        // Relaxed, pairs with the increment in `listen`: each side has the queue's fence between what it
        // wrote and what it reads, so a sleeper that is not counted here sees what the caller did.
        self.count.load(Ordering::Relaxed) != 0
    }

    /// Wakes as many sleepers as there are jobs, none that was woken before. First come, first woken.
    #[cold]
    pub(super) fn wake(&self, jobs: usize) {
        // Relaxed, as the queue's fence came before.
        self.event.notify(jobs.additional().relaxed());
    }

    /// Wakes all.
    #[cold]
    pub(super) fn wake_all(&self) {
        self.wake(usize::MAX);
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        // Relaxed, with no partner: a late decrement costs somebody a look at an empty list.
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
