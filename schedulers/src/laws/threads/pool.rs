//! Producers and consumers, the register in which they enter each job, and the plainest law of them.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::thread;

use super::{SharedLaw, SharedSubject};
use crate::laws::Job;
use crate::laws::law::{Breach, expect};
use crate::laws::tally::{Tally, mix};
use crate::{Cost, Offer, Settings, SharedFairQueue, Taken, Tenant};

pub(super) const EXACTLY_ONCE_UNDER_THREADS: SharedLaw = SharedLaw {
    name: "exactly_once_under_threads",
    statement: "with many producers and consumers each job comes out once, those of one producer and \
                tenant in order, and len counts no more jobs than pushes were begun",
    verify: |subject, effort| {
        let shapes = [(1, 1), (3, 2), (1, 3), (3, 1)];
        let share = effort.operations / 3 / shapes.len() as u64;
        shapes
            .into_iter()
            .map(|(producers, consumers)| {
                let pool = Pool::new(producers, share / producers + 1, effort.seed);
                exactly_once(subject, &pool, consumers)
            })
            .sum()
    },
};

/// How many tenants there are.
pub(super) const TENANTS: u32 = 13;

/// So many producers push so many jobs each; every job is entered when it comes out.
pub(super) struct Pool {
    pub(super) producers: u64,
    pub(super) jobs_each: u64,
    seed: u64,
    /// How often each job came out.
    out: Vec<AtomicU8>,
    pub(super) begun: AtomicU64,
    accepted: AtomicU64,
    /// Threads that may still make a tenant eligible other than by a completion.
    active: AtomicU64,
    /// Jobs in flight by tenant, as the workers count them.
    in_flight: [AtomicUsize; TENANTS as usize],
    failed: AtomicBool,
}

impl Pool {
    pub(super) fn new(producers: u64, jobs_each: u64, seed: u64) -> Self {
        let jobs = producers * jobs_each;
        Self {
            producers,
            jobs_each,
            seed,
            out: (0..jobs).map(|_| AtomicU8::new(0)).collect(),
            begun: AtomicU64::new(0),
            accepted: AtomicU64::new(0),
            active: AtomicU64::new(producers),
            in_flight: Default::default(),
            failed: AtomicBool::new(false),
        }
    }

    /// The jobs of a producer, in the order in which it pushes them.
    pub(super) const fn jobs_of(&self, producer: u64) -> std::ops::Range<Job> {
        producer * self.jobs_each..(producer + 1) * self.jobs_each
    }

    /// Whose job it is.
    pub(super) fn tenant_of(&self, job: Job) -> Tenant {
        let index = self.random(job) % u64::from(TENANTS);
        Tenant::new(u32::try_from(index).expect("a few tenants"))
    }

    /// A number that depends on the seed and this one alone.
    pub(super) const fn random(&self, number: u64) -> u64 {
        mix(number ^ self.seed.rotate_left(32))
    }

