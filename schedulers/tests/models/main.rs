//! The shared queues under model checkers: the real code, at tiny sizes.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p schedulers --test models --release` tries every interleaving
//! of each model within a bound on preemptions (2, or `LOOM_MAX_PREEMPTIONS`; those of waiting state
//! their own); `--cfg shuttle` runs those of the lock-free queue, and larger ones, under random
//! schedules (`SHUTTLE_ITERATIONS`). `scripts/models` does both, and with `--planted` also sees that
//! each planted bug is found.
#![cfg(any(loom, shuttle))]

#[cfg(loom)]
mod bag;
mod checker;
mod lock_free;
#[cfg(loom)]
mod waiting;
