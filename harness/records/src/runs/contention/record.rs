//! One contender under many threads, as it is kept.

use serde::{Deserialize, Serialize};

use crate::runs::results::Outcome;

/// The name of the unfair queue that every ratio under many threads is to.
pub const SHARED_FLOOR: &str = "seg_queue";

/// What the threads do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Every thread takes, completes, and the tenant just served pushes its next job. The noisy
    /// tenant's burst and one job of each neighbour wait, as in `steady`.
    Cycle,
    /// Half of the threads push jobs of tenants at random; the others take and complete, and try again
    /// where nothing waits. A producer is at most some thousand jobs ahead.
    ProducersConsumers,
    /// One thread cycles as above while another pushes a burst, and some of its takes are timed one by
    /// one.
    WaitUnderLoad,
}

impl Shape {
    /// As in benchmark names.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cycle => "contention",
            Self::ProducersConsumers => "producers_consumers",
            Self::WaitUnderLoad => "wait_under_load",
        }
    }

    /// The group of benchmarks with so many threads and jobs a call, as filters know it.
    #[must_use]
    pub fn group(self, threads: usize, batch: usize) -> String {
        let shape = self.name();
        let plural = if threads == 1 { "" } else { "s" };
        if self == Self::WaitUnderLoad {
            return shape.to_owned();
        }
        format!("{shape}_{threads}_thread{plural}_batch_{batch}")
    }

    /// What is timed, in a few words.
    #[must_use]
    pub const fn operation(self) -> &'static str {
        match self {
            Self::Cycle => "each thread: take + complete + push by the tenant served",
            Self::ProducersConsumers => "half of the threads push, the others take + complete",
            Self::WaitUnderLoad => "a take while another thread pushes a burst",
        }
    }
}

/// One contender, with so many threads, jobs a call, and tenants.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Contended {
    /// What the threads did.
    pub shape: Shape,
    /// Who.
    pub contender: String,
    /// Whether it is a floor, and no scheduler.
    pub is_floor: bool,
    /// How many threads were at the queue at once.
    pub threads: usize,
    /// Whether that is more than there are cores, so that the operating system's turns are measured too.
    pub oversubscribed: bool,
    /// How many jobs a call takes or pushes.
    pub batch: usize,
    /// How many tenants there were.
    pub tenants: u32,
    /// The fingerprint of the workload.
    pub workload: String,
    /// What the noisy tenant was served over an equal share in the audited run: 1 is fair. Nothing
    /// where others did not wait all along.
    pub noise: Option<f64>,
    /// How many times as long as the unfair queue of this run it took.
    pub floor_ratio: Option<f64>,
    /// Takes that got nothing, for each job taken. They are no throughput.
    pub failed_takes: f64,
    /// Samples thrown away, since the threads were not at the queue at the same time.
    pub void_samples: usize,
    /// What came of it. The time is that from the first thread's start to the last one's end, over all
    /// jobs that went through the queue meanwhile, so two threads that do not hinder each other halve
    /// it; of [`Shape::WaitUnderLoad`], the mean of the takes timed.
    pub outcome: Outcome,
    /// The takes timed one by one.
    pub wait: Option<Wait>,
}

/// How long single takes took, the reading of the clock subtracted.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Wait {
    /// Half of them took no longer.
    pub ns_p50: f64,
    /// All but one in 100 took no longer.
    pub ns_p99: f64,
    /// All but one in 1,000 took no longer.
    pub ns_p99_9: f64,
    /// How many were timed.
    pub takes: usize,
}

impl Contended {
    /// The median, where there is one.
    #[must_use]
    pub fn ns(&self) -> Option<f64> {
        self.outcome.ns()
    }

    /// Whether both were measured in the same way, whoever they are.
    #[must_use]
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        let way = |of: &Self| (of.shape, of.threads, of.batch, of.tenants);
        way(self) == way(other)
    }
}

/// Writes beside every time how many times the unfair queue's it is.
pub fn compare_with_shared_floor(contended: &mut [Contended]) {
    let floors: Vec<Contended> = contended
        .iter()
        .filter(|one| one.contender == SHARED_FLOOR)
        .cloned()
        .collect();
    for one in contended {
        let floor = floors.iter().find(|floor| floor.is_alike(one));
        let floor_ns = floor.and_then(Contended::ns);
        one.floor_ratio = floor_ns.and_then(|floor_ns| Some(one.ns()? / floor_ns));
    }
}
