//! A queue in the state that one operation needs, the counted loop, and the books that it must close.

use std::collections::VecDeque;
use std::hint::black_box;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use schedulers::{Cost, FairQueue, JobId, Limits, Settings, Tenant, Ticket};

use super::operation::Operation;
use crate::contender::Job;
use crate::costs::Costs;
use crate::failure::Failure;
#[cfg(feature = "self-test")]
use crate::fault::{self, Fault};
use crate::tally::Tally;
use crate::workload::{Arrival, SEED};

/// A queue just before a batch of one operation, or just after it. Boxed, so that handing it in and
/// out of what is counted moves a pointer.
#[derive(Debug)]
pub struct Prepared<Q> {
    operation: Operation,
    /// How many operations the batch is.
    count: usize,
    queue: Q,
    /// To be pushed by the batch.
    arrivals: Vec<Arrival>,
    /// To be cancelled by the batch.
    waiting: Vec<JobId>,
    /// In flight. There is room for all that the batch takes, so that keeping them allocates nothing.
    tickets: VecDeque<Ticket>,
    /// The number of the next job: how many were pushed.
    next: Job,
    /// What came out before the batch.
    before: Tally,
    /// What the batch took or cancelled.
    batch: Tally,
    /// What it must be.
    expected: Option<Tally>,
    /// Two in a hundred of the batch's operations, to be done as well.
    #[cfg(feature = "self-test")]
    again: Option<Box<Self>>,
}

impl<Q: FairQueue<Job>> Prepared<Q> {
    /// A queue before its batch, and what another one, just like it, has shown to come out.
    ///
    /// # Panics
    ///
    /// If the books of the other one do not close.
    pub fn ready(operation: Operation, tenants: u32, new: impl Fn(&Settings) -> Q) -> Box<Self> {
        let make = |count| Self::new((operation, count), tenants, &new);
        let expected = make(operation.batch()).run().close();
        let mut prepared = make(operation.batch());
        prepared.expected = Some(expected.unwrap_or_else(|failure| panic!("{failure}")));
        #[cfg(feature = "self-test")]
        if fault::chosen() == Some(Fault::Instructions) {
            prepared.again = Some(make(operation.batch().div_ceil(50)));
        }
        prepared
    }

