//! The loops of a thread. Each is compiled once for every contender and kind of witness.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crossbeam_utils::Backoff;
use schedulers::Offer;

use crate::timed::shared::contender::SharedContender;
use crate::timed::shared::signals::{CHUNK, Signals};
use crate::timed::shared::witness::Witness;
use crate::workload::Arrival;
use crate::workload::Job;

/// A consumer that gets nothing for so long ends the run: the books will show what is missing.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long a thread goes on.
#[derive(Clone, Copy, Debug)]
pub struct Until {
    /// It ends after so many jobs, or a chunk more.
    pub jobs: u64,
    /// And then the others end too.
    pub ends_all: bool,
    /// Told to end, it goes on until nothing comes.
    pub drains: bool,
}

/// One thread: its queue, and what it wrote down.
#[derive(Debug)]
pub struct Worker<'q, C: SharedContender, W> {
    queue: &'q C,
    signals: &'q Signals,
    /// How many jobs a call takes or pushes.
    batch: usize,
    hands: C::Hands,
    /// The number of its next job.
    next: Job,
    witness: W,
    failed_takes: u64,
}

/// What a thread did.
#[derive(Clone, Debug)]
pub struct Done<W> {
    /// The number of the next job it would push.
    pub next: Job,
    /// What it wrote down.
    pub witness: W,
    /// Takes that got nothing.
    pub failed_takes: u64,
}

impl<'q, C: SharedContender, W: Witness> Worker<'q, C, W> {
    /// A thread that has done nothing, and will number its jobs from `next` on.
    pub fn new(queue: &'q C, signals: &'q Signals, batch: usize, next: Job) -> Self {
        Self {
            queue,
            signals,
            batch,
            hands: C::Hands::default(),
            next,
            witness: W::default(),
            failed_takes: 0,
        }
    }

    /// What it did.
    pub fn done(self) -> Done<W> {
        Done {
            next: self.next,
            witness: self.witness,
            failed_takes: self.failed_takes,
        }
    }

    /// Pushes all, one by one.
    #[inline(never)]
    pub fn push(&mut self, arrivals: &[Arrival]) {
        let (mut witness, mut next) = self.pick_up();
        for arrival in arrivals {
            let offer = arrival.offer(next);
            witness.pushes(offer.tenant, black_box(offer.job));
            self.queue.push(offer);
            next += 1;
        }
        self.put_down(witness, next);
    }

    /// Takes and completes so many, or until nothing comes.
    pub fn take(&mut self, count: usize) {
        let taken = std::iter::from_fn(|| self.queue.take()).take(count);
        for (offer, ticket) in taken {
            self.queue.complete(ticket);
            self.witness.took(offer.tenant, offer.job);
        }
    }

    /// Take, complete, and the tenant just served pushes its next job.
    pub fn cycle(&mut self, until: Until) {
        let mut offers = Vec::with_capacity(self.batch);
        self.run(until, |worker| {
            if worker.batch == 1 {
                worker.cycle_chunk();
            } else {
                worker.cycle_batches(&mut offers);
            }
            CHUNK
        });
    }

    /// Pushes one arrival after the other, from a chunk of them on, and from the start again after the
    /// last; waits when it is too far ahead of the consumers.
    pub fn produce(&mut self, arrivals: &[Arrival], first_chunk: usize, until: Until) {
        let mut offers = Vec::with_capacity(self.batch);
        let mut chunks = arrivals.chunks_exact(CHUNK).cycle().skip(first_chunk);
        self.run(until, |worker| {
            if !worker.signals.may_push_chunk() {
                return 0;
            }
            let chunk = chunks.next().unwrap_or_default();
            if worker.batch == 1 {
                worker.push(chunk);
            } else {
                worker.push_batches(chunk, &mut offers);
            }
            chunk.len()
        });
    }

