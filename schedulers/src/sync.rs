//! What the shared queues build on: locks, atomics, cells, reference counts.
//!
//! One module, so that the models in `tests/models` run the real code under `loom` (every
//! interleaving at a tiny size, `--cfg loom`) or `shuttle` (random schedules, `--cfg shuttle`).

#[cfg(loom)]
pub(crate) use loom::sync::atomic;
#[cfg(shuttle)]
pub(crate) use shuttle::sync::atomic;
#[cfg(not(any(loom, shuttle)))]
pub(crate) use std::sync::atomic;

#[cfg(loom)]
pub(crate) use loom::thread_local;
#[cfg(shuttle)]
pub(crate) use shuttle::thread_local;
#[cfg(not(any(loom, shuttle)))]
pub(crate) use std::thread_local;

#[cfg(any(loom, shuttle))]
pub(crate) use modelled::{Mutex, MutexGuard};
#[cfg(not(any(loom, shuttle)))]
pub(crate) use parking_lot::{Mutex, MutexGuard};

/// The model checkers have the locks of the standard library, poison included; `parking_lot`'s never
/// poison.
#[cfg(any(loom, shuttle))]
mod modelled {
    #[cfg(loom)]
    use loom::sync as checker;
    #[cfg(shuttle)]
    use shuttle::sync as checker;

    pub(crate) use checker::MutexGuard;

    /// A mutex as `parking_lot` has it.
    #[derive(Debug, Default)]
    pub(crate) struct Mutex<T>(checker::Mutex<T>);

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(checker::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> checker::MutexGuard<'_, T> {
            self.0
                .lock()
                .expect("a model that panics has failed already")
        }

        pub(crate) fn try_lock(&self) -> Option<checker::MutexGuard<'_, T>> {
            self.0.try_lock().ok()
        }

        pub(crate) fn into_inner(self) -> T {
            self.0
                .into_inner()
                .expect("a model that panics has failed already")
        }
    }
}
