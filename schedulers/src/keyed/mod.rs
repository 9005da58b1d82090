//! Tenants by name: a `String`, a `Uuid`, a `u64`, anything that is `Hash + Eq + Clone`, over a queue of
//! dense handles.
//!
//! [`Keyed`] wraps a queue with one owner, `SharedKeyed` (feature `keyed`) one with many. Fairness,
//! caps, limits and refusals are those of the queue within; a key is looked up once for each push, and
//! not at all for a take, a completion or a cancel.
//!
//! **Keys.** Look-ups take any borrowed form, `&str` for a `String`, and allocate nothing. A key is
//! cloned when its tenant is first seen, and kept twice: once to be found, once to be told to whoever
//! takes a job. [`Keyed`] also clones it for each ticket: nothing for a number, an allocation for a
//! `String`. With `Arc<str>` as the key each clone is a count, and look-ups by `&str` stay the same.
//!
//! **Hashing** is the standard library's, seeded at random, so that nobody can choose keys that collide;
//! it is a good part of what a key costs. `with_hasher` takes another.
//!
//! **Reclaim.** A tenant is forgotten, and its handle given to another, some time after its last
//! job, and only if that changes nothing ([`FairQueue::release`](crate::FairQueue::release)): it has
//! nothing waiting, nothing in flight, no debt, no place in the order. Limits of its own and a pause are
//! not forgotten either: to give them up, [`remove`](Keyed::remove) the tenant, or set it back to the
//! default limits. So nobody escapes a debt or a cap by waiting, and a service that configures every
//! tenant removes those that leave. Some tens of idle tenants are always kept; of a million that
//! came once, little more. Each newcomer, and each tenant that falls idle, looks at a few others: O(1)
//! amortised, and never all at once, but for the map itself, which grows and shrinks as any hash map
//! does. Memory is that of the highest handle in use.
//!
//! **Too many.** With [`Settings::tenants_max`](crate::Settings::tenants_max) tenants known, a newcomer
//! takes the place of an idle one; if none is found among 1,024, it is refused
//! ([`TooManyTenants`]), and the next attempt looks at the next 1,024.
//!
//! **Waiting.** Over a `Waiting` queue (feature `waiting`), `SharedKeyed` has its takes that wait, for
//! threads and for tasks; [leases](crate::Lease) by name are `KeyedLease`s.
//!
//! **Handles** do not show. A [`JobId`](crate::JobId) or a ticket never reaches the next tenant of a
//! handle: a job in flight or waiting keeps its tenant, and names of jobs are not used again.

#[cfg(feature = "keyed")]
mod lease;
mod owned;
mod refusal;
mod roster;
#[cfg(feature = "keyed")]
mod shared;

#[cfg(feature = "keyed")]
pub use lease::KeyedLease;
pub use owned::{Keyed, KeyedTicket};
pub use refusal::{KeyedRefusal, TooManyTenants};
#[cfg(feature = "keyed")]
pub use shared::{KeyedJob, SharedKeyed, SharedKeyedTicket};
