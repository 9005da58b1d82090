//! A contender as one side of a comparison.

use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use core_affinity::CoreId;
use harness::paired::{Fault, Sample, Side};

use super::contender::Contender;
use super::workload::Workload;
use crate::tally::Tally;
use crate::timed::clock::timed;
use crate::timed::shared::interval::{Interval, overlap, span};
use crate::timed::shared::trial::Rules;

/// How many parts a block takes: one to warm up, and two that are timed.
pub(super) const PARTS: usize = 3;

/// So often a part of several threads is tried again.
const TRIES: usize = 8;

/// A contender, alive for one block.
#[derive(Debug)]
pub(super) struct Asked<'a, C> {
    workload: &'a Workload,
    rules: &'a Rules,
    limiter: Option<C>,
    /// The next part.
    part: usize,
}

impl<'a, C: Contender> Asked<'a, C> {
    /// Not built yet.
    pub(super) fn new(workload: &'a Workload, rules: &'a Rules) -> Self {
        Self {
            workload,
            rules,
            limiter: None,
            part: 0,
        }
    }

    /// All threads ask the part. Gives what each counted, and the time from the first one's start to the
    /// last one's end; nothing where they did not ask at the same time.
    fn ask(&self, limiter: &C, part: usize) -> Option<(Vec<Tally>, f64)> {
        let workload = self.workload;
        if workload.threads() == 1 {
            let mut tally = Tally::default();
            let elapsed = timed(|| tally = workload.ask(limiter, 0, part));
            return Some((vec![tally], elapsed.as_secs_f64() * 1e9));
        }
        let start = Barrier::new(workload.threads());
        let ran: Vec<(Tally, Interval)> = thread::scope(|scope| {
            let thread = |thread| {
                let (start, cores) = (&start, &self.rules.cores);
                scope.spawn(move || {
                    pin(cores, thread);
                    start.wait();
                    let start = Instant::now();
                    let tally = workload.ask(limiter, thread, part);
                    let end = Instant::now();
                    (tally, Interval { start, end })
                })
            };
            let threads: Vec<_> = (0..workload.threads()).map(thread).collect();
            let joined = threads.into_iter().map(thread::ScopedJoinHandle::join);
            joined
                .map(|ran| ran.expect("a limiter does not panic"))
                .collect()
        });
        let (tallies, intervals): (Vec<_>, Vec<_>) = ran.into_iter().unzip();
        let together = overlap(&intervals) >= self.rules.overlap_min;
        together.then(|| (tallies, span(&intervals).as_secs_f64() * 1e9))
    }
}

fn pin(cores: &[CoreId], thread: usize) {
    if let Some(core) = cores.get(thread % cores.len().max(1)) {
        core_affinity::set_for_current(*core);
    }
}

impl<C: Contender> Side for Asked<'_, C> {
    fn build(&mut self, _: u64) -> Result<(), Fault> {
        let limiter = self.workload.start();
        for thread in 0..self.workload.threads() {
            self.workload.ask(&limiter, thread, 0);
        }
        (self.limiter, self.part) = (Some(limiter), 1);
        Ok(())
    }

    fn run(&mut self) -> Result<Sample, Fault> {
        let none = || Fault::Unmeasured("it is not built".to_owned());
        let limiter = self.limiter.as_ref().ok_or_else(none)?;
        let ran = (0..TRIES).find_map(|_| self.ask(limiter, self.part));
        let (tallies, elapsed_ns) = ran.ok_or_else(|| {
            Fault::Unmeasured(format!(
                "{TRIES} times the threads asked together for less than {:.0} % of the time",
                100.0 * self.rules.overlap_min
            ))
        })?;
        self.part += 1;
        let operations = (self.workload.part() * tallies.len()) as u64;
        let admitted = tallies.iter().map(|tally| tally.sum).sum();
        if !self.workload.is_met_by(admitted, operations) {
            return Err(Fault::Wrong(format!(
                "{} admitted {admitted} of {operations}",
                C::NAME
            )));
        }
        let checksum = tallies.iter().map(|tally| tally.order);
        Ok(Sample {
            elapsed_ns,
            operations,
            jobs: admitted,
            checksum: checksum.fold(0, u64::wrapping_add),
        })
    }

    fn close(&mut self) -> Result<(), Fault> {
        self.limiter = None;
        Ok(())
    }
}
