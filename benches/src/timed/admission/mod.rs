//! What a rate limit costs a request, beside the limiter of the `governor` package.
//!
//! Both keep the same limit for the same tenants, under the same hasher (the standard library's, keyed
//! at random: the default of both), and are told the same times; neither reads a clock. They take turns
//! in paired blocks, and must decide alike, request by request, or there is no number.

mod contender;
mod memory;
mod round;
mod side;
mod workload;

pub use contender::Contender;
pub use memory::weigh;
pub use round::measure;
