//! Fair queues for a shared pool of workers.
//!
//! One pool serves many tenants. One tenant dumps thousands of jobs at once, and in a plain FIFO
//! everybody waits behind them. A fair queue gives every tenant a lane of its own and takes from the
//! lanes in turn: the burst waits behind itself, the neighbours hardly notice, and no worker idles.
//!
//! ```
//! use schedulers::{Cost, FairQueue, Limits, Settings, Tenant, TenantQueue};
//! use schedulers::discipline::Rotation;
//!
//! let limits = Limits { in_flight_max: 4, backlog_max: 10_000, ..Limits::default() };
//! let mut queue = TenantQueue::<Rotation, _>::new(&Settings { limits, ..Settings::default() });
//!
//! queue.push(Tenant::new(7), Cost::UNIT, "a job of tenant 7")?;
//! while let Some(taken) = queue.take() {
//!     println!("{} for {}", taken.job, taken.ticket.tenant());
//!     queue.complete(taken.ticket, Cost::UNIT);
//! }
//! # Ok::<(), schedulers::Refused<&str>>(())
//! ```
//!
//! # Which scheduler
//!
//! Each is a [`TenantQueue`] under another [`discipline`]. *t* is the number of tenants with work,
//! *n* that of tenants known.
//!
//! | discipline | push | take | bound on unfairness | use it | do not use it |
//! |---|---|---|---|---|---|
//! | [`Rotation`] | O(log64 n) | O(log64 n) | 1 turn | by default: shortest waits for neighbours | if costs differ |
//! | [`ActiveList`] | O(1) | O(1) | 1 turn | for the least cost of an operation | if costs differ, or a neighbour's wait of one whole round is too long |
//! | [`DeficitRoundRobin`] | O(1) | O(1) amortised with a quantum at or above the usual cost, at worst O(t) | quantum + one job each, by cost over weight | if costs differ, or tenants have weights | if all jobs and tenants are alike |
//! | [`Fifo`] | O(log t) | O(log t) | none | as the baseline, or to add caps to a FIFO | to be fair |
//! | [`ScanAll`] | O(1) | O(n) | 1 turn | as the baseline: it is what people write by hand | beyond some hundred tenants |
//!
//! `complete` and `cancel` are O(1) (amortised for the two that keep a ring), `configure`, `pause` and `resume` O(log of the distinct limits),
//! each plus what the discipline needs to enlist a tenant, which is the cost of its push.
//!
//! # What every scheduler can do
//!
//! - Caps on a tenant's jobs in flight, without a scan: a tenant at its cap is parked, and the
//!   completion that frees a slot puts it back ([`Limits::in_flight_max`]).
//! - Backlog limits for a tenant and for the whole queue; a refused push gives the job back
//!   ([`Refused`]).
//! - Costs given at the push and settled at [`complete`](FairQueue::complete); weights
//!   ([`DeficitRoundRobin`] counts both).
//! - [`cancel`](FairQueue::cancel) of any waiting job, [`pause`](FairQueue::pause), live
//!   [`configure`](FairQueue::configure), [`take_batch`](FairQueue::take_batch), closing with or
//!   without draining.
//! - Sharing between threads: [`Locked`] makes any of them a [`SharedFairQueue`]. [`LockFree`] is one
//!   by itself, in which no thread waits for another, in turns or by cost and weight.
//!
//! No queue reads a clock or rolls dice: the same calls give the same order, always.
//!
//! # Laws
//!
//! The feature `laws` adds the test kit that every scheduler here has passed, for a scheduler of your
//! own. `unsafe` is denied in this crate, but in [`LockFree`], which
//! model checkers go through (`scripts/models`).
//!
//! [`ActiveList`]: discipline::ActiveList
//! [`DeficitRoundRobin`]: discipline::DeficitRoundRobin
//! [`Fifo`]: discipline::Fifo
//! [`Rotation`]: discipline::Rotation
//! [`ScanAll`]: discipline::ScanAll

/// The examples of README.md, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

mod bitmap;
pub mod discipline;
mod identity;
mod lag;
mod lane;
mod lanes;
#[cfg(feature = "laws")]
pub mod laws;
mod queue;
mod refusal;
mod registry;
mod settings;
mod shared;
mod slab;
mod sync;
mod tenant;
mod tenant_queue;
mod tiers;

pub use identity::{Identity, JobId, Ticket};
pub use lag::{LagMax, Share};
pub use lane::{Head, Standing};
pub use lanes::Lanes;
pub use queue::{FairQueue, Lowered, Offer, Pushed, SharedFairQueue, Taken};
pub use refusal::{Refusal, Refused, UnknownTenant};
pub use settings::{Quantum, QuantumZero, Settings};
pub use shared::{Deficits, LockFree, Locked, Turns};
pub use tenant::{Cost, Limits, Tenant, Weight, WeightOutOfRange};
pub use tenant_queue::TenantQueue;