    /// Takes and completes, and tries again where nothing comes.
    pub fn consume(&mut self, until: Until) {
        let mut taken = Vec::with_capacity(self.batch);
        let (backoff, mut unsettled, mut nothing_since) = (Backoff::new(), 0, None);
        self.run(until, |worker| {
            let count = if worker.batch == 1 {
                worker.take_chunk()
            } else {
                worker.take_batches(&mut taken)
            };
            unsettled += count;
            if unsettled >= CHUNK {
                worker.signals.took(std::mem::take(&mut unsettled));
            }
            if count > 0 {
                backoff.reset();
                nothing_since = None;
            } else {
                backoff.snooze();
                if nothing_since.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
                    worker.signals.stop();
                }
            }
            count
        });
    }

    /// Pushes a burst as fast as it can, then stops everybody.
    pub fn burst(&mut self, arrivals: &[Arrival]) {
        self.push(arrivals);
        self.signals.stop();
    }

    /// Cycles until told to stop, and times one take in `one_in` by itself. Gives those times as the
    /// clock said.
    #[inline(never)]
    pub fn cycle_and_time(&mut self, one_in: usize) -> Vec<Duration> {
        let mut times = Vec::with_capacity(1 << 16);
        while !self.signals.is_stopped() {
            let start = Instant::now();
            let taken = self.queue.take();
            times.push(start.elapsed());
            self.settle(taken);
            for _ in 1..one_in {
                let taken = self.queue.take();
                self.settle(taken);
            }
        }
        times
    }

    /// Completes what was taken, and the tenant pushes its next job.
    #[inline(always)]
    fn settle(&mut self, taken: Option<(Offer<Job>, C::Ticket)>) {
        let Some((mut offer, ticket)) = taken else {
            self.failed_takes += 1;
            return;
        };
        self.queue.complete(ticket);
        self.witness.took(offer.tenant, black_box(offer.job));
        offer.job = self.next;
        self.witness.pushes(offer.tenant, offer.job);
        self.queue.push(offer);
        self.next += 1;
    }

    /// Runs chunk after chunk; each says how many jobs it counts for.
    fn run(&mut self, until: Until, mut chunk: impl FnMut(&mut Self) -> usize) {
        let mut jobs = 0;
        while jobs < until.jobs && !self.signals.is_stopped() {
            jobs += chunk(self) as u64;
        }
        while until.drains && chunk(self) > 0 {}
        if until.ends_all {
            self.signals.stop();
        }
    }

    /// What a loop counts, to be held in registers: behind a pointer, it would be written to memory
    /// with every job.
    #[inline(always)]
    fn pick_up(&mut self) -> (W, Job) {
        (std::mem::take(&mut self.witness), self.next)
    }

    #[inline(always)]
    fn put_down(&mut self, witness: W, next: Job) {
        (self.witness, self.next) = (witness, next);
    }

    #[inline(never)]
    fn cycle_chunk(&mut self) {
        let (mut witness, mut next) = self.pick_up();
        for _ in 0..CHUNK {
            let Some((mut offer, ticket)) = self.queue.take() else {
                self.failed_takes += 1;
                continue;
            };
            self.queue.complete(ticket);
            witness.took(offer.tenant, black_box(offer.job));
            offer.job = black_box(next);
            witness.pushes(offer.tenant, offer.job);
            self.queue.push(offer);
            next += 1;
        }
        self.put_down(witness, next);
    }

    /// What is taken becomes what is pushed, in place.
    #[inline(never)]
    fn cycle_batches(&mut self, offers: &mut Vec<Offer<Job>>) {
        let (mut witness, mut next) = self.pick_up();
        for _ in 0..CHUNK / self.batch {
            self.queue.take_batch(&mut self.hands, self.batch, offers);
            self.failed_takes += u64::from(offers.is_empty());
            for offer in &mut *offers {
                witness.took(offer.tenant, black_box(offer.job));
                offer.job = black_box(next);
                witness.pushes(offer.tenant, offer.job);
                next += 1;
            }
            self.queue.push_batch(&mut self.hands, offers);
        }
        self.put_down(witness, next);
    }

    #[inline(never)]
    fn push_batches(&mut self, arrivals: &[Arrival], offers: &mut Vec<Offer<Job>>) {
        let (mut witness, mut next) = self.pick_up();
        for batch in arrivals.chunks(self.batch) {
            for arrival in batch {
                witness.pushes(arrival.tenant, next);
                offers.push(arrival.offer(black_box(next)));
                next += 1;
            }
            self.queue.push_batch(&mut self.hands, offers);
        }
        self.put_down(witness, next);
    }

    /// Ends early where nothing comes. Gives how many jobs came.
    #[inline(never)]
    fn take_chunk(&mut self) -> usize {
        let (mut witness, next) = self.pick_up();
        let mut count = 0;
        while count < CHUNK {
            let Some((offer, ticket)) = self.queue.take() else {
                self.failed_takes += 1;
                break;
            };
            self.queue.complete(ticket);
            witness.took(offer.tenant, black_box(offer.job));
            count += 1;
        }
        self.put_down(witness, next);
        count
    }

    /// The same, batch by batch.
    #[inline(never)]
    fn take_batches(&mut self, taken: &mut Vec<Offer<Job>>) -> usize {
        let (mut witness, next) = self.pick_up();
        let mut count = 0;
        while count < CHUNK {
            self.queue.take_batch(&mut self.hands, self.batch, taken);
            if taken.is_empty() {
                self.failed_takes += 1;
                break;
            }
            count += taken.len();
            for offer in taken.drain(..) {
                witness.took(offer.tenant, black_box(offer.job));
            }
        }
        self.put_down(witness, next);
        count
    }
}
