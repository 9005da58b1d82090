//! One thread of the soak: random operations, and a count of what went in and came out.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use schedulers::laws::{Job, Tally};
use schedulers::{
    Cost, JobId, Limits, Offer, Pushed, Refusal, SharedFairQueue, Taken, Tenant, Ticket, Weight,
};

use crate::{IN_FLIGHT_MAX, TENANTS};

/// One run: what its threads share.
pub(crate) struct Soak<'a> {
    pub(crate) queue: &'a dyn SharedFairQueue<Job>,
    /// Jobs in flight by tenant, as the workers count them.
    pub(crate) in_flight: Vec<AtomicUsize>,
    /// Threads that may still push.
    pub(crate) pushing: AtomicU64,
    pub(crate) failed: AtomicBool,
}

/// What one thread does, and has.
pub(crate) struct Worker<'a> {
    pub(crate) soak: &'a Soak<'a>,
    pub(crate) random: Xoshiro256PlusPlus,
    pub(crate) next_job: Job,
    pub(crate) pushed: Tally,
    pub(crate) out: Tally,
    pub(crate) ids: Vec<JobId>,
    pub(crate) tickets: Vec<(Ticket, Cost)>,
    pub(crate) taken: Vec<Taken<Job>>,
    pub(crate) offers: Vec<Offer<Job>>,
    pub(crate) answers: Vec<Pushed<Job>>,
}

impl Worker<'_> {
    fn tenant(&mut self) -> Tenant {
        // Squared, so that some are busy and many seldom come.
        let part: f64 = self.random.random();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let index = (part * part * f64::from(TENANTS)) as u32;
        Tenant::new(index.min(TENANTS - 1))
    }

    /// One operation, or as many as a batch has; gives how many.
    fn step(&mut self) -> Result<u64, String> {
        let queue = self.soak.queue;
        let tenant = self.tenant();
        match self.random.random_range(0..100) {
            0..30 => {
                let offer = self.offer(tenant);
                self.offers.push(offer);
                self.push()
            }
            30..34 => {
                for _ in 0..8 {
                    let tenant = self.tenant();
                    let offer = self.offer(tenant);
                    self.offers.push(offer);
                }
                self.push()
            }
            34..64 => {
                self.taken.extend(queue.take());
                self.start()
            }
            64..68 => {
                queue.take_batch(8, &mut self.taken);
                self.start()
            }
            68..90 => Ok(self.complete(1)),
            90..94 => Ok(self.complete(8)),
            94..97 => {
                if let Some(id) = self.ids.pop()
                    && let Some(job) = queue.cancel(id)
                {
                    self.out.add(job);
                }
                self.ids.truncate(64);
                Ok(1)
            }
            97 => {
                queue
                    .remove(tenant)
                    .into_iter()
                    .for_each(|job| self.out.add(job));
                Ok(1)
            }
            98 => {
                let weight = Weight::new(self.random.random_range(1..9)).expect("in range");
                let limits = Limits { weight, ..limits() };
                queue
                    .configure(tenant, limits)
                    .map_err(|unknown| unknown.to_string())?;
                Ok(1)
            }
            _ => {
                let changed = queue.pause(tenant).and(queue.resume(tenant));
                changed.map_err(|unknown| unknown.to_string())?;
                Ok(2)
            }
        }
    }

    fn offer(&mut self, tenant: Tenant) -> Offer<Job> {
        self.next_job += 1;
        Offer {
            tenant,
            cost: Cost::new(self.random.random_range(0..20)),
            job: self.next_job,
        }
    }

    /// Pushes the offers; those that are refused for want of room or by a close were never in.
    fn push(&mut self) -> Result<u64, String> {
        let queue = self.soak.queue;
        let count = self.offers.len() as u64;
        self.offers
            .iter()
            .for_each(|offer| self.pushed.add(offer.job));
        let mut refused = Tally::default();
        if let (1, Some(offer)) = (count, self.offers.first().copied()) {
            self.offers.clear();
            self.answers
                .push(queue.push(offer.tenant, offer.cost, offer.job));
        } else {
            queue.push_batch(&mut self.offers, &mut self.answers);
        }
        for answer in self.answers.drain(..) {
            match answer {
                Ok(id) => self.ids.push(id),
                Err(again) if is_expected(again.refusal) => refused.add(again.job),
                Err(again) => return Err(format!("a push was refused: {again}")),
            }
        }
        // Refused jobs go in and come out at once.
        self.out.merge(refused);
        Ok(count)
    }

    /// Counts what was taken, against the caps too.
    fn start(&mut self) -> Result<u64, String> {
        let count = self.taken.len() as u64;
        for Taken { job, ticket } in self.taken.drain(..) {
            self.out.add(job);
            let tenant = ticket.tenant();
            let running =
                self.soak.in_flight[tenant.index() as usize].fetch_add(1, Ordering::SeqCst);
            if running >= IN_FLIGHT_MAX as usize {
                return Err(format!("{tenant} has {} jobs in flight", running + 1));
            }
            let actual = Cost::new(self.random.random_range(0..20));
            self.tickets.push((ticket, actual));
        }
        // No worker keeps many jobs: its tenants would all be at their caps.
        let landed = if self.tickets.len() > 32 {
            self.complete(32)
        } else {
            0
        };
        Ok(count.max(1) + landed)
    }

    fn complete(&mut self, max: usize) -> u64 {
        let first = self.tickets.len().saturating_sub(max);
        let mut done = self.tickets.split_off(first);
        for (ticket, _) in &done {
            let tenant = ticket.tenant().index() as usize;
            self.soak.in_flight[tenant].fetch_sub(1, Ordering::SeqCst);
        }
        let count = done.len() as u64;
        if max > 1 {
            self.soak.queue.complete_batch(&mut done);
        } else if let Some((ticket, actual)) = done.pop() {
            self.soak.queue.complete(ticket, actual);
        }
        count.max(1)
    }

    /// So many operations; the first thread closes then, in one of the two ways; all drain what is left.
    pub(crate) fn work(
        &mut self,
        operations: u64,
        closes: bool,
        reclaims: bool,
    ) -> Result<u64, String> {
        let queue = self.soak.queue;
        let mut worked = 0;
        while worked < operations && !self.soak.failed.load(Ordering::Relaxed) {
            worked += self.step()?;
        }
        if closes && reclaims {
            let reclaimed = queue.close_and_reclaim();
            for (_, job) in reclaimed {
                self.out.add(job);
            }
        } else if closes {
            queue.close();
        }
        self.soak.pushing.fetch_sub(1, Ordering::SeqCst);
        loop {
            while !self.tickets.is_empty() {
                worked += self.complete(8);
            }
            let is_over = self.soak.pushing.load(Ordering::SeqCst) == 0
                && self
                    .soak
                    .in_flight
                    .iter()
                    .all(|count| count.load(Ordering::SeqCst) == 0);
            queue.take_batch(8, &mut self.taken);
            if self.soak.failed.load(Ordering::Relaxed) || (is_over && self.taken.is_empty()) {
                return Ok(worked);
            }
            if self.taken.is_empty() {
                thread::yield_now();
            }
            worked += self.start()?;
        }
    }
}

pub(crate) const fn limits() -> Limits {
    Limits {
        weight: Weight::ONE,
        in_flight_max: IN_FLIGHT_MAX,
        backlog_max: u32::MAX,
    }
}

fn is_expected(refusal: Refusal) -> bool {
    matches!(refusal, Refusal::QueueFull { .. } | Refusal::Closed)
}
