//! The memory law for every scheduler of the registry. In a binary of its own, as an allocator that
//! counts is global; and in one test, as whatever else runs would be counted too. (The naive
//! queue is not here: at a quarter of a million tenants it would not come to an end.)

use std::alloc::System;

use schedulers::laws::{Subject, check_memory};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn allocated() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

macro_rules! subjects {
    ($($name:ident => $new:expr,)*) => {
        [
            $(Subject {
                name: stringify!($name),
                new: |settings| Box::new($new(settings)),
            },)*
        ]
    };
}

/// CASES 38 (zesterer/flume/issues/146, fereidani/kanal/issues/51, damus-io/notedeck/issues/1363) and
/// 40 (kent8192/reinhardt-web/issues/2219).
#[test]
fn memory_falls_back_after_bursts_and_after_tenants_leave() {
    for subject in schedulers::for_each_scheduler!(subjects) {
        if let Err(violation) = check_memory(&subject, allocated) {
            panic!("{violation}");
        }
    }
}
