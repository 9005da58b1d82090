//! Workers as tokio tasks. Its timers count whole milliseconds, so short services come out longer.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::sleep_until;

use super::Pool;
use super::rate_gate::RateGate;
use super::real::{Floor, SharedQueue, gather, start_of_run};
use crate::log::{Event, Log};
use crate::trace::Trace;
use records::error::BadInput;

/// Runs the trace in real time. Every job takes at least a microsecond, and no cap is 0.
///
/// # Errors
///
/// If the runtime cannot be started.
pub fn run_tasks(
    trace: &Arc<Trace>,
    pool: &Pool,
    queue: &Arc<SharedQueue>,
) -> Result<Log, BadInput> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_time()
        .build()
        .map_err(|error| BadInput::new(format!("the tokio runtime cannot be started: {error}")))?;
    let hall = Arc::new(Hall {
        trace: Arc::clone(trace),
        queue: Arc::clone(queue),
        gate: RateGate::new(pool.rate_limit),
        start: start_of_run(),
        bell: Notify::new(),
    });
    let notes = runtime.block_on(async {
        let workers: Vec<JoinHandle<Vec<Event>>> = (0..pool.workers)
            .map(|_| tokio::spawn(work(Arc::clone(&hall))))
            .collect();
        let mut notes = vec![generate(&hall).await];
        for worker in workers {
            notes.push(worker.await.expect("a worker does not panic"));
        }
        notes
    });
    Ok(gather(pool, &notes))
}

/// What tasks share: a floor that they own together, and a bell.
struct Hall {
    trace: Arc<Trace>,
    queue: Arc<SharedQueue>,
    gate: RateGate,
    start: Instant,
    /// Wakes workers that found nothing.
    bell: Notify,
}

impl Hall {
    fn floor(&self) -> Floor<'_> {
        Floor {
            trace: &self.trace,
            queue: &*self.queue,
            gate: &self.gate,
            start: self.start,
        }
    }
}

/// Pushes all that is due, then wakes: a ring for each job of a burst would wake workers in vain.
async fn generate(hall: &Hall) -> Vec<Event> {
    let mut events = Vec::new();
    let floor = hall.floor();
    let mut arrivals = floor.arrivals();
    while let Some(due) = arrivals.next_due() {
        sleep_until(due.into()).await;
        arrivals.push_due(&mut events);
        hall.bell.notify_waiters();
    }
    hall.queue.close();
    hall.bell.notify_waiters();
    events
}

async fn work(hall: Arc<Hall>) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        // Waiting begins before looking, so that a ring in between is not missed.
        let mut ring = std::pin::pin!(hall.bell.notified());
        ring.as_mut().enable();
        let begun = hall.floor().begin(&mut events);
        if let Some(begun) = begun {
            tokio::time::sleep(begun.service).await;
            hall.floor().end(begun, &mut events);
        } else if hall.floor().is_over() {
            hall.bell.notify_waiters();
            return events;
        } else {
            ring.await;
        }
    }
}
