//! One contender under one plan at one size: audited once, then sampled.

use std::time::Duration;

use core_affinity::CoreId;
use records::runs::{Shape, Timed, Wait, per_mille};

use crate::failure::Failure;
use crate::tally::Tally;
use crate::timed::round::Sampled;
use crate::timed::shared::contender::SharedContender;
use crate::timed::shared::interval::{overlap, span};
use crate::timed::shared::plan::Plan;
use crate::timed::shared::stage::{Quota, Ran, Stage};
use crate::timed::shared::witness::Log;
use crate::timed::trial::{OPERATION_NS_MIN, float};
use crate::workload::{NOISY, Workload};

/// The fewest jobs of a thread in a run.
const JOBS_MIN: u64 = 1_024;

/// A queue that served so many jobs is closed, and its books are; the next sample has another, so that
/// no contender is lucky or unlucky with its place in memory all along.
const JOBS_MAX: u64 = 1 << 20;

/// So often a void sample is tried again.
const TRIES: usize = 8;

/// When a sample counts.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The cores that the threads are pinned to, in turn.
    pub cores: Vec<CoreId>,
    /// How much of the time all threads must have been at the queue.
    pub overlap_min: f64,
    /// What the clock says of no time at all.
    pub nothing_ns: f64,
    /// Samples are as long as the plan says. Otherwise they are as short as can be, for the checks alone.
    pub full_length: bool,
}

/// One contender under one plan.
#[derive(Debug)]
pub struct SharedTrial<'w, C, B> {
    plan: Plan,
    workload: &'w Workload,
    build: B,
    rules: &'w Rules,
    noise: Option<f64>,
    stage: Option<Stage<C, Tally>>,
    /// How many jobs were taken in the present stage.
    served: u64,
    /// Nanoseconds a job in the best run.
    pace_ns: Option<f64>,
    samples: Vec<Sample>,
}

/// One sample.
#[derive(Clone, Default, Debug)]
struct Sample {
    /// Nothing where every try was void.
    ns: Option<f64>,
    void: usize,
    jobs: u64,
    failed_takes: u64,
    /// Single takes, in nanoseconds.
    takes: Vec<f64>,
}

impl<'w, C: SharedContender, B: Fn() -> C> SharedTrial<'w, C, B> {
    /// Audits the contender on a workload.
    ///
    /// # Errors
    ///
    /// What the audit found.
    pub fn new(
        plan: Plan,
        workload: &'w Workload,
        build: B,
        rules: &'w Rules,
    ) -> Result<Self, Failure> {
        let noise = audit(plan, workload, &build, rules)?;
        Ok(Self {
            plan,
            workload,
            build,
            rules,
            noise,
            stage: None,
            served: 0,
            pace_ns: None,
            samples: Vec::new(),
        })
    }

    /// What the noisy tenant was served over an equal share, where everybody waited all along.
    #[must_use]
    pub fn noise(&self) -> Option<f64> {
        self.noise
    }

    /// How many of the last samples were thrown away.
    #[must_use]
    pub fn void_samples(&self, count: usize) -> usize {
        self.last(count).iter().map(|sample| sample.void).sum()
    }

    /// Takes that got nothing, for each job taken in the last samples.
    #[must_use]
    pub fn failed_takes(&self, count: usize) -> f64 {
        let samples = self.last(count);
        let jobs: u64 = samples.iter().map(|sample| sample.jobs).sum();
        let failed: u64 = samples.iter().map(|sample| sample.failed_takes).sum();
        float(failed) / float(jobs.max(1))
    }

    /// The takes timed by themselves in the last samples; nothing where there were none.
    #[must_use]
    pub fn wait(&self, count: usize) -> Option<Wait> {
        let samples = self.last(count).iter();
        let takes: Vec<f64> = samples.flat_map(|sample| &sample.takes).copied().collect();
        Some(Wait {
            ns_p50: per_mille(&takes, 500)?,
            ns_p99: per_mille(&takes, 990)?,
            ns_p99_9: per_mille(&takes, 999)?,
            takes: takes.len(),
        })
    }

    fn last(&self, count: usize) -> &[Sample] {
        &self.samples[self.samples.len().saturating_sub(count)..]
    }

    /// How many jobs each thread that takes should take in a sample. Criterion asks for few where the
    /// start of the threads outlasts their work, and a sample must be long enough to be one.
    fn quota(&self, iterations: u64) -> u64 {
        let movers = match self.plan.shape {
            Shape::ProducersConsumers => self.plan.threads.div_ceil(2),
            Shape::Cycle | Shape::WaitUnderLoad => self.plan.threads,
        };
        let sample_time = self.plan.sample_time(self.rules.cores.len());
        let needed = self.pace_ns.map_or(0, |pace_ns| {
            records::number::round(sample_time.as_secs_f64() * 1e9 / pace_ns)
        });
        let jobs = if self.rules.full_length {
            needed.max(iterations)
        } else {
            iterations
        };
        jobs.div_ceil(movers as u64).max(JOBS_MIN)
    }

