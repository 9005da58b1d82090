//! What real workers have in common, whether they are threads or tasks.
//!
//! Arrivals are open loop: the generator pushes each job at its instant, or as soon after as it gets
//! to it, and never waits for a worker. Each participant notes its own events; the log is put
//! together when all are done. A push and an end are noted before they are made known to the
//! queue, and a start after, so no event stands in the log before its cause.

use std::time::{Duration, Instant};

use schedulers::{SharedFairQueue, Ticket};

use super::Pool;
use super::rate_gate::RateGate;
use crate::log::{Event, EventKind, Log};
use crate::trace::Trace;

/// The queue that real workers share.
pub type SharedQueue = dyn SharedFairQueue<u32> + Send;

/// How far ahead the run is set, so that every worker is there when it begins.
const HEAD_START: Duration = Duration::from_millis(20);

/// The instant from which a run that is being set up counts.
pub(super) fn start_of_run() -> Instant {
    Instant::now() + HEAD_START
}

/// A run in real time.
pub(super) struct Floor<'a> {
    pub(super) trace: &'a Trace,
    pub(super) queue: &'a SharedQueue,
    pub(super) gate: &'a RateGate,
    pub(super) start: Instant,
}

/// A job that was begun.
pub(super) struct Begun {
    number: u32,
    ticket: Ticket,
    pub(super) service: Duration,
}

impl Floor<'_> {
    /// The jobs that are still to come.
    pub(super) fn arrivals(&self) -> Arrivals<'_> {
        Arrivals {
            floor: self,
            next: 0,
        }
    }

    pub(super) fn begin(&self, events: &mut Vec<Event>) -> Option<Begun> {
        let taken = self.queue.take()?;
        let (number, ticket) = (taken.job, taken.ticket);
        events.push(Event {
            at_us: self.now_us(),
            job: number,
            kind: EventKind::Started,
        });
        let service = Duration::from_micros(self.trace.jobs()[number as usize].service_us);
        Some(Begun {
            number,
            ticket,
            service,
        })
    }

    pub(super) fn end(&self, begun: Begun, events: &mut Vec<Event>) {
        let Begun { number, ticket, .. } = begun;
        events.push(Event {
            at_us: self.now_us(),
            job: number,
            kind: EventKind::Finished,
        });
        let cost = ticket.cost();
        self.queue.complete(ticket, cost);
    }

    /// Whether no job will ever come again. Jobs in flight still end.
    pub(super) fn is_over(&self) -> bool {
        self.queue.is_closed() && self.queue.is_empty()
    }

    fn now_us(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_micros()).expect("a run of less than 500,000 years")
    }
}

/// The trace, being pushed.
pub(super) struct Arrivals<'a> {
    floor: &'a Floor<'a>,
    /// The first job that was not yet pushed.
    next: u32,
}

impl Arrivals<'_> {
    /// When the next job is to be pushed; `None` after the last.
    pub(super) fn next_due(&self) -> Option<Instant> {
        let job = self.floor.trace.jobs().get(self.next as usize)?;
        Some(self.floor.start + Duration::from_micros(job.arrival_us))
    }

    /// Pushes every job whose time has come.
    pub(super) fn push_due(&mut self, events: &mut Vec<Event>) {
        while self.next_due().is_some_and(|due| due <= Instant::now()) {
            let (number, job) = (self.next, &self.floor.trace.jobs()[self.next as usize]);
            let at_us = self.floor.now_us();
            let queue = self.floor.queue;
            let push = || queue.push(job.tenant, job.cost, number).is_ok();
            let pushed = self.floor.gate.push(job.tenant, job.cost, at_us, push);
            events.push(Event {
                at_us,
                job: number,
                kind: pushed.map_or_else(|denied| denied.layer.into(), |()| EventKind::Pushed),
            });
            self.next += 1;
        }
    }
}

/// The log of all participants' notes. At one microsecond, ends come before pushes before starts.
pub(super) fn gather(pool: &Pool, notes: &[Vec<Event>]) -> Log {
    let mut events = notes.concat();
    events.sort_by_key(|event| (event.at_us, event.kind));
    Log {
        workers: pool.workers,
        in_flight_max: pool.limits.in_flight_max,
        events,
    }
}