    /// A push that may be refused.
    pub(super) fn offer(&self, job: Job) -> Offer<Job> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        Offer {
            tenant: self.tenant_of(job),
            cost: Cost::UNIT,
            job,
        }
    }

    pub(super) fn accept(&self, jobs: u64) {
        self.accepted.fetch_add(jobs, Ordering::SeqCst);
    }

    /// One more thread beside the producers changes what is eligible.
    pub(super) fn add_active(&self) {
        self.active.fetch_add(1, Ordering::SeqCst);
    }

    /// A producer, or another such thread, has done all it will.
    pub(super) fn end_active(&self) {
        self.active.fetch_sub(1, Ordering::SeqCst);
    }

    pub(super) fn active(&self) -> u64 {
        self.active.load(Ordering::SeqCst)
    }

    /// Ends the run of all threads if this one panics while it holds the guard.
    pub(super) fn guard(&self) -> impl Drop + '_ {
        struct Guard<'a>(&'a AtomicBool);
        impl Drop for Guard<'_> {
            fn drop(&mut self) {
                if thread::panicking() {
                    self.0.store(true, Ordering::SeqCst);
                }
            }
        }
        Guard(&self.failed)
    }

    /// A job came out, in whatever way.
    pub(super) fn enter(&self, job: Job) -> Result<(), Breach> {
        let index = usize::try_from(job).expect("jobs fit in memory");
        let Some(out) = self.out.get(index) else {
            return self.fail("a job that was pushed", format!("job {job}"));
        };
        match out.fetch_add(1, Ordering::SeqCst) {
            0 => Ok(()),
            _ => self.fail("each job once", format!("job {job} came out again")),
        }
    }

    /// Ends the run of all threads.
    pub(super) fn fail<T>(&self, expected: &str, seen: String) -> Result<T, Breach> {
        self.failed.store(true, Ordering::SeqCst);
        Err(Breach::new(expected, seen))
    }

    /// A job was taken: until it is landed it counts against its tenant's cap.
    pub(super) fn start(&self, taken: &Taken<Job>, in_flight_max: usize) -> Result<(), Breach> {
        let tenant = taken.ticket.tenant();
        self.enter(taken.job)?;
        if tenant != self.tenant_of(taken.job) {
            return self.fail("a ticket of the job's tenant", format!("one of {tenant}"));
        }
        let running = self.in_flight[tenant.position()].fetch_add(1, Ordering::SeqCst) + 1;
        if running > in_flight_max {
            let seen = format!("{running} of {tenant}");
            return self.fail("at most the cap in flight at any instant", seen);
        }
        Ok(())
    }

    /// Its worker is about to complete it.
    pub(super) fn land(&self, tenant: Tenant) {
        self.in_flight[tenant.position()].fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether no push and no completion can come any more. Asked before a take that gives nothing, it
    /// says that nothing will ever come.
    pub(super) fn is_quiet(&self) -> bool {
        let is_landed = |count: &AtomicUsize| count.load(Ordering::SeqCst) == 0;
        self.active() == 0 && self.in_flight.iter().all(is_landed)
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::SeqCst)
    }

    /// Takes and completes, one at a time and in batches, until nothing will ever come.
    pub(super) fn consume(
        &self,
        queue: &dyn SharedFairQueue<Job>,
        in_flight_max: usize,
    ) -> Result<Tally, Breach> {
        let _guard = self.guard();
        let mut tally = Tally::default();
        let mut last =
            vec![None; usize::try_from(self.producers).expect("a few") * TENANTS as usize];
        let (mut taken, mut done) = (Vec::new(), Vec::new());
        for round in 0_u64.. {
            let was_quiet = self.is_quiet();
            let max = [1, 1, 1, 7][usize::try_from(round % 4).expect("below 4")];
            if max == 1 {
                taken.extend(queue.take());
            } else {
                queue.take_batch(max, &mut taken);
            }
            if self.has_failed() || (taken.is_empty() && was_quiet) {
                break;
            }
            if taken.is_empty() {
                thread::yield_now();
            }
            for one in &taken {
                self.start(one, in_flight_max)?;
                tally.add(one.job);
                let tenant = one.ticket.tenant();
                let producer = usize::try_from(one.job / self.jobs_each).expect("a few");
                let last = &mut last[producer * TENANTS as usize + tenant.position()];
                if last.replace(one.job) > Some(one.job) {
                    return self.fail(
                        "the jobs of a producer and tenant in order",
                        format!("job {} late, for {tenant}", one.job),
                    );
                }
            }
            if round % 16 == 0 {
                thread::yield_now();
            }
            for Taken { ticket, .. } in taken.drain(..) {
                self.land(ticket.tenant());
                done.push((ticket, Cost::UNIT));
            }
            if done.len() > 1 {
                queue.complete_batch(&mut done);
            } else if let Some((ticket, actual)) = done.pop() {
                queue.complete(ticket, actual);
            }
        }
        Ok(tally)
    }

    /// Nobody uses the queue any more: every accepted job came out, and every count is exact.
    pub(super) fn check_ended(&self, queue: &dyn SharedFairQueue<Job>) -> Result<u64, Breach> {
        let came_out = self.out.iter().filter(|out| out.load(Ordering::SeqCst) > 0);
        let accepted = self.accepted.load(Ordering::SeqCst);
        expect("jobs that came out", &accepted, &(came_out.count() as u64))?;
        expect("len of an empty queue", &0, &queue.len())?;
        for tenant in (0..TENANTS).map(Tenant::new) {
            let counts = (queue.backlog(tenant), queue.in_flight(tenant));
            expect("backlog and jobs in flight", &(0, 0), &counts)?;
        }
        Ok(3 * accepted)
    }
}

/// Joins threads that each end with a verdict.
pub(super) fn join_all<'a, T: 'a>(
    threads: impl IntoIterator<Item = thread::ScopedJoinHandle<'a, Result<T, Breach>>>,
) -> Result<Vec<T>, Breach> {
    // All are joined first: whoever fails makes the others end.
    let joined: Vec<_> = threads
        .into_iter()
        .map(thread::ScopedJoinHandle::join)
        .collect();
    joined
        .into_iter()
        .map(|verdict| verdict.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        .collect()
}

fn exactly_once(subject: &SharedSubject, pool: &Pool, consumers: u64) -> Result<u64, Breach> {
    let queue = (subject.new)(&Settings::default());
    let queue = &*queue;
    let produce = |producer: u64| {
        let _guard = pool.guard();
        let mut tally = Tally::default();
        let (mut offers, mut pushed) = (Vec::new(), Vec::new());
        let mut jobs = pool.jobs_of(producer).peekable();
        while jobs.peek().is_some() && !pool.has_failed() {
            let size = if producer.is_multiple_of(2) { 1 } else { 5 };
            offers.extend(jobs.by_ref().take(size).map(|job| pool.offer(job)));
            pool.accept(offers.len() as u64);
            for offer in &offers {
                tally.add(offer.job);
            }
            if size > 1 {
                queue.push_batch(&mut offers, &mut pushed);
            } else if let Some(offer) = offers.pop() {
                pushed.push(queue.push(offer.tenant, offer.cost, offer.job));
            }
            let refused = pushed.drain(..).find_map(Result::err);
            if let Some(refused) = refused {
                return pool.fail("an accepted push", refused.to_string());
            }
            let (len, begun) = (queue.len() as u64, pool.begun.load(Ordering::SeqCst));
            if len > begun {
                return pool.fail(&format!("len of at most {begun}"), len.to_string());
            }
        }
        pool.end_active();
        Ok(tally)
    };
    let (pushed, taken) = thread::scope(|scope| {
        let produce = &produce;
        let producers: Vec<_> = (0..pool.producers)
            .map(|producer| scope.spawn(move || produce(producer)))
            .collect();
        let consumers: Vec<_> = (0..consumers)
            .map(|_| scope.spawn(|| pool.consume(queue, usize::MAX)))
            .collect();
        (join_all(producers), join_all(consumers))
    });
    let sum = |tallies: Vec<Tally>| {
        let mut sum = Tally::default();
        for tally in tallies {
            sum.merge(tally);
        }
        sum
    };
    let (taken, pushed) = (sum(taken?), sum(pushed?));
    expect("count and checksum of what was pushed", &pushed, &taken)?;
    pool.check_ended(queue)
}
