//! Simulated time: the exact order of events in integer microseconds.
//!
//! Ends at an instant come before arrivals at that instant, in the order in which the jobs began;
//! arrivals come in trace order. After each end and each arrival the pool hands jobs to free workers
//! until no worker is free or nothing is eligible.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use schedulers::{FairQueue, Ticket};

use super::Pool;
use super::rate_gate::RateGate;
use crate::log::{Event, EventKind, Log};
use crate::trace::Trace;

/// Runs the trace to its end. Jobs that a cap of 0 never lets start stay waiting.
pub fn simulate(trace: &Trace, pool: &Pool, queue: &mut (impl FairQueue<u32> + ?Sized)) -> Log {
    let mut simulation = Simulation {
        trace,
        queue,
        gate: RateGate::new(pool),
        running: BinaryHeap::new(),
        tickets: Vec::new(),
        free: Vec::new(),
        workers_max: pool.workers,
        started: 0,
        events: Vec::with_capacity(trace.jobs().len() * 3),
    };
    simulation.run();
    Log {
        workers: pool.workers,
        in_flight_max: pool.limits.in_flight_max,
        events: simulation.events,
    }
}

/// A job that a worker is busy with. The earliest end first; at one instant, the earliest start.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Running {
    end_us: u64,
    /// How many jobs had started before it: no two are the same.
    started: u64,
    job: u32,
    worker: u32,
}

struct Simulation<'a, Q: ?Sized> {
    trace: &'a Trace,
    queue: &'a mut Q,
    gate: RateGate,
    running: BinaryHeap<Reverse<Running>>,
    /// By worker: the ticket of its job, `None` while it is free. Grows as workers are first needed.
    tickets: Vec<Option<Ticket>>,
    /// The workers of `tickets` that are free.
    free: Vec<u32>,
    workers_max: u32,
    started: u64,
    events: Vec<Event>,
}

impl<Q: FairQueue<u32> + ?Sized> Simulation<'_, Q> {
    fn run(&mut self) {
        let jobs = self.trace.jobs();
        let mut arrivals = (0..).zip(jobs).peekable();
        loop {
            let end_us = self.running.peek().map(|Reverse(running)| running.end_us);
            let arrival_us = arrivals.peek().map(|(_, job)| job.arrival_us);
            let now_us = match (end_us, arrival_us) {
                (Some(end_us), None) => self.end(end_us),
                (Some(end_us), Some(arrival_us)) if end_us <= arrival_us => self.end(end_us),
                (_, Some(arrival_us)) => {
                    let (number, _) = arrivals.next().expect("it was peeked");
                    self.arrive(arrival_us, number)
                }
                (None, None) => return,
            };
            self.hand_out(now_us);
        }
    }

    fn end(&mut self, now_us: u64) -> u64 {
        let Reverse(Running { job, worker, .. }) = self.running.pop().expect("it was peeked");
        let ticket = self.tickets[worker as usize]
            .take()
            .expect("a busy worker has a ticket");
        let cost = ticket.cost();
        self.queue.complete(ticket, cost);
        self.free.push(worker);
        self.note(now_us, job, EventKind::Finished);
        now_us
    }

    fn arrive(&mut self, now_us: u64, number: u32) -> u64 {
        let job = &self.trace.jobs()[number as usize];
        let push = || self.queue.push(job.tenant, job.cost, number).is_ok();
        let kind = self.gate.push(job, now_us, push);
        self.note(now_us, number, kind);
        now_us
    }

    fn hand_out(&mut self, now_us: u64) {
        while let Some(worker) = self.free_worker() {
            let Some(taken) = self.queue.take() else {
                self.free.push(worker);
                return;
            };
            self.note(now_us, taken.job, EventKind::Started);
            self.tickets[worker as usize] = Some(taken.ticket);
            self.running.push(Reverse(Running {
                end_us: now_us + self.trace.jobs()[taken.job as usize].service_us,
                started: self.started,
                job: taken.job,
                worker,
            }));
            self.started += 1;
        }
    }

    /// A free worker, a new one if all that were ever needed are busy.
    fn free_worker(&mut self) -> Option<u32> {
        self.free.pop().or_else(|| {
            let worker = u32::try_from(self.tickets.len()).expect("workers are 32 bits");
            (worker < self.workers_max).then(|| {
                self.tickets.push(None);
                worker
            })
        })
    }

    fn note(&mut self, at_us: u64, job: u32, kind: EventKind) {
        self.events.push(Event { at_us, job, kind });
    }
}
