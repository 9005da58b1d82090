//! Simulated time: the exact order of events in integer microseconds.
//!
//! Ends at an instant come before arrivals at that instant, in the order in which the jobs began;
//! what is asked for again comes between them; arrivals come in trace order. After each end, each arrival and
//! each request that is let through at last, the pool hands jobs to free workers until no worker is
//! free or nothing is eligible.

use schedulers::FairQueue;

use super::Pool;
use super::calendar::Calendar;
use super::clients::{Clients, Retry};
use super::rate_gate::RateGate;
use super::server::{Server, Started};
use crate::log::{Event, EventKind, Log};
use crate::trace::Trace;
use records::error::BadInput;

/// Later than anything that happens.
const NEVER_US: u64 = u64::MAX;

/// Runs the trace to its end. Who is refused does not come back. Jobs that a cap of 0 never lets start
/// stay waiting.
pub fn simulate(trace: &Trace, pool: &Pool, queue: &mut (impl FairQueue<u32> + ?Sized)) -> Log {
    let run = simulate_with_clients(trace, pool, queue, Retry::Never);
    run.expect("who gives up asks once").0
}

/// The same with clients that may come back. The log has each request once, when it was let through or
/// given up; beside it stands how often each tenant was refused and came back, by handle, or nothing
/// where nobody does.
///
/// # Errors
///
/// If clients come back for ever, or nearly.
pub fn simulate_with_clients(
    trace: &Trace,
    pool: &Pool,
    queue: &mut (impl FairQueue<u32> + ?Sized),
    retry: Retry,
) -> Result<(Log, Vec<u64>), BadInput> {
    let mut simulation = Simulation {
        trace,
        server: Server::new(queue, pool.workers),
        gate: RateGate::new(pool.rate_limit),
        clients: Clients::new(retry, trace.tenants()),
        ends: Calendar::new(),
        events: Vec::with_capacity(trace.jobs().len() * 3),
    };
    simulation.run()?;
    let log = Log {
        workers: pool.workers,
        in_flight_max: pool.limits.in_flight_max,
        events: simulation.events,
    };
    Ok((log, simulation.clients.refusals()))
}

struct Simulation<'a, Q: ?Sized> {
    trace: &'a Trace,
    server: Server<&'a mut Q>,
    gate: RateGate,
    clients: Clients,
    /// Of the jobs that run; noted as they begin, so that equal ends keep the order of their starts.
    ends: Calendar<Started>,
    events: Vec<Event>,
}

impl<Q: FairQueue<u32> + ?Sized> Simulation<'_, Q> {
    fn run(&mut self) -> Result<(), BadInput> {
        let mut arrivals = (0..).zip(self.trace.jobs()).peekable();
        loop {
            let arrival_us = arrivals.peek().map(|(_, job)| job.arrival_us);
            let all_us = [self.ends.next_us(), self.clients.next_us(), arrival_us];
            let [end_us, return_us, arrival_us] = all_us.map(|us| us.unwrap_or(NEVER_US));
            let now_us = end_us.min(return_us).min(arrival_us);
            if now_us == NEVER_US {
                return Ok(());
            }
            if end_us == now_us {
                self.end();
            } else if return_us == now_us {
                self.come_back();
                self.clients.check()?;
            } else {
                let (job, _) = arrivals.next().expect("it was peeked");
                self.arrive(now_us, job);
            }
            self.hand_out(now_us);
        }
    }

    fn end(&mut self) {
        let (now_us, Started { job, worker }) = self.ends.pop().expect("there is a next end");
        self.server.finish(worker);
        self.note(now_us, job, EventKind::Finished);
    }

    fn arrive(&mut self, now_us: u64, job: u32) {
        let tenant = self.trace.jobs()[job as usize].tenant;
        if self.clients.holds_back(tenant) || !self.ask(now_us, job) {
            self.clients.hold(tenant, job);
        }
    }

    /// A client asks again for what it holds.
    fn come_back(&mut self) {
        let (now_us, tenant, held) = self.clients.next().expect("a client comes back");
        for _ in 0..held {
            let job = self.clients.take(tenant).expect("it holds so many");
            if self.ask(now_us, job) {
                self.hand_out(now_us);
            } else if !self.clients.hold_again(tenant, job) {
                return;
            }
        }
    }

    /// Whether that settles it: the job is in the queue, or was given up.
    fn ask(&mut self, now_us: u64, number: u32) -> bool {
        let job = &self.trace.jobs()[number as usize];
        let push = || self.server.push(job.tenant, job.cost, number).is_some();
        let kind = match self.gate.push(job.tenant, job.cost, now_us, push) {
            Ok(()) => EventKind::Pushed,
            Err(denied) if self.clients.returns(job.tenant, &denied, now_us) => return false,
            Err(denied) => denied.layer.into(),
        };
        self.note(now_us, number, kind);
        true
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
