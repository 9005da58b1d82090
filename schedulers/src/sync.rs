//! What the shared queues build on: locks, atomics, cells, and memory that is freed late.
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

/// Atomics whose `SeqCst` means what it says under every checker.
pub(crate) mod sequential {
    #[cfg(not(loom))]
    pub(crate) use super::atomic::{AtomicI64, AtomicPtr, AtomicU32, AtomicU64};
    #[cfg(loom)]
    pub(crate) use super::ordered::{AtomicI64, AtomicPtr, AtomicU32, AtomicU64};

    pub(crate) use super::atomic::Ordering;
}

/// Loom takes `SeqCst` for `AcqRel`, so that a load may miss what was stored before it in the order of
/// all; it does know fences. So each access that is `SeqCst` stands between two.
#[cfg(loom)]
mod ordered {
    use loom::sync::atomic::{self, Ordering, fence};

    fn order<R>(ordering: Ordering, access: impl FnOnce() -> R) -> R {
        let fence = || {
            if ordering == Ordering::SeqCst {
                fence(Ordering::SeqCst);
            }
        };
        fence();
        let result = access();
        fence();
        result
    }

    macro_rules! atomics {
        ($($name:ident $(<$parameter:ident>)?: $value:ty, [$($method:ident)*],)*) => {$(
            #[derive(Debug)]
            pub(crate) struct $name$(<$parameter>)?(atomic::$name$(<$parameter>)?);

            impl$(<$parameter>)? $name$(<$parameter>)? {
                pub(crate) fn new(value: $value) -> Self {
                    Self(atomic::$name::new(value))
                }

                pub(crate) fn load(&self, ordering: Ordering) -> $value {
                    order(ordering, || self.0.load(ordering))
                }

                pub(crate) fn compare_exchange(
                    &self,
                    from: $value,
                    to: $value,
                    success: Ordering,
                    failure: Ordering,
                ) -> Result<$value, $value> {
                    order(success, || self.0.compare_exchange(from, to, success, failure))
                }

                $(pub(crate) fn $method(&self, value: $value, ordering: Ordering) -> $value {
                    order(ordering, || self.0.$method(value, ordering))
                })*
            }
        )*};
    }

    atomics! {
        AtomicPtr<T>: *mut T, [swap],
        AtomicU64: u64, [],
        AtomicU32: u32, [swap fetch_add fetch_sub fetch_min fetch_max],
        AtomicI64: i64, [fetch_add fetch_sub fetch_min],
    }

    macro_rules! stores {
        ($($name:ident: $value:ty,)*) => {$(
            impl $name {
                pub(crate) fn store(&self, value: $value, ordering: Ordering) {
                    order(ordering, || self.0.store(value, ordering));
                }
            }
        )*};
    }

    stores! {
        AtomicU64: u64,
        AtomicU32: u32,
        AtomicI64: i64,
    }
}

#[cfg(loom)]
pub(crate) use loom::cell::UnsafeCell;

#[cfg(not(loom))]
pub(crate) use cell::UnsafeCell;

/// The cell of the standard library, with the interface of loom's, which checks each access.
#[cfg(not(loom))]
mod cell {
    /// A cell whose users guarantee that no two of them are in it at once.
    #[derive(Debug)]
    pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        #[inline]
        pub(crate) const fn new(value: T) -> Self {
            Self(std::cell::UnsafeCell::new(value))
        }

        /// Gives the content to be read or written, alone.
        #[inline]
        pub(crate) fn with_mut<R>(&self, visit: impl FnOnce(*mut T) -> R) -> R {
            visit(self.0.get())
        }
    }
}

/// Memory that others may still look at is freed when nobody can any more.
pub(crate) mod epoch {
    /// While one exists, nothing that its thread can reach is freed.
    #[cfg(not(any(loom, shuttle)))]
    pub(crate) use crossbeam_epoch::{Guard, pin};

    /// Frees what waits for no other thread's guard.
    #[cfg(not(any(loom, shuttle)))]
    pub(crate) fn free_now() {
        // Nobody holds what was given back two epochs ago: let those pass, if others allow it.
        for _ in 0..3 {
            pin().flush();
        }
    }

    /// Models never free: what they check are the protocols up to there.
    #[cfg(any(loom, shuttle))]
    #[derive(Debug)]
    pub(crate) struct Guard;

    #[cfg(any(loom, shuttle))]
    pub(crate) const fn pin() -> Guard {
        Guard
    }

    #[cfg(any(loom, shuttle))]
    pub(crate) const fn free_now() {}
}

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
