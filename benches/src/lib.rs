//! What each fair queue costs, measured side by side and checked before it is measured: its time in
//! whole states ([`timed`]), and the instructions and allocations of its operations ([`counted`]).
//!
//! | To add | Touch |
//! |---|---|
//! | a scheduler | nothing here: a line in the registry of `schedulers` is enough |
//! | a floor | [`timed::floors`], and a line in [`timed::contender::for_each_contender`] |
//! | a floor of many threads | [`timed::shared::floors`], and a line in [`timed::shared::contender::for_each_shared_contender`] |
//! | a state | its words in [`records::runs::State`], its workload and its batch in [`timed::state::Driven`] |
//! | an operation to count | [`counted::Operation`], and a word in the list of `instructions.rs` |

pub mod allocator;
pub mod costs;
pub mod counted;
pub mod failure;
#[cfg(feature = "self-test")]
pub mod fault;
pub mod selection;
pub mod sizes;
pub mod tally;
#[cfg(feature = "times")]
pub mod timed;
pub mod workload;
