//! A queue, its threads, and the books of what went in and came out.

use std::panic::resume_unwind;
use std::sync::Barrier;
use std::thread::{self, panicking};
use std::time::{Duration, Instant};

use core_affinity::CoreId;

use crate::failure::Failure;
use crate::tally::Tally;
use crate::timed::shared::contender::SharedContender;
use crate::timed::shared::interval::Interval;
use crate::timed::shared::ledger;
use crate::timed::shared::numbers::{first_job, number};
use crate::timed::shared::plan::{Plan, Role};
use crate::timed::shared::signals::Signals;
use crate::timed::shared::witness::{Log, Witness};
use crate::timed::shared::worker::{Done, Until, Worker};
use crate::workload::Job;
use crate::workload::Workload;

/// How much each thread has to do.
#[derive(Clone, Copy, Debug)]
pub enum Quota {
    /// Every thread that pushes pushes so many, and the run ends when all have been taken that ought to
    /// be.
    Audit(u64),
    /// The run ends when the first thread has taken so many.
    Timed(u64),
}

/// A queue, and what was done with it by threads whose witnesses are `W`.
#[derive(Debug)]
pub struct Stage<C, W> {
    queue: C,
    plan: Plan,
    /// What each producer would push next; the first is who fills the queue before a run.
    next: Vec<Job>,
    witnesses: Vec<W>,
}

/// One run of all threads.
#[derive(Clone, Debug)]
pub struct Ran {
    /// When each thread was at the queue.
    pub intervals: Vec<Interval>,
    /// How many jobs were taken.
    pub jobs: u64,
    /// How many takes got nothing.
    pub failed_takes: u64,
    /// The takes that were timed by themselves.
    pub takes: Vec<Duration>,
}

impl<C: SharedContender, W: Witness> Stage<C, W> {
    /// Fills a new queue.
    pub fn new(queue: C, plan: Plan, workload: &Workload) -> Self {
        let next = (0..=plan.threads as u64).map(first_job).collect();
        let mut stage = Self {
            queue,
            plan,
            next,
            witnesses: Vec::new(),
        };
        let signals = Signals::default();
        let mut worker = Worker::new(&stage.queue, &signals, 1, stage.next[0]);
        worker.push(&workload.known);
        worker.take(workload.known.len());
        worker.push(&workload.backlog);
        let done = worker.done();
        stage.enter(0, done);
        stage
    }

    /// Runs all threads once, each pinned to the next core.
    ///
    /// # Errors
    ///
    /// A take got nothing though jobs waited all along.
    pub fn run(
        &mut self,
        workload: &Workload,
        cores: &[CoreId],
        quota: Quota,
    ) -> Result<Ran, Failure> {
        let roles = self.plan.roles();
        let (signals, start) = (Signals::new(self.waiting()), Barrier::new(roles.len()));
        let ended = thread::scope(|scope| {
            let start_one = |(index, &role): (usize, &Role)| {
                let core = cores.get(index % cores.len().max(1)).copied();
                let (queue, batch, next) = (&self.queue, self.plan.batch, self.next[1 + index]);
                let (start, signals) = (&start, &signals);
                let run = move || {
                    let _guard = StopOnPanic(signals);
                    if let Some(core) = core {
                        core_affinity::set_for_current(core);
                    }
                    let worker = Worker::new(queue, signals, batch, next);
                    start.wait();
                    play(role, index, worker, workload, quota)
                };
                (leads(role, quota), scope.spawn(run))
            };
            let threads: Vec<_> = roles.iter().enumerate().map(start_one).collect();
            let mut ended: Vec<_> = threads.iter().map(|_| None).collect();
            // Those that end by themselves first; then the others are told to.
            let (leaders, others): (Vec<_>, Vec<_>) = threads
                .into_iter()
                .enumerate()
                .partition(|(_, (leads, _))| *leads);
            for (index, (_, thread)) in leaders {
                ended[index] = Some(thread.join());
            }
            signals.stop();
            for (index, (_, thread)) in others {
                ended[index] = Some(thread.join());
            }
            ended
        });
        self.close_run(ended.into_iter().flatten())
    }

