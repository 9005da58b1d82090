//! Limits in front of the queue: who may ask how much, how fast, and how many may wait.
//!
//! A fair queue orders what is let in. Something has to say no before it, early, with the right
//! signal: what refused, and when to come back. The layers stand in this order:
//!
//! | layer | limits | refuses until |
//! |---|---|---|
//! | [`Budgets`] | what a tenant spends in a day or a month | the period turns |
//! | [`Limiter`] | how fast a tenant asks, by its tier ([`Plan`]) | its bucket has filled |
//! | `backlog_max` of [`Limits`](crate::Limits) | how many of its jobs wait | some are done |
//! | the fair queue | nothing: it says who is next | |
//! | [`Ceiling`] | how fast all workers together may go | never: workers wait, and jobs in the queue |
//!
//! [`Admission`] puts the first three in front of a queue. [`Counters`] tell who is refused and kept
//! waiting. Time is always an argument; [`Clock`] is one that does not step.
//!
//! ```
//! use std::time::Duration;
//! use schedulers::admission::{Admission, Counters, Limiter, Plan, Rate, RateLimit, Thresholds};
//! use schedulers::discipline::Rotation;
//! use schedulers::{Cost, Locked, Settings, Tenant, TenantQueue};
//!
//! let plan = Plan::uniform(RateLimit { burst: 1, rate: Rate::per_second(2) });
//! let admission = Admission::new(Limiter::<String>::new(plan), Counters::new(100, Thresholds::default()));
//! let queue = Locked::new(TenantQueue::<Rotation, _>::new(&Settings::default()));
//!
//! let acme = ("acme", Tenant::new(0));
//! let now = Duration::from_secs(1_700_000_000);
//! assert!(admission.push(&queue, acme, Cost::UNIT, "first", now).is_ok());
//! let (job, denied) = admission.push(&queue, acme, Cost::UNIT, "second", now).unwrap_err();
//! assert_eq!((job, denied.retry_after), ("second", Some(Duration::from_millis(500))));
//! ```

mod backoff;
mod bucket;
mod budget;
mod ceiling;
mod clock;
mod counters;
mod layers;
mod limiter;
mod plan;
mod rate;
mod tiers;

pub use backoff::Backoff;
pub use bucket::{Bucket, Verdict};
pub use budget::{Budget, Budgets, Period, Spending};
pub use ceiling::{Ceiling, Promised};
pub use clock::Clock;
pub use counters::{Alert, Count, Counters, Thresholds};
pub use layers::{Admission, Admitted, Denied, Layer, whole_seconds};
pub use limiter::Limiter;
pub use plan::{Plan, UnknownTier};
pub use rate::{Rate, RateLimit, RateOutOfRange};
