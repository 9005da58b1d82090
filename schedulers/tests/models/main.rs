//! The shared queues under a model checker: the real code at tiny sizes, every interleaving within a
//! stated number of preemptions. `scripts/models` runs them; a plain `cargo test` has none of this.
#![cfg(loom)]

mod bag;
mod waiting;
