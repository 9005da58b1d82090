//! Faults on purpose, for the self-test of the gate, and compiled for nothing else: what cannot be seen
//! to fail cannot be trusted to pass.

use std::env;
use std::sync::OnceLock;
use std::time::Instant;

/// Names the fault.
pub const VARIABLE: &str = "SELF_TEST_FAULT";

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Two operations in a hundred are done twice, the second time by another queue.
    Instructions,
    /// Every push allocates one block more.
    Allocation,
    /// Everything that is timed takes a tenth longer.
    Time,
}

/// The fault of this process, if it has one.
///
/// # Panics
///
/// If there is no such fault.
pub fn chosen() -> Option<Fault> {
    static CHOSEN: OnceLock<Option<Fault>> = OnceLock::new();
    *CHOSEN.get_or_init(|| match env::var(VARIABLE).as_deref() {
        Ok("instructions") => Some(Fault::Instructions),
        Ok("allocation") => Some(Fault::Allocation),
        Ok("time") => Some(Fault::Time),
        Ok("none") | Err(_) => None,
        Ok(other) => panic!("no fault is called {other}"),
    })
}

/// Makes what began at `start` take a tenth longer, if that is the fault.
pub fn drag(start: Instant) {
    if chosen() == Some(Fault::Time) {
        let until = start.elapsed() * 11 / 10;
        while start.elapsed() < until {
            std::hint::spin_loop();
        }
    }
}
