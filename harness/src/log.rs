//! What happened: every push, refusal, start and end, in the order in which it happened.
//!
//! Drivers write a log and measures read it; neither knows the other, so simulated and real runs
//! are measured by the same code.

use schedulers::admission::Layer;

/// One thing that happened to a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// When, from the start of the run.
    pub at_us: u64,
    /// The job's place in the trace.
    pub job: u32,
    /// What happened to it.
    pub kind: EventKind,
}

/// What can happen to a job.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EventKind {
    /// A worker finished it. First, because at one instant ends come before arrivals.
    Finished,
    /// The queue accepted it.
    Pushed,
    /// The rate limit in front of the queue refused it.
    RateLimited,
    /// The queue refused it.
    Refused,
    /// A worker began it.
    Started,
}

impl From<Layer> for EventKind {
    /// A refusal, by who refused: the rate limit, or a queue that is full.
    fn from(layer: Layer) -> Self {
        match layer {
            Layer::RateLimit => Self::RateLimited,
            Layer::Budget | Layer::Backlog | Layer::Service => Self::Refused,
        }
    }
}

/// A run: its events, and the pool that it ran on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Log {
    /// How many workers there were.
    pub workers: u32,
    /// The cap that held for every tenant.
    pub in_flight_max: u32,
    /// In the order in which they happened; times never go back.
    pub events: Vec<Event>,
}

impl Log {
    /// The instant of the last event.
    #[must_use]
    pub fn end_us(&self) -> u64 {
        self.events.last().map_or(0, |event| event.at_us)
    }
}
