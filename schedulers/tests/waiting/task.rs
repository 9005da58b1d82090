//! A take that waits, polled by hand: how often was it woken?

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use schedulers::{Closed, SharedFairQueue, Taken, Waiting};

type Take<'a> = dyn Future<Output = Result<Taken<u64>, Closed>> + 'a;

pub(crate) struct Task<'a> {
    take: Pin<Box<Take<'a>>>,
    wakes: Arc<Wakes>,
}

#[derive(Default)]
struct Wakes(AtomicUsize);

impl<'a> Task<'a> {
    /// A take that found nothing, and waits.
    pub(crate) fn asleep<Q: SharedFairQueue<u64>>(queue: &'a Waiting<Q>) -> Self {
        let mut task = Self {
            take: Box::pin(queue.take_async()),
            wakes: Arc::default(),
        };
        assert!(task.poll().is_pending(), "nothing is eligible yet");
        task
    }

    /// Polls once, as an executor would.
    pub(crate) fn poll(&mut self) -> Poll<Result<Taken<u64>, Closed>> {
        let waker = Waker::from(Arc::clone(&self.wakes));
        self.take.as_mut().poll(&mut Context::from_waker(&waker))
    }

    /// How often it was woken so far.
    pub(crate) fn wakes(&self) -> usize {
        self.wakes.0.load(Ordering::SeqCst)
    }

    /// What it was woken for.
    pub(crate) fn end(mut self) -> Result<u64, Closed> {
        assert!(self.wakes() > 0, "nobody woke it");
        match self.poll() {
            Poll::Ready(end) => end.map(|taken| taken.job),
            Poll::Pending => panic!("woken for nothing"),
        }
    }
}

/// How often each was woken.
pub(crate) fn wakes<const TASKS: usize>(tasks: &[Task<'_>; TASKS]) -> [usize; TASKS] {
    std::array::from_fn(|index| tasks[index].wakes())
}

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}