    /// How many operations the batch is.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.count
    }

    /// Brings a new queue into the state before a batch of so many operations.
    fn new(
        (operation, count): (Operation, usize),
        tenants: u32,
        new: impl Fn(&Settings) -> Q,
    ) -> Box<Self> {
        let in_flight_max = match operation {
            Operation::Wake => 1,
            _ => Limits::default().in_flight_max,
        };
        let limits = Limits {
            in_flight_max,
            ..Limits::default()
        };
        let queue = new(&Settings {
            limits,
            ..Costs::Mix.settings()
        });
        let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED ^ u64::from(tenants));
        let mut prepared = Box::new(Self {
            operation,
            count,
            queue,
            arrivals: Vec::new(),
            waiting: Vec::new(),
            tickets: VecDeque::with_capacity(count.max(tenants as usize) + 1),
            next: 0,
            before: Tally::default(),
            batch: Tally::default(),
            expected: None,
            #[cfg(feature = "self-test")]
            again: None,
        });
        prepared.bring_about(tenants, &mut random);
        prepared.before.merge(prepared.batch);
        prepared.batch = Tally::default();
        prepared
    }

    fn bring_about(&mut self, tenants: u32, random: &mut Xoshiro256PlusPlus) {
        let count = self.count;
        let everybody = round(tenants, 1, random);
        self.push(&everybody);
        self.settle(everybody.len());
        let rounds = count.div_ceil(tenants as usize);
        match self.operation {
            Operation::Push => {
                self.push(&round(tenants, 2, random));
                self.arrivals = picks(&everybody, count, random);
            }
            Operation::Take => self.rounds(rounds, tenants, random),
            Operation::Complete => {
                self.rounds(rounds, tenants, random);
                self.take(count);
            }
            Operation::Cycle => self.push(&everybody),
            Operation::Wake => {
                self.rounds(rounds + 1, tenants, random);
                self.take(tenants as usize);
            }
            Operation::Cancel => {
                self.rounds(rounds, tenants, random);
                self.waiting.shuffle(random);
                self.waiting.truncate(count);
            }
            Operation::IdleTake => {
                let senders = &everybody[..(tenants as usize / 100).max(1)];
                self.arrivals = picks(senders, count, random);
                self.push(&senders[..1]);
            }
        }
    }

    /// So many jobs of every tenant, each round in another order.
    fn rounds(&mut self, rounds: usize, tenants: u32, random: &mut Xoshiro256PlusPlus) {
        for _ in 0..rounds {
            self.push(&round(tenants, 1, random));
        }
    }

    /// Runs the batch: what is counted.
    #[must_use]
    pub fn run(mut self: Box<Self>) -> Box<Self> {
        self.work();
        #[cfg(feature = "self-test")]
        self.fail();
        self
    }

    fn work(&mut self) {
        match self.operation {
            Operation::Push => {
                let arrivals = std::mem::take(&mut self.arrivals);
                self.push_counted(&arrivals);
                self.arrivals = arrivals;
            }
            Operation::Take => self.take(self.count),
            Operation::Complete => self.complete(),
            Operation::Cycle => self.cycle(),
            Operation::Wake => self.wake(),
            Operation::Cancel => self.cancel(),
            Operation::IdleTake => {
                let arrivals = std::mem::take(&mut self.arrivals);
                self.exchange(&arrivals);
                self.arrivals = arrivals;
            }
        }
    }

    /// Does what the fault of this process is.
    #[cfg(feature = "self-test")]
    fn fail(&mut self) {
        if let Some(again) = &mut self.again {
            again.work();
        }
        let pushes = matches!(self.operation, Operation::Push | Operation::Cycle);
        if pushes && fault::chosen() == Some(Fault::Allocation) {
            (0..self.count as u64).for_each(|number| drop(black_box(Box::new(number))));
        }
    }

    /// Pushes, and remembers how to cancel.
    fn push(&mut self, arrivals: &[Arrival]) {
        for arrival in arrivals {
            let pushed = self.queue.push(arrival.tenant, arrival.cost, self.next);
            self.waiting.extend(pushed.ok());
            self.next += 1;
        }
    }

    /// Takes and completes so many, before the batch.
    fn settle(&mut self, count: usize) {
        self.take(count);
        for ticket in self.tickets.drain(..) {
            let cost = ticket.cost();
            self.queue.complete(ticket, cost);
        }
        self.waiting.clear();
    }

    #[inline(never)]
    fn push_counted(&mut self, arrivals: &[Arrival]) {
        let mut next = self.next;
        for arrival in arrivals {
            let pushed = self
                .queue
                .push(arrival.tenant, arrival.cost, black_box(next));
            let _ = black_box(pushed.is_ok());
            next += 1;
        }
        self.next = next;
    }

    #[inline(never)]
    fn take(&mut self, count: usize) {
        for _ in 0..count {
            let Some(taken) = self.queue.take() else {
                break;
            };
            self.batch.add(black_box(taken.job));
            self.tickets.push_back(taken.ticket);
        }
    }

    #[inline(never)]
    fn complete(&mut self) {
        for number in 0..self.count {
            let Some(ticket) = self.tickets.pop_front() else {
                break;
            };
            let more = u32::from(number % 2 == 1);
            let actual = Cost::new(ticket.cost().units() + more);
            self.batch.add(u64::from(ticket.tenant().index()));
            self.queue.complete(ticket, actual);
        }
    }

    #[inline(never)]
    fn cycle(&mut self) {
        for _ in 0..self.count {
            let Some(taken) = self.queue.take() else {
                break;
            };
            let (tenant, cost) = (taken.ticket.tenant(), taken.ticket.cost());
            self.queue.complete(taken.ticket, cost);
            self.batch.add(black_box(taken.job));
            let pushed = self.queue.push(tenant, cost, black_box(self.next));
            let _ = black_box(pushed.is_ok());
            self.next += 1;
        }
    }

    #[inline(never)]
    fn wake(&mut self) {
        for _ in 0..self.count {
            let Some(ticket) = self.tickets.pop_front() else {
                break;
            };
            let cost = ticket.cost();
            self.queue.complete(ticket, cost);
            let Some(taken) = self.queue.take() else {
                break;
            };
            self.batch.add(black_box(taken.job));
            self.tickets.push_back(taken.ticket);
        }
    }

    #[inline(never)]
    fn cancel(&mut self) {
        for job in &self.waiting {
            if let Some(job) = self.queue.cancel(black_box(*job)) {
                self.batch.add(job);
            }
        }
    }

    #[inline(never)]
    fn exchange(&mut self, arrivals: &[Arrival]) {
        for arrival in arrivals {
            if let Some(taken) = self.queue.take() {
                let cost = taken.ticket.cost();
                self.queue.complete(taken.ticket, cost);
                self.batch.add(black_box(taken.job));
            }
            let pushed = self
                .queue
                .push(arrival.tenant, arrival.cost, black_box(self.next));
            let _ = black_box(pushed.is_ok());
            self.next += 1;
        }
    }

    /// Closes the books: the batch did what it is named after, so many times, and every job that went
    /// in came out, or is waiting still, once. Gives what came out of the batch.
    ///
    /// # Errors
    ///
    /// It did not, or a job was lost or came twice.
    pub fn close(mut self: Box<Self>) -> Result<Tally, Failure> {
        let name = self.operation.name();
        let done = match self.operation {
            Operation::Push => self.arrivals.len(),
            _ => usize::try_from(self.batch.count).unwrap_or(usize::MAX),
        };
        if done != self.count {
            return Failure::wrong(format!("{name}: {done} of {} were done", self.count));
        }
        if let Some(expected) = self.expected.filter(|expected| *expected != self.batch) {
            return Failure::wrong(format!(
                "{name}: expected {expected:?}, found {:?}: its order is not that of the last queue",
                self.batch
            ));
        }
        let mut out = self.before;
        if self.operation != Operation::Complete {
            out.merge(self.batch); // a completion gives no job: its tally is of tenants
        }
        let left = self.queue.close_and_reclaim();
        out.merge(left.into_iter().map(|(_, job)| job).collect());
        let pushed_sum = (0..self.next).fold(0, u64::wrapping_add);
        if (out.count, out.sum) == (self.next, pushed_sum) {
            return Ok(self.batch);
        }
        Failure::wrong(format!(
            "{name}: {} jobs went in with sum {pushed_sum}, {} came out with sum {}",
            self.next, out.count, out.sum
        ))
    }
}

/// A job of every `step`th tenant, in random order.
fn round(tenants: u32, step: usize, random: &mut Xoshiro256PlusPlus) -> Vec<Arrival> {
    let mut tenants: Vec<Tenant> = (0..tenants).step_by(step).map(Tenant::new).collect();
    tenants.shuffle(random);
    let arrival = |tenant| Arrival {
        tenant,
        cost: Costs::Mix.draw(random),
    };
    tenants.into_iter().map(arrival).collect()
}

/// So many of these, at random.
fn picks(from: &[Arrival], count: usize, random: &mut Xoshiro256PlusPlus) -> Vec<Arrival> {
    let pick = |_| from[random.random_range(0..from.len())];
    (0..count).map(pick).collect()
}
