//! A queue and the workers that serve it, in simulated time: who is free, and what each is busy with.
//!
//! It knows no clock: whoever drives it says when a job starts and ends.

use std::ops::DerefMut;

use schedulers::{Cost, FairQueue, JobId, Tenant, Ticket};

/// A job that a worker has begun.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Started {
    /// Its number, as it was pushed.
    pub(crate) job: u32,
    /// Who is busy with it.
    pub(crate) worker: u32,
}

/// A queue, owned or borrowed, with its workers.
#[derive(Debug)]
pub(crate) struct Server<Q> {
    queue: Q,
    /// By worker: the ticket of its job, `None` while it is free. Grows as workers are first needed.
    tickets: Vec<Option<Ticket>>,
    /// The workers of `tickets` that are free.
    free: Vec<u32>,
    workers_max: u32,
}

impl<Q: DerefMut> Server<Q>
where
    Q::Target: FairQueue<u32>,
{
    /// So many workers, all free.
    pub(crate) const fn new(queue: Q, workers_max: u32) -> Self {
        Self {
            queue,
            tickets: Vec::new(),
            free: Vec::new(),
            workers_max,
        }
    }

    /// A job arrives; `None` if the queue refuses it.
    pub(crate) fn push(&mut self, tenant: Tenant, cost: Cost, job: u32) -> Option<JobId> {
        self.queue.push(tenant, cost, job).ok()
    }

    /// Removes a job that waits; whether it did.
    pub(crate) fn cancel(&mut self, job: JobId) -> bool {
        self.queue.cancel(job).is_some()
    }

    /// Hands the next job to a free worker, if there are both.
    pub(crate) fn start(&mut self) -> Option<Started> {
        let worker = self.free_worker()?;
        let Some(taken) = self.queue.take() else {
            self.free.push(worker);
            return None;
        };
        self.tickets[worker as usize] = Some(taken.ticket);
        Some(Started {
            job: taken.job,
            worker,
        })
    }

    /// A worker is done with its job, which cost what was said at the push.
    pub(crate) fn finish(&mut self, worker: u32) {
        let ticket = self.tickets[worker as usize]
            .take()
            .expect("a busy worker has a ticket");
        let cost = ticket.cost();
        self.queue.complete(ticket, cost);
        self.free.push(worker);
    }

    /// How many jobs wait.
    pub(crate) fn backlog(&self) -> usize {
        self.queue.len()
    }

    /// How many workers are busy.
    pub(crate) fn busy(&self) -> usize {
        self.tickets.len() - self.free.len()
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
}
