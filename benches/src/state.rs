//! The states a queue is measured in. Steady pairs of push and take hide what growth, waking tenants
//! and draining cost, so each has a state of its own.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::azure;
use crate::clock::timed;
use crate::contender::Contender;
use crate::costs::Costs;
use crate::driver::Driver;
use crate::tally::Tally;
use crate::workload::{Arrival, BATCH, Maker, Workload};

/// What a queue is doing while it is timed. `N` is the number of tenants; an operation is what the
/// first sentence says, and all costs are for one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Take, complete, and the tenant just served pushes its next job. The noisy tenant's burst and
    /// one job of each neighbour wait, pushed burst first and then by handle, and so it is before and
    /// after every cycle. Turns follow memory: the warm case.
    Steady,
    /// The same, with the jobs pushed in random order, so that from some thousand tenants on the next
    /// turn is a cache miss away: the cold case.
    SteadyShuffled,
    /// Take, complete, and a tenant at random pushes: the noisy one twice as often as a neighbour,
    /// which is half a neighbour's fair share, so that half of the neighbours have work at any time
    /// and which half changes. Neither caches nor branch predictors learn it.
    Churn,
    /// Push: the whole burst into a new queue, one job of each neighbour at random places in it. The
    /// growth of the queue is part of it.
    Absorb,
    /// Take and complete, from all that `absorb` pushed until nothing is left.
    Drain,
    /// Take, complete, and a tenant at random pushes, out of the 1 % (at least one) that ever send.
    /// All N are known, and the pool keeps up: one job waits at any time.
    IdleHeavy,
    /// Take, and get nothing: all N tenants are known, no job waits.
    EmptyTake,
    /// Push: the same number of jobs (4,096 in all at least) for every tenant, in random order, on
    /// top of the steady backlog.
    Push,
    /// Take and complete: as many jobs as `push` added.
    Take,
    /// Push, and take and complete, once for every job of a real trace, in the order of a pool that
    /// has exactly enough capacity. The growth of a new queue is part of it.
    Replay,
}

/// What one batch took.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    /// As the clock said, the loop itself included.
    pub elapsed: Duration,
    /// How many operations.
    pub operations: usize,
    /// What came out last, timed or not: the same in every run of the first batch.
    pub tally: Tally,
}

impl State {
    /// Every state of the noisy burst, in the order of the report.
    pub const BURST: [Self; 9] = [
        Self::Steady,
        Self::SteadyShuffled,
        Self::Churn,
        Self::Absorb,
        Self::Drain,
        Self::IdleHeavy,
        Self::EmptyTake,
        Self::Push,
        Self::Take,
    ];

