//! `--scheduler`: a name of the registry, or all of them.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::scheduler::{SCHEDULERS, Scheduler};

const ALL: &str = "all";

/// One scheduler, or all.
#[derive(Clone, Copy, Debug)]
pub enum SchedulerChoice {
    /// Every scheduler of the registry.
    All,
    /// This one.
    One(Scheduler),
}

impl SchedulerChoice {
    /// Those that were chosen, in the order of the registry.
    #[must_use]
    pub fn schedulers(self) -> Vec<Scheduler> {
        match self {
            Self::All => SCHEDULERS.to_vec(),
            Self::One(scheduler) => vec![scheduler],
        }
    }
}

/// Accepts what the registry has.
pub(crate) fn scheduler_choice() -> impl TypedValueParser<Value = SchedulerChoice> {
    let names = SCHEDULERS
        .iter()
        .map(|scheduler| scheduler.name)
        .chain([ALL]);
    PossibleValuesParser::new(names.map(PossibleValue::new))
        .map(|name| Scheduler::named(&name).map_or(SchedulerChoice::All, SchedulerChoice::One))
}
