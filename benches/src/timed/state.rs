//! What each state does with a queue.

use std::time::Duration;

use records::runs::State;

use crate::costs::Costs;
use crate::tally::Tally;
use crate::timed::azure;
use crate::timed::clock::timed;
use crate::timed::contender::Contender;
use crate::timed::driver::Driver;
use crate::workload::{Arrival, BATCH, Maker, Workload};

/// What a state does with a queue.
pub trait Driven: Copy {
    /// The costs in this state of a contender that is for `costs`; nothing where it would only
    /// compete twice.
    #[must_use]
    fn costs(self, costs: Costs) -> Option<Costs>;

    /// The jobs of this state, made from the seed.
    #[must_use]
    fn workload(self, tenants: u32, costs: Costs) -> Workload;

    /// Brings a new queue into this state.
    fn start<C: Contender>(self, queue: C, workload: &Workload) -> Driver<C>;

    /// Whether a batch ends the state, so that the next one needs a new queue.
    #[must_use]
    fn ends_with_a_batch(self) -> bool;

    /// Runs a batch, the `number`th of its queue. Only the loop named in the state's first sentence
    /// is timed.
    fn batch<C: Contender>(
        self,
        driver: &mut Driver<C>,
        workload: &Workload,
        number: usize,
    ) -> Batch;
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

impl Driven for State {
    fn costs(self, costs: Costs) -> Option<Costs> {
        match (self, costs) {
            (Self::Replay, Costs::Unit) => Some(Costs::Tokens),
            (Self::Replay, _) => None,
            (_, costs) => Some(costs),
        }
    }

    fn workload(self, tenants: u32, costs: Costs) -> Workload {
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

    fn start<C: Contender>(self, queue: C, workload: &Workload) -> Driver<C> {
        let mut driver = Driver::new(queue);
        driver.push(&workload.known);
        driver.take(workload.known.len());
        driver.push(&workload.backlog);
        driver
    }

    fn ends_with_a_batch(self) -> bool {
        matches!(self, Self::Absorb | Self::Drain | Self::Replay)
    }

    fn batch<C: Contender>(
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