    fn close_run(
        &mut self,
        ended: impl Iterator<Item = thread::Result<Ended<W>>>,
    ) -> Result<Ran, Failure> {
        let mut ran = Ran {
            intervals: Vec::new(),
            jobs: 0,
            failed_takes: 0,
            takes: Vec::new(),
        };
        for (index, ended) in ended.enumerate() {
            let ended = ended.unwrap_or_else(|cause| resume_unwind(cause));
            ran.intervals.push(ended.interval);
            ran.jobs += ended.done.witness.count();
            ran.failed_takes += ended.done.failed_takes;
            ran.takes.extend(ended.takes);
            self.enter(1 + index, ended.done);
        }
        if ran.failed_takes > 0 && self.plan.roles()[0] != Role::Produce {
            return Failure::wrong(format!(
                "{} takes got nothing while jobs waited all along",
                ran.failed_takes
            ));
        }
        Ok(ran)
    }

    /// How many jobs are in the queue.
    fn waiting(&self) -> usize {
        let pushed: u64 = self.next.iter().map(|&next| number(next)).sum();
        let taken: u64 = self.witnesses.iter().map(Witness::count).sum();
        usize::try_from(pushed.saturating_sub(taken)).unwrap_or(usize::MAX)
    }

    fn enter(&mut self, producer: usize, done: Done<W>) {
        self.next[producer] = done.next;
        self.witnesses.push(done.witness);
    }
}

impl<C: SharedContender> Stage<C, Tally> {
    /// Empties the queue: every job pushed must have been taken, or be in it still, once.
    ///
    /// # Errors
    ///
    /// A job was lost or came twice.
    pub fn close(self) -> Result<(), Failure> {
        let (mut pushed, mut pushed_sum) = (0, 0_u64);
        for (producer, &next) in (0..).zip(&self.next) {
            pushed += number(next);
            pushed_sum = (first_job(producer)..next).fold(pushed_sum, u64::wrapping_add);
        }
        let left = self.queue.reclaim().into_iter();
        let mut out: Tally = left.map(|offer| offer.job).collect();
        self.witnesses
            .into_iter()
            .for_each(|tally| out.merge(tally));
        if (out.count, out.sum) == (pushed, pushed_sum) {
            return Ok(());
        }
        Failure::wrong(format!(
            "{pushed} jobs went in with sum {pushed_sum}, {} came out with sum {}",
            out.count, out.sum
        ))
    }
}

impl<C: SharedContender> Stage<C, Log> {
    /// Empties the queue, and checks job by job. Gives what every thread wrote down, the one that
    /// filled the queue first.
    ///
    /// # Errors
    ///
    /// See [`ledger::check`].
    pub fn close(self) -> Result<Vec<Log>, Failure> {
        ledger::check(&self.witnesses, &self.queue.reclaim())?;
        Ok(self.witnesses)
    }
}

/// What a thread ends with.
struct Ended<W> {
    interval: Interval,
    done: Done<W>,
    takes: Vec<Duration>,
}

/// Whether a thread ends by itself.
const fn leads(role: Role, quota: Quota) -> bool {
    match (role, quota) {
        (Role::Cycle | Role::Burst, _) => true,
        (Role::Produce, _) => matches!(quota, Quota::Audit(_)),
        (Role::Consume, _) => matches!(quota, Quota::Timed(_)),
        (Role::Probe, _) => false,
    }
}

/// One thread from its first reading of the clock to its last.
fn play<C: SharedContender, W: Witness>(
    role: Role,
    index: usize,
    mut worker: Worker<'_, C, W>,
    workload: &Workload,
    quota: Quota,
) -> Ended<W> {
    /// How many takes there are for each that is timed by itself.
    const ONE_IN: usize = 8;
    /// How far apart producers begin in the arrivals, in chunks.
    const APART: usize = 997;

    let (jobs, is_audit) = match quota {
        Quota::Audit(jobs) => (jobs, true),
        Quota::Timed(jobs) => (jobs, false),
    };
    let leads = leads(role, quota);
    let until = Until {
        jobs: if leads { jobs } else { u64::MAX },
        ends_all: leads && !is_audit,
        drains: is_audit && role == Role::Consume,
    };
    let mut takes = Vec::new();
    let start = Instant::now();
    match role {
        Role::Cycle => worker.cycle(until),
        Role::Produce => worker.produce(&workload.arrivals, APART * index, until),
        Role::Consume => worker.consume(until),
        Role::Burst => worker.burst(&workload.arrivals),
        Role::Probe => takes = worker.cycle_and_time(ONE_IN),
    }
    let end = Instant::now();
    Ended {
        interval: Interval { start, end },
        done: worker.done(),
        takes,
    }
}

/// A thread that panics must not leave the others waiting for it.
struct StopOnPanic<'a>(&'a Signals);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if panicking() {
            self.0.stop();
        }
    }
}
