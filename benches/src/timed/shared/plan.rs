//! Which threads do what, with how many jobs a call and how many tenants.

use std::env;
use std::time::Duration;

use records::runs::Shape;

use crate::costs::Costs;
use crate::timed::shared::signals::{AHEAD_MAX, CHUNK};
use crate::workload::{Maker, Workload};

/// How many jobs a call of the batched kind takes or pushes. A chunk is a multiple of it.
const BATCH: usize = 32;
const _: () = assert!(CHUNK.is_multiple_of(BATCH));

/// How many samples of each benchmark: fewer than with one thread, since there are more benchmarks.
pub const SAMPLES: usize = 11;

/// What one thread does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Takes, completes, and pushes for the tenant served.
    Cycle,
    /// Pushes.
    Produce,
    /// Takes and completes.
    Consume,
    /// Pushes a burst, and the run is over.
    Burst,
    /// Cycles, and times single takes.
    Probe,
}

/// A shape with so many threads and jobs a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// What the threads do.
    pub shape: Shape,
    /// How many they are.
    pub threads: usize,
    /// How many jobs a call takes or pushes.
    pub batch: usize,
}

impl Plan {
    /// As in benchmark names.
    #[must_use]
    pub fn name(self) -> String {
        self.shape.group(self.threads, self.batch)
    }

    /// What each thread does, in the order in which they are pinned to the cores.
    #[must_use]
    pub fn roles(self) -> Vec<Role> {
        let role = |index| match self.shape {
            Shape::Cycle => Role::Cycle,
            Shape::ProducersConsumers if index < self.threads / 2 => Role::Produce,
            Shape::ProducersConsumers => Role::Consume,
            Shape::WaitUnderLoad if index == 0 => Role::Burst,
            Shape::WaitUnderLoad => Role::Probe,
        };
        (0..self.threads).map(role).collect()
    }

    /// How long a sample should take. Where threads share a core, each of them should have had its turn
    /// on it many times.
    #[must_use]
    pub fn sample_time(self, cores: usize) -> Duration {
        if self.threads > cores {
            Duration::from_millis(100)
        } else {
            Duration::from_millis(20)
        }
    }

    /// The jobs, made from the seed.
    #[must_use]
    pub fn workload(self, tenants: u32) -> Workload {
        let mut maker = Maker::new(tenants, Costs::Unit);
        let none = Vec::new;
        let (known, backlog, arrivals) = match self.shape {
            Shape::Cycle => (none(), maker.burst_in_order(), none()),
            Shape::ProducersConsumers => (maker.everybody(), none(), maker.churn()),
            Shape::WaitUnderLoad => (none(), maker.everybody(), maker.noisy_burst()),
        };
        Workload {
            tenants,
            costs: Costs::Unit,
            known,
            backlog,
            arrivals,
            due: Vec::new(),
        }
    }

    /// The most jobs that are ever in the queue.
    #[must_use]
    pub fn jobs_max(self, workload: &Workload) -> usize {
        let pushed = match self.shape {
            Shape::Cycle => 0,
            Shape::ProducersConsumers => AHEAD_MAX + self.threads * CHUNK,
            Shape::WaitUnderLoad => workload.arrivals.len(),
        };
        workload.known.len().max(workload.backlog.len()) + pushed
    }
}

/// Every plan to be measured, and with which numbers of tenants.
///
/// The default is what fits two minutes and a half; `BENCH_CONTENTION_ALL=1` is every shape with up to 8 threads and
/// every number of tenants; a smoke run is every shape with up to 8 threads on 100 tenants.
#[must_use]
pub fn plans(smoke: bool) -> Vec<(Plan, Vec<u32>)> {
    let all = env::var_os("BENCH_CONTENTION_ALL").is_some_and(|value| value == "1");
    let sizes = if smoke {
        vec![100]
    } else {
        vec![100, 1_000, 10_000, 100_000]
    };
    let plan = |shape, threads, batch| Plan {
        shape,
        threads,
        batch,
    };
    let mut plans = Vec::new();
    for threads in [1, 2, 4, 8] {
        for batch in [1, BATCH] {
            let is_default = threads <= 2 || (threads, batch) == (4, 1);
            let sizes = match threads {
                _ if all || smoke => sizes.clone(),
                1 | 2 => sizes.clone(),
                _ => vec![10_000],
            };
            if all || smoke || is_default {
                plans.push((plan(Shape::Cycle, threads, batch), sizes));
            }
        }
    }
    for threads in [2, 4, 8] {
        for batch in [1, BATCH] {
            if all || smoke {
                plans.push((
                    plan(Shape::ProducersConsumers, threads, batch),
                    sizes.clone(),
                ));
            } else if threads == 2 {
                plans.push((
                    plan(Shape::ProducersConsumers, threads, batch),
                    vec![10_000],
                ));
            }
        }
    }
    let sizes = if all || smoke { sizes } else { vec![10_000] };
    plans.push((plan(Shape::WaitUnderLoad, 2, 1), sizes));
    plans
}
