//! Workers as threads: each sleeps through its job, and through the time without one.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

use super::Pool;
use super::rate_gate::RateGate;
use super::real::{Floor, SharedQueue, gather, start_of_run};
use crate::log::{Event, Log};
use crate::trace::Trace;

/// Runs the trace in real time. Every job takes at least a microsecond, and no cap is 0.
#[must_use]
pub fn run_threads(trace: &Trace, pool: &Pool, queue: &SharedQueue) -> Log {
    let floor = Floor {
        trace,
        queue,
        gate: &RateGate::new(pool.rate_limit),
        start: start_of_run(),
    };
    let bell = Bell::default();
    let notes = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..pool.workers)
            .map(|_| scope.spawn(|| work(&floor, &bell)))
            .collect();
        let mut notes = vec![generate(&floor, &bell)];
        notes.extend(
            workers
                .into_iter()
                .map(|worker| worker.join().expect("a worker does not panic")),
        );
        notes
    });
    gather(pool, &notes)
}

/// Pushes all that is due, then wakes: a ring for each job of a burst would wake workers in vain.
fn generate(floor: &Floor<'_>, bell: &Bell) -> Vec<Event> {
    let mut events = Vec::new();
    let mut arrivals = floor.arrivals();
    while let Some(due) = arrivals.next_due() {
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        arrivals.push_due(&mut events);
        bell.ring();
    }
    floor.queue.close();
    bell.ring();
    events
}

fn work(floor: &Floor<'_>, bell: &Bell) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        let rings = bell.rings();
        if let Some(begun) = floor.begin(&mut events) {
            std::thread::sleep(begun.service);
            floor.end(begun, &mut events);
        } else if floor.is_over() {
            bell.ring();
            return events;
        } else {
            bell.wait_beyond(rings);
        }
    }
}

/// Wakes workers that found nothing. A ring between looking and waiting is not missed, because they
/// wait for the count to go beyond what it was before they looked. An end needs no ring: the worker
/// that ended a job looks itself, and one end makes at most one more job eligible.
#[derive(Default)]
struct Bell {
    rings: Mutex<u64>,
    rang: Condvar,
}

impl Bell {
    fn rings(&self) -> u64 {
        *self.rings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ring(&self) {
        *self.rings.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.rang.notify_all();
    }

    fn wait_beyond(&self, rings: u64) {
        let guard = self.rings.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.rang.wait_while(guard, |now| *now == rings);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}
