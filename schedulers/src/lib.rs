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
//! - Sharing between threads: [`Locked`] makes any of them a [`SharedFairQueue`], and [`Sharded`] any that
//!   counts its turns, under several locks; [`push_batch`](SharedFairQueue::push_batch) and
//!   [`take_batch`](SharedFairQueue::take_batch) take each lock once. [`LockFree`] is one by itself, in
//!   which no thread waits for another, in turns or by cost and weight.
//! - Waiting for the next job, and leases that complete themselves: see below.
//!
//! No queue reads a clock or rolls dice: the same calls give the same order, always.
//!
//! # Threads and tasks
//!
//! A pool shares one queue: behind a lock ([`Locked`]), with takes that wait (`Waiting`, feature
//! `waiting`), and each job under a [`Lease`], which frees its tenant's slot whatever becomes of the
//! worker.
//!
#![cfg_attr(feature = "waiting", doc = "```")]
#![cfg_attr(not(feature = "waiting"), doc = "```ignore")]
//! use schedulers::discipline::Rotation;
//! use schedulers::{Cost, Locked, Settings, SharedFairQueue, Tenant, TenantQueue, Waiting};
//!
//! let queue = Waiting::new(Locked::new(TenantQueue::<Rotation, _>::new(&Settings::default())));
//! std::thread::scope(|scope| {
//!     for _ in 0..4 {
//!         scope.spawn(|| {
//!             while let Ok(taken) = queue.take_blocking() { // in a task: take_async().await
//!                 let (job, mut lease) = taken.lease(&queue);
//!                 println!("{job} for {}", lease.tenant());
//!                 lease.settle(Cost::new(3)); // what it really cost
//!             }
//!         });
//!     }
//!     queue.push(Tenant::new(0), Cost::UNIT, "a job").unwrap();
//!     queue.close(); // what waits is still served, and then the workers end
//! });
//! ```
//!
//! | between threads | an operation waits for | bound on unfairness | use it |
//! |---|---|---|---|
//! | [`Locked`] round any queue | the one lock | the queue's own | where threads seldom meet; batches take the lock once |
//! | [`Sharded`] | the lock of a tenant's shard | 4 turns, or 6 quanta and two jobs each | from two threads on that work it all the time |
//! | [`LockFree`] of [`Turns`] or [`Deficits`] | nobody | as one owner's, and a turn for each take under way | where a thread set aside must not hold up others |
//!
//! [`Leases`] records who holds leases and since when. A worker that waits sleeps until there may be
//! something for it: one job wakes one of them, and an idle pool none.
//!
//! # Keys
//!
//! A [`Tenant`] is a dense handle. For tenants by name, wrap the queue: [`keyed::Keyed`] with one owner,
//! `keyed::SharedKeyed` (feature `keyed`) with many. Idle names are forgotten, debts and limits are not.
//!
//! # Admission
//!
//! A queue orders what is let in. `admission` (feature of that name) stands in front of it: token buckets
//! by tier, budgets, the ceiling of a provider behind the workers, counters with alert levels. `http` is
//! that and a queue as a tower layer.
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

#[cfg(feature = "admission")]
pub mod admission;
mod bitmap;
pub mod discipline;
#[cfg(feature = "http")]
pub mod http;
mod identity;
pub mod keyed;
mod lag;
mod lane;
mod lanes;
#[cfg(feature = "laws")]
pub mod laws;
mod lease;
mod leases;
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
pub use lanes::Tenants;
pub use lease::Lease;
pub use leases::{Held, Holder, Leases};
pub use queue::{FairQueue, Lowered, Offer, Pushed, SharedFairQueue, Taken};
pub use refusal::{Refusal, Refused, UnknownTenant};
pub use settings::{Quantum, QuantumZero, Settings};
#[cfg(feature = "waiting")]
pub use shared::{Closed, Waiting};
pub use shared::{Deficits, LockFree, Locked, Paced, Sharded, Shards, ShardsOutOfRange, Turns};
pub use tenant::{Cost, Limits, Tenant, Weight, WeightOutOfRange};
pub use tenant_queue::TenantQueue;
