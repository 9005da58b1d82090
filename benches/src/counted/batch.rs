//! The counted loops: nothing but the operation, and what keeps the compiler from removing it.

use std::hint::black_box;

use schedulers::{Cost, FairQueue};

use super::operation::Operation;
use super::prepared::Prepared;
#[cfg(feature = "self-test")]
use crate::fault::{self, Fault};
use crate::workload::Arrival;
use crate::workload::Job;

impl<Q: FairQueue<Job>> Prepared<Q> {
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
    pub(super) fn take(&mut self, count: usize) {
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
}
