//! Paired comparison: two sides that take turns in one session, so that a machine that drifts drifts for
//! both, and a verdict that knows the session's own noise.
//!
//! Two long-lived queues of identical code were seen to differ by 14 %, always one way: it is where in
//! memory they happen to lie. So both sides are built anew in every block, in alternating order; inside
//! a block they run first, second, second, first; and blocks are taken in pairs, one of each order. The
//! same is done with one side against itself first: that is the noise floor, printed with every result.
//!
//! The protocol and the verdict are here; what is measured is a [`Side`], and the benchmarks have them.

mod blocks;
mod checkout;
mod contest;
mod interval;
mod record;
mod side;
mod verdict;
mod worker;

pub use blocks::{BLOCKS, Same, compare};
pub use checkout::{Checkout, commit_of};
pub use contest::{Contest, Program, contest};
pub use interval::Ratio;
pub use record::{PAIRED, PairRecord, PairedRun};
pub use side::{Fault, Order, Ready, Reply, Sample, Side};
pub use verdict::{LIMIT_MIN, Verdict, is_beyond, limit, verdict};
