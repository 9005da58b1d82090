//! The schedulers of the registry, as the lab sees them: a name, and how to build one.
//!
//! A new line in the registry shows up in every verb by itself; nothing here names a scheduler.

use std::fmt;

use schedulers::{FairQueue, LagMax, Settings};

/// A queue of job numbers, chosen at run time. A job's number is its place in the trace.
pub type Queue = Box<dyn FairQueue<u32> + Send>;

/// One line of the registry.
#[derive(Clone, Copy)]
pub struct Scheduler {
    /// The registry's name for it.
    pub name: &'static str,
    build: fn(&Settings) -> Queue,
}

macro_rules! list {
    ($($name:ident => $new:expr,)*) => {
        &[$(Scheduler {
            name: stringify!($name),
            build: |settings| Box::new($new(settings)),
        }),*]
    };
}

/// Every scheduler, in the order of the registry.
pub const SCHEDULERS: &[Scheduler] = schedulers::for_each_scheduler!(list);

impl Scheduler {
    /// An empty queue of this kind.
    #[must_use]
    pub fn build(&self, settings: &Settings) -> Queue {
        (self.build)(settings)
    }

    /// The bound that this scheduler promises under these settings, if any: one that promises none
    /// is not called fair.
    #[must_use]
    pub fn lag_max(&self, settings: &Settings) -> Option<LagMax> {
        self.build(settings).lag_max()
    }

    /// The scheduler of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        SCHEDULERS.iter().find(|known| known.name == name).copied()
    }
}

impl fmt::Debug for Scheduler {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}
