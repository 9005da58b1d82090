//! The states a queue is measured in, as records and tables name them. Steady pairs of push and take
//! hide what growth, waking tenants and draining cost, so each has a state of its own. What a state
//! does with a queue is the benchmarks' part.

use serde::{Deserialize, Serialize};

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

    /// Every state, that of the real trace last.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::BURST.into_iter().chain([Self::Replay])
    }

    /// The state of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|state| state.name() == name)
    }

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
}
