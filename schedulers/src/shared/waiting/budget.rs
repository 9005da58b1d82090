//! What keeps a queue that is never empty from holding a thread: a loop of takes that are all ready
//! at once never returns to its executor, so timers and other tasks would not run (a runtime's own
//! budget does not count futures that are not its own).

use std::cell::Cell;
use std::future::poll_fn;
use std::task::Poll;

use crate::sync::thread_local;

/// The most takes that one poll of a task goes through; the next one yields first. It is tokio's
/// own budget.
pub(super) const READY_MAX: u32 = 128;

thread_local! {
    /// How many takes may still be ready on this thread before one yields. Of the thread and not of
    /// a queue or future: only a thread can say that nothing else ran between two takes.
    static LEFT: Cell<u32> = Cell::new(READY_MAX);
}

/// Ready at once while the budget lasts; then pending once, to be polled again as soon as the
/// executor has seen to its other work.
///
/// To be awaited before anything is held that a dropped future would lose.
pub(super) async fn spend() {
    let mut yielded = false;
    poll_fn(|context| {
        let left = if yielded {
            READY_MAX
        } else {
            LEFT.with(Cell::get)
        };
        if left == 0 {
            yielded = true;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        LEFT.with(|cell| cell.set(left - 1));
        Poll::Ready(())
    })
    .await;
}
