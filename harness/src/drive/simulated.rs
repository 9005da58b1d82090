//! Simulated time: the exact order of events in integer microseconds.
//!
//! Ends at an instant come before arrivals at that instant, in the order in which the jobs began;
//! arrivals come in trace order. After each end and each arrival the pool hands jobs to free workers
//! until no worker is free or nothing is eligible.

use schedulers::FairQueue;

use super::Pool;
use super::calendar::Calendar;
use super::rate_gate::RateGate;
use super::server::{Server, Started};
use crate::log::{Event, EventKind, Log};
use crate::trace::Trace;

/// Runs the trace to its end. Jobs that a cap of 0 never lets start stay waiting.
pub fn simulate(trace: &Trace, pool: &Pool, queue: &mut (impl FairQueue<u32> + ?Sized)) -> Log {
    let mut simulation = Simulation {
        trace,
        server: Server::new(queue, pool.workers),
        gate: RateGate::new(pool),
        ends: Calendar::new(),
        events: Vec::with_capacity(trace.jobs().len() * 3),
    };
    simulation.run();
    Log {
        workers: pool.workers,
        in_flight_max: pool.limits.in_flight_max,
        events: simulation.events,
    }
}

struct Simulation<'a, Q: ?Sized> {
    trace: &'a Trace,
    server: Server<&'a mut Q>,
    gate: RateGate,
    /// Of the jobs that run; noted as they begin, so that equal ends keep the order of their starts.
    ends: Calendar<Started>,
    events: Vec<Event>,
}

impl<Q: FairQueue<u32> + ?Sized> Simulation<'_, Q> {
    fn run(&mut self) {
        let jobs = self.trace.jobs();
        let mut arrivals = (0..).zip(jobs).peekable();
        loop {
            let arrival_us = arrivals.peek().map(|(_, job)| job.arrival_us);
            let now_us = match (self.ends.next_us(), arrival_us) {
                (Some(_), None) => self.end(),
                (Some(end_us), Some(arrival_us)) if end_us <= arrival_us => self.end(),
                (_, Some(arrival_us)) => {
                    let (number, _) = arrivals.next().expect("it was peeked");
                    self.arrive(arrival_us, number)
                }
                (None, None) => return,
            };
            self.hand_out(now_us);
        }
    }

    fn end(&mut self) -> u64 {
        let (now_us, Started { job, worker }) = self.ends.pop().expect("there is a next end");
        self.server.finish(worker);
        self.note(now_us, job, EventKind::Finished);
        now_us
    }

    fn arrive(&mut self, now_us: u64, number: u32) -> u64 {
        let job = &self.trace.jobs()[number as usize];
        let push = || self.server.push(job.tenant, job.cost, number).is_some();
        let kind = self.gate.push(job, now_us, push);
        self.note(now_us, number, kind);
        now_us
    }

    fn hand_out(&mut self, now_us: u64) {
        while let Some(started) = self.server.start() {
            self.note(now_us, started.job, EventKind::Started);
            let service_us = self.trace.jobs()[started.job as usize].service_us;
            self.ends.note(now_us + service_us, started);
        }
    }

    fn note(&mut self, at_us: u64, job: u32, kind: EventKind) {
        self.events.push(Event { at_us, job, kind });
    }
}