    /// As in benchmark names.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Steady => "steady",
            Self::SteadyShuffled => "steady_shuffled",
            Self::Churn => "churn",
            Self::Absorb => "absorb",
            Self::Drain => "drain",
            Self::IdleHeavy => "idle_heavy",
            Self::EmptyTake => "empty_take",
            Self::Push => "push",
            Self::Take => "take",
            Self::Replay => "replay",
        }
    }

    /// What one operation is, in a few words.
    #[must_use]
    pub const fn operation(self) -> &'static str {
        match self {
            Self::Steady => "take + complete + push by the tenant served",
            Self::SteadyShuffled => "the same, with turns in random order of memory",
            Self::Churn => "take + complete + push by a tenant at random, half of them with work",
            Self::Absorb => "push into a new queue",
            Self::Drain => "take + complete until empty",
            Self::IdleHeavy => "take + complete + push, 1 % of the known tenants ever send",
            Self::EmptyTake => "take, nothing waits",
            Self::Push => "push on top of the steady backlog",
            Self::Take => "take + complete down to the steady backlog",
            Self::Replay => "push + take + complete, job by job of a real trace",
        }
    }

    /// Whether the report says how the cost grows with tenants who do nothing.
    #[must_use]
    pub const fn shows_growth(self) -> bool {
        matches!(self, Self::IdleHeavy | Self::EmptyTake)
    }

    /// The costs in this state of a contender that is for `costs`; nothing where it would only
    /// compete twice.
    #[must_use]
    pub fn costs(self, costs: Costs) -> Option<Costs> {
        match (self, costs) {
            (Self::Replay, Costs::Unit) => Some(Costs::Tokens),
            (Self::Replay, _) => None,
            (_, costs) => Some(costs),
        }
    }

    /// The jobs of this state, made from the seed.
    #[must_use]
    pub fn workload(self, tenants: u32, costs: Costs) -> Workload {
        let mut maker = Maker::new(tenants, costs);
        let none = Vec::new;
        let (known, backlog, arrivals) = match self {
            Self::Steady => (none(), maker.burst_in_order(), none()),
            Self::SteadyShuffled | Self::Drain => (none(), maker.burst(), none()),
            Self::Churn => (none(), maker.half_burst(), maker.churn()),
            Self::Absorb => (none(), none(), maker.burst()),
            Self::IdleHeavy => {
                let arrivals = maker.few_senders();
                (maker.everybody(), Maker::first(&arrivals), arrivals)
            }
            Self::EmptyTake => (maker.everybody(), none(), none()),
            Self::Push | Self::Take => (none(), maker.burst(), maker.rounds()),
            Self::Replay => return azure::workload(tenants),
        };
        Workload {
            tenants,
            costs,
            known,
            backlog,
            arrivals,
            due: Vec::new(),
        }
    }

    /// Brings a new queue into this state.
    pub fn start<C: Contender>(self, queue: C, workload: &Workload) -> Driver<C> {
        let mut driver = Driver::new(queue);
        driver.push(&workload.known);
        driver.take(workload.known.len());
        driver.push(&workload.backlog);
        driver
    }

    /// Whether a batch ends the state, so that the next one needs a new queue.
    #[must_use]
    pub const fn ends_with_a_batch(self) -> bool {
        matches!(self, Self::Absorb | Self::Drain | Self::Replay)
    }

    /// Runs a batch, the `number`th of its queue. Only the loop named in the state's first sentence
    /// is timed.
    pub fn batch<C: Contender>(
        self,
        driver: &mut Driver<C>,
        workload: &Workload,
        number: usize,
    ) -> Batch {
        let arrivals = &workload.arrivals[..];
        let (operations, elapsed) = match self {
            Self::Steady | Self::SteadyShuffled => (BATCH, timed(|| driver.cycle(BATCH))),
            Self::Churn | Self::IdleHeavy => {
                let arrivals = window(arrivals, number);
                (arrivals.len(), timed(|| driver.exchange(arrivals)))
            }
            Self::Absorb => {
                let elapsed = timed(|| driver.push(arrivals));
                driver.take(BATCH);
                (arrivals.len(), elapsed)
            }
            Self::Drain => {
                let count = workload.backlog.len();
                (count, timed(|| driver.take(count)))
            }
            Self::EmptyTake => (BATCH, timed(|| driver.find_nothing(BATCH))),
            Self::Push => {
                let elapsed = timed(|| driver.push(arrivals));
                driver.take(arrivals.len());
                (arrivals.len(), elapsed)
            }
            Self::Take => {
                driver.push(arrivals);
                (arrivals.len(), timed(|| driver.take(arrivals.len())))
            }
            Self::Replay => {
                let elapsed = timed(|| driver.replay(arrivals, &workload.due));
                (arrivals.len(), elapsed)
            }
        };
        Batch {
            elapsed,
            operations,
            tally: driver.last(),
        }
    }
}

/// The arrivals of a batch; after the last of the trace comes the first.
fn window(arrivals: &[Arrival], number: usize) -> &[Arrival] {
    let batches = arrivals.len() / BATCH;
    let start = number % batches * BATCH;
    &arrivals[start..start + BATCH]
}
