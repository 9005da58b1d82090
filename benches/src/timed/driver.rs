//! The timed loops. Each is compiled once for every contender, and does nothing but what it is named
//! after, beside three additions and two `black_box`es a job.

use std::hint::black_box;

use crate::failure::Failure;
use crate::tally::Tally;
use crate::timed::contender::Contender;
use crate::workload::Arrival;
use crate::workload::Job;

/// A queue, and the books of what went in and came out.
#[derive(Debug)]
pub struct Driver<C> {
    queue: C,
    /// The number of the next job: how many were pushed.
    next: Job,
    taken: Tally,
    last: Tally,
}

impl<C: Contender> Driver<C> {
    /// Nothing pushed and nothing taken yet.
    pub fn new(queue: C) -> Self {
        Self {
            queue,
            next: 0,
            taken: Tally::default(),
            last: Tally::default(),
        }
    }

    /// Take, complete, and the tenant just served pushes its next job, of the same cost. The backlog
    /// of every tenant is the same before and after.
    #[inline(never)]
    pub fn cycle(&mut self, count: usize) {
        let (mut tally, mut next) = (Tally::default(), self.next);
        for _ in 0..count {
            let Some((arrival, job)) = self.queue.take() else {
                break;
            };
            tally.add(black_box(job));
            self.queue.push(arrival, black_box(next));
            next += 1;
        }
        self.enter(next, tally);
    }

    /// Take, complete, and the next arrival is pushed.
    #[inline(never)]
    pub fn exchange(&mut self, arrivals: &[Arrival]) {
        let (mut tally, mut next) = (Tally::default(), self.next);
        for arrival in arrivals {
            if let Some((_, job)) = self.queue.take() {
                tally.add(black_box(job));
            }
            self.queue.push(*arrival, black_box(next));
            next += 1;
        }
        self.enter(next, tally);
    }

    /// Pushes all.
    #[inline(never)]
    pub fn push(&mut self, arrivals: &[Arrival]) {
        let mut next = self.next;
        for arrival in arrivals {
            self.queue.push(*arrival, black_box(next));
            next += 1;
        }
        self.enter(next, Tally::default());
    }

    /// Takes and completes so many times, whether a job comes or not.
    #[inline(never)]
    pub fn take(&mut self, count: usize) {
        let mut tally = Tally::default();
        for _ in 0..count {
            if let Some((_, job)) = self.queue.take() {
                tally.add(black_box(job));
            }
        }
        self.enter(self.next, tally);
    }

    /// Takes so many times from a queue that has nothing. There is no job to hold on to, so the
    /// answer itself goes through the `black_box`, or nothing would be left of the loop.
    #[inline(never)]
    pub fn find_nothing(&mut self, count: usize) {
        let mut tally = Tally::default();
        for _ in 0..count {
            if let Some((_, job)) = black_box(self.queue.take()) {
                tally.add(job);
            }
        }
        self.enter(self.next, tally);
    }

    /// Pushes each arrival when it is due, and takes as a pool of workers would until then: one job
    /// after the other, each for the time of its cost; then takes what is left.
    ///
    /// The pool is one server that has the whole capacity, and time is the work it could have done, so
    /// that nothing but whole numbers is added and compared beside the queue.
    #[inline(never)]
    pub fn replay(&mut self, arrivals: &[Arrival], due: &[u64]) {
        let (mut tally, mut next, mut free_at) = (Tally::default(), self.next, 0);
        for (arrival, now) in arrivals.iter().zip(due) {
            while free_at <= *now {
                let Some((taken, job)) = self.queue.take() else {
                    free_at = *now;
                    break;
                };
                tally.add(black_box(job));
                free_at += u64::from(taken.cost.units());
            }
            self.queue.push(*arrival, black_box(next));
            next += 1;
        }
        while let Some((_, job)) = self.queue.take() {
            tally.add(black_box(job));
        }
        self.enter(next, tally);
    }

    /// Enters into the books what a loop did. The loops return nothing: a tally on its way out would
    /// be kept in memory all along, and every addition would wait for the last.
    fn enter(&mut self, next: Job, tally: Tally) {
        self.next = next;
        self.last = tally;
        self.taken.merge(tally);
    }

    /// What came out in the last loop.
    pub fn last(&self) -> Tally {
        self.last
    }

    /// The queue, to be looked at.
    pub fn queue(&self) -> &C {
        &self.queue
    }

    /// Empties the queue: every job pushed must have been taken, or be in it still, once.
    ///
    /// # Errors
    ///
    /// A job was lost or came twice.
    pub fn close(mut self) -> Result<C, Failure> {
        let mut out = self.taken;
        out.merge(self.queue.reclaim().into_iter().collect());
        let pushed_sum = (0..self.next).fold(0, u64::wrapping_add);
        if (out.count, out.sum) == (self.next, pushed_sum) {
            return Ok(self.queue);
        }
        Failure::wrong(format!(
            "{} jobs went in with sum {pushed_sum}, {} came out with sum {}",
            self.next, out.count, out.sum
        ))
    }
}
