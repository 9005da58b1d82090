//! A queue in the state that one operation needs, the counted loop, and the books that it must close.

use std::collections::VecDeque;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use schedulers::{FairQueue, JobId, Limits, Settings, Tenant, Ticket};

use super::operation::Operation;
use crate::costs::Costs;
use crate::failure::Failure;
#[cfg(feature = "self-test")]
use crate::fault::{self, Fault};
use crate::tally::Tally;
use crate::workload::Job;
use crate::workload::{Arrival, SEED};

/// A queue just before a batch of one operation, or just after it. Boxed, so that handing it in and
/// out of what is counted moves a pointer.
#[derive(Debug)]
pub struct Prepared<Q> {
    pub(super) operation: Operation,
    /// How many operations the batch is.
    pub(super) count: usize,
    pub(super) queue: Q,
    /// To be pushed by the batch.
    pub(super) arrivals: Vec<Arrival>,
    /// To be cancelled by the batch.
    pub(super) waiting: Vec<JobId>,
    /// In flight. There is room for all that the batch takes, so that keeping them allocates nothing.
    pub(super) tickets: VecDeque<Ticket>,
    /// The number of the next job: how many were pushed.
    pub(super) next: Job,
    /// What came out before the batch.
    before: Tally,
    /// What the batch took or cancelled.
    pub(super) batch: Tally,
    /// What it must be.
    expected: Option<Tally>,
    /// Two in a hundred of the batch's operations, to be done as well.
    #[cfg(feature = "self-test")]
    pub(super) again: Option<Box<Self>>,
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

    /// Closes the books: the batch did what it is named after, so many times, and every job that went
    /// in came out, or is waiting still, once. Gives what came out of the batch.
    ///
    /// # Errors
    ///
    /// It did not, or a job was lost or came twice.
    #[allow(clippy::boxed_local)] // boxed is how it comes from the batch
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

#[cfg(test)]
mod tests {
    use schedulers::TenantQueue;
    use schedulers::discipline::ActiveList;

    use super::*;

    fn active_list(operation: Operation) -> Box<Prepared<TenantQueue<ActiveList, Job>>> {
        Prepared::ready(operation, 100, TenantQueue::new)
    }

    #[test]
    fn the_books_of_every_operation_close() {
        macro_rules! close_all {
            ($($name:ident => $new:expr,)*) => {
                $(for operation in Operation::ALL {
                    for tenants in [1, 7, 2_000] {
                        let ready = Prepared::ready(operation, tenants, |settings| $new(settings));
                        let closed = ready.run().close();
                        let name = stringify!($name);
                        assert!(closed.is_ok(), "{name}, {operation:?}, {tenants}: {closed:?}");
                    }
                })*
            };
        }
        schedulers::for_each_scheduler!(close_all);
    }

    #[test]
    fn a_batch_that_was_not_run_is_told() {
        for operation in [Operation::Take, Operation::Complete, Operation::Cancel] {
            let failure = active_list(operation).close().unwrap_err().to_string();
            assert!(failure.contains("0 of 1024 were done"), "{failure}");
        }
    }

    #[test]
    fn a_lost_job_is_told() {
        for operation in [Operation::Push, Operation::Cycle, Operation::Wake] {
            let mut prepared = active_list(operation).run();
            let lost = match operation {
                Operation::Wake => prepared.queue.remove(Tenant::new(0)).len(),
                _ => usize::from(prepared.queue.take().is_some()),
            };
            assert!(lost > 0);
            let failure = prepared.close().unwrap_err().to_string();
            assert!(failure.contains("jobs went in"), "{failure}");
        }
    }

    #[test]
    fn another_order_than_the_last_queue_s_is_told() {
        let mut prepared = active_list(Operation::Take);
        let first = prepared.queue.take().unwrap();
        prepared.before.add(first.job);
        let failure = prepared.run().close().unwrap_err().to_string();
        assert!(failure.contains("its order is not that"), "{failure}");
    }
}
