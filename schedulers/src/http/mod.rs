//! Admission and the fair queue in front of an HTTP service, as a tower layer; feature `http`.
//!
//! A request passes five stations, and its place is held until the last byte of its response is
//! sent, or its client has gone:
//!
//! 1. Its tenant is told from an authenticated key, by the caller's function. What a client says of
//!    itself is not believed: headers that begin as [`STRIPPED`] has it never reach the service.
//! 2. [`Admission`](crate::admission::Admission) asks budget and rate limit.
//! 3. It goes into the queue, where the backlog limit may refuse it.
//! 4. It waits for its turn, which the [`Turnstile`] gives: as many requests at once as there are
//!    places, in the order of the queue's discipline.
//! 5. The service answers. The place, and the tenant's slot, come back when the body ends or is dropped.
//!
//! A refusal is `429 Too Many Requests` (`503 Service Unavailable` where the whole service is full or
//! closing) with `Retry-After` in whole seconds, rounded up, and a JSON body for a person. Every answer
//! carries `RateLimit-Policy` and `RateLimit` as in draft-ietf-httpapi-ratelimit-headers-10.
//!
//! A client that goes away while it waits is taken out of the queue in O(1).

mod body;
mod headers;
mod layer;
mod turnstile;

pub use body::HeldBody;
pub use headers::STRIPPED;
pub use layer::{AdmissionLayer, AdmissionService, Caller};
pub use turnstile::{Turn, Turnstile};
