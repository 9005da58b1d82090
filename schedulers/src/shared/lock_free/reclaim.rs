//! Memory that is given back while others may still look at it.

use crate::sync::epoch::Guard;

/// Frees a box once every guard of today is gone.
///
/// # Safety
///
/// The pointer came from a box, and nobody without a guard of today can come upon it.
#[cfg(not(any(loom, shuttle)))]
pub(super) unsafe fn free_late<T>(guard: &Guard, boxed: *mut T) {
    // SAFETY: passed on to the caller.
    unsafe { guard.defer_destroy(crossbeam_epoch::Shared::from(boxed.cast_const())) };
    // Memory is given back rarely and in large pieces: it should not wait for others to be.
    guard.flush();
}

/// Models never free: what they check are the protocols up to there.
#[cfg(any(loom, shuttle))]
pub(super) const unsafe fn free_late<T>(_guard: &Guard, _boxed: *mut T) {}