    fn run(&mut self, quota: Quota) -> Result<Ran, Failure> {
        self.prepare();
        let Some(mut stage) = self.stage.take() else {
            return Failure::wrong("there is no queue");
        };
        let ran = stage.run(self.workload, &self.rules.cores, quota)?;
        self.served += ran.jobs;
        if ran.jobs > 0 {
            let ns = span(&ran.intervals).as_secs_f64() * 1e9 / float(ran.jobs);
            self.pace_ns = Some(self.pace_ns.unwrap_or(ns).min(ns));
        }
        let is_over = self.plan.shape == Shape::WaitUnderLoad || self.served >= JOBS_MAX;
        if is_over {
            stage.close()?;
            self.served = 0;
        } else {
            self.stage = Some(stage);
        }
        Ok(ran)
    }

    /// Nanoseconds a job, or a take where those are timed by themselves.
    fn ns(&self, ran: &Ran, takes: &[f64]) -> Result<f64, Failure> {
        let ns = span(&ran.intervals).as_secs_f64() * 1e9 / float(ran.jobs);
        let at_once = self.plan.threads.min(self.rules.cores.len().max(1));
        if ns * float(at_once as u64) < OPERATION_NS_MIN {
            return Failure::wrong(format!("{ns:.2} ns a job: optimised away"));
        }
        if self.plan.shape == Shape::WaitUnderLoad {
            return Ok(takes.iter().sum::<f64>() / float(takes.len() as u64));
        }
        Ok(ns)
    }
}

impl<C: SharedContender, B: Fn() -> C> Sampled for SharedTrial<'_, C, B> {
    fn prepare(&mut self) {
        if self.stage.is_none() {
            self.stage = Some(Stage::new((self.build)(), self.plan, self.workload));
        }
    }

    fn sample(&mut self, iterations: u64) -> Result<Duration, Failure> {
        if self.rules.full_length && self.pace_ns.is_none() {
            self.run(Quota::Timed(JOBS_MIN))?; // to see how many jobs a sample needs
        }
        let quota = Quota::Timed(self.quota(iterations));
        let (mut sample, mut ns) = (Sample::default(), 0.0);
        while sample.ns.is_none() && sample.void < TRIES {
            let ran = self.run(quota)?;
            if ran.jobs == 0 {
                sample.void += 1; // those who take came too late
                continue;
            }
            let net = |take: &Duration| (take.as_secs_f64() * 1e9 - self.rules.nothing_ns).max(0.0);
            let takes: Vec<f64> = ran.takes.iter().map(net).collect();
            ns = self.ns(&ran, &takes)?;
            if overlap(&ran.intervals) < self.rules.overlap_min {
                sample.void += 1;
            } else {
                (sample.ns, sample.takes) = (Some(ns), takes);
                (sample.jobs, sample.failed_takes) = (ran.jobs, ran.failed_takes);
            }
        }
        self.samples.push(sample);
        // Criterion wants a time of every sample, of one that is void too.
        Ok(Duration::from_secs_f64(ns / 1e9 * float(iterations)).max(Duration::from_nanos(1)))
    }

    fn outcome(&mut self, count: usize) -> Result<Option<Timed>, Failure> {
        if let Some(stage) = self.stage.take() {
            stage.close()?;
        }
        if self.samples.len() < count {
            return Ok(None);
        }
        let valid: Vec<f64> = self.last(count).iter().filter_map(|one| one.ns).collect();
        if 2 * valid.len() < count {
            return Err(Failure::Void(format!(
                "in {} of {count} samples the threads were at the queue together for less than {:.0} % of the time",
                count - valid.len(),
                100.0 * self.rules.overlap_min
            )));
        }
        Ok(Timed::of(&valid))
    }
}

/// Runs the threads under audit, until every tenant could have had two turns.
fn audit<C: SharedContender>(
    plan: Plan,
    workload: &Workload,
    build: impl Fn() -> C,
    rules: &Rules,
) -> Result<Option<f64>, Failure> {
    let mut stage: Stage<C, Log> = Stage::new(build(), plan, workload);
    let jobs = 2 * u64::from(workload.tenants) / plan.threads as u64;
    stage.run(workload, &rules.cores, Quota::Audit(jobs.max(JOBS_MIN)))?;
    let logs = stage.close()?;
    if plan.shape != Shape::Cycle {
        return Ok(None);
    }
    let taken: Vec<_> = logs[1..].iter().flat_map(|log| &log.taken).collect();
    let noisy = taken.iter().filter(|(tenant, _)| *tenant == NOISY).count();
    let equal_share = float(taken.len() as u64) / f64::from(workload.tenants);
    Ok(Some(float(noisy as u64) / equal_share))
}
