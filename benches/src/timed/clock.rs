//! What time means here: one core, the clock read round whole batches, the bare loop subtracted.

use std::hint::black_box;
use std::time::{Duration, Instant};

use core_affinity::CoreId;
use records::runs::median;

/// How long something takes.
pub fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    #[cfg(feature = "self-test")]
    crate::fault::drag(start);
    start.elapsed()
}

/// Pins this thread to the last core it may run on (the first takes most interrupts). Gives the core's
/// number, or nothing where the platform does not let it.
#[must_use]
pub fn pin() -> Option<usize> {
    let core = cores().pop()?;
    core_affinity::set_for_current(core).then_some(core.id)
}

/// The cores that this thread may run on, and those that it starts; none where the platform does not
/// tell.
#[must_use]
pub fn cores() -> Vec<CoreId> {
    core_affinity::get_core_ids().unwrap_or_default()
}

/// What the clock says of no time at all, in nanoseconds: to be subtracted from what is timed alone.
#[must_use]
pub fn nothing_ns() -> f64 {
    let nothing = || Instant::now().elapsed().as_secs_f64() * 1e9;
    median(&(0..10_000).map(|_| nothing()).collect::<Vec<_>>()).unwrap_or(0.0)
}

/// Nanoseconds a turn of a loop that only counts: what every timed loop pays beside its work.
#[must_use]
pub fn empty_loop_ns() -> f64 {
    const TURNS: u32 = 1_000_000;
    let turn = || {
        let elapsed = timed(|| {
            for index in 0..TURNS {
                black_box(index);
            }
        });
        elapsed.as_secs_f64() * 1e9 / f64::from(TURNS)
    };
    median(&(0..15).map(|_| turn()).collect::<Vec<_>>()).unwrap_or(0.0)
}
