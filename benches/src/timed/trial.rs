//! One contender in one state at one size: audited once, then sampled.

use std::time::{Duration, Instant};

use records::runs::{State, Timed};

use crate::costs::Costs;
use crate::failure::Failure;
use crate::tally::Tally;
use crate::timed::contender::Contender;
use crate::timed::driver::Driver;
use crate::timed::oracle::{Audited, Noise};
use crate::timed::profile::Paths;
use crate::timed::round::Sampled;
use crate::timed::state::Driven;
use crate::workload::Workload;

/// A real operation takes longer: below this, the compiler has removed the work.
pub(crate) const OPERATION_NS_MIN: f64 = 1.0;

/// How long the audit goes on after the first batch, if it has not seen everybody's turn before.
const AUDIT: Duration = Duration::from_millis(250);

/// What the audit saw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Audit {
    /// What came out of the first batch.
    pub(crate) first: Tally,
    /// What the noisy tenant got.
    noise: Noise,
}

/// One contender in one state.
#[derive(Debug)]
pub struct Trial<C, B> {
    state: State,
    build: B,
    empty_loop_ns: f64,
    workload: Workload,
    audit: Audit,
    /// A queue in the state to be measured, made ahead so that making it is not timed.
    ready: Option<Driver<C>>,
    /// On what path the next batch is called.
    paths: Paths,
    /// Nanoseconds an operation, sample by sample, those of the warm-up first.
    samples: Vec<f64>,
}

impl<C: Contender, B: Fn() -> C> Trial<C, B> {
    /// Makes the workload, and audits the contender on it.
    ///
    /// # Errors
    ///
    /// What the audit found.
    pub fn new(
        state: State,
        (tenants, costs): (u32, Costs),
        build: B,
        empty_loop_ns: f64,
    ) -> Result<Self, Failure> {
        let workload = state.workload(tenants, costs);
        let audit = audit(state, &workload, &build)?;
        Ok(Self {
            state,
            build,
            empty_loop_ns,
            workload,
            audit,
            ready: None,
            paths: Paths::new(),
            samples: Vec::new(),
        })
    }

    fn start(&self) -> Driver<C> {
        self.state.start((self.build)(), &self.workload)
    }

    /// Nanoseconds an operation without the bare loop.
    fn net_ns(&self, elapsed: Duration, operations: usize) -> Result<f64, Failure> {
        let raw_ns = elapsed.as_secs_f64() * 1e9 / float(operations as u64);
        if raw_ns < OPERATION_NS_MIN {
            return Failure::wrong(format!("{raw_ns:.2} ns an operation: optimised away"));
        }
        Ok((raw_ns - self.empty_loop_ns).max(0.0))
    }

    /// What the noisy tenant was served over an equal share, while it and others waited.
    #[must_use]
    pub fn noise(&self) -> Option<f64> {
        self.audit.noise.ratio()
    }

    /// The fingerprint of the workload.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        self.workload.fingerprint().hex()
    }
}

impl<C: Contender, B: Fn() -> C> Sampled for Trial<C, B> {
    fn prepare(&mut self) {
        self.ready = Some(self.start());
    }

    fn sample(&mut self, iterations: u64) -> Result<Duration, Failure> {
        let (mut elapsed, mut operations, mut number) = (Duration::ZERO, 0, 0);
        let mut driver = self.ready.take().unwrap_or_else(|| self.start());
        loop {
            let batch = self
                .paths
                .call(|| self.state.batch(&mut driver, &self.workload, number));
            if number == 0 && batch.tally != self.audit.first {
                let (found, audited) = (batch.tally, self.audit.first);
                return Failure::wrong(format!("first {found:?}, under audit {audited:?}"));
            }
            elapsed += batch.elapsed;
            operations += batch.operations;
            number += 1;
            if operations as u64 >= iterations {
                driver.close()?;
                break;
            }
            if self.state.ends_with_a_batch() {
                driver.close()?;
                driver = self.start();
                number = 0;
            }
        }
        let ns = self.net_ns(elapsed, operations)?;
        self.samples.push(ns);
        Ok(Duration::from_secs_f64(ns / 1e9 * float(iterations)))
    }

    fn outcome(&mut self, count: usize) -> Result<Option<Timed>, Failure> {
        let first = self.samples.len().checked_sub(count);
        Ok(first.and_then(|first| Timed::of(&self.samples[first..])))
    }
}

/// A count as a fraction's part: exact up to 2^53, which no sample reaches.
#[allow(clippy::cast_precision_loss)]
pub(crate) const fn float(count: u64) -> f64 {
    count as f64
}

/// Runs the batches to be timed under the eyes of the model: the first one whole, and more until
/// every tenant could have had two turns.
pub(crate) fn audit<C: Contender>(
    state: State,
    workload: &Workload,
    build: impl Fn() -> C,
) -> Result<Audit, Failure> {
    let audited = Audited::new(build(), workload);
    let mut driver = state.start(audited, workload);
    let begin = Instant::now();
    let first = state.batch(&mut driver, workload, 0);
    driver.queue().verdict()?;

    let turns = 2 * workload.tenants as usize;
    let (mut operations, mut number) = (first.operations, 1);
    while !state.ends_with_a_batch() && operations < turns && begin.elapsed() < AUDIT {
        operations += state.batch(&mut driver, workload, number).operations;
        number += 1;
    }
    driver.queue().verdict()?;
    let noise = driver.close()?.noise();
    Ok(Audit {
        first: first.tally,
        noise,
    })
}
