//! What a tenant and a job take, counted by the allocator and not by `size_of`.

use std::hint::black_box;

use records::runs::Memory;

use crate::allocator::COUNTED;
use crate::costs::Costs;
use crate::timed::contender::{Contender, Entry, Visitor, for_each_contender};
use crate::timed::driver::Driver;
use crate::workload::Job;
use crate::workload::Maker;

/// How many tenants are weighed.
const TENANTS: u32 = 100_000;

/// More than it takes until what was given up can be freed; a few bags are, at each.
const EPOCHS: u32 = 100;

/// Weighs every contender. Nothing when the allocator does not count.
#[must_use]
pub fn of_contenders() -> Vec<Memory> {
    let mut scale = Scale {
        weighed: Vec::new(),
    };
    if is_counted() {
        for_each_contender(&mut scale);
    }
    scale.weighed
}

/// Whether this program's allocator counts.
#[must_use]
pub fn is_counted() -> bool {
    let before = bytes_in_use();
    let probe = black_box(Box::new(0_u64));
    let counts = bytes_in_use() > before;
    drop(probe);
    counts
}

struct Scale {
    weighed: Vec<Memory>,
}

impl Visitor for Scale {
    fn visit<C: Contender>(&mut self, entry: &Entry, build: impl Fn(u32, Costs) -> C) {
        if entry.costs != Costs::Unit {
            return; // the same queue again
        }
        let mut maker = Maker::new(TENANTS, Costs::Unit);
        let (everybody, burst) = (maker.everybody(), maker.burst());

        let before = settled_bytes_in_use();
        let mut driver = Driver::new(build(TENANTS, Costs::Unit));
        driver.push(&everybody);
        driver.take(everybody.len());
        let idle = settled_bytes_in_use();
        driver.push(&burst);
        let busy = settled_bytes_in_use();
        drop(driver);

        self.weighed.push(Memory {
            contender: entry.name.clone(),
            bytes_per_idle_tenant: share(before, idle, everybody.len()),
            bytes_per_job: share(idle + burst.len() * size_of::<Job>(), busy, burst.len()),
        });
    }
}

/// The bytes in use when nothing waits to be freed any more. What a lock-free queue has given up is freed
/// some epochs later, by whoever comes next: without this, the next one weighed had less than nothing.
fn settled_bytes_in_use() -> usize {
    let mut least = bytes_in_use();
    loop {
        for _ in 0..EPOCHS {
            crossbeam_epoch::pin().flush();
        }
        let now = bytes_in_use();
        if now >= least {
            return now;
        }
        least = now;
    }
}

/// The bytes that are neither freed nor given back by shrinking.
pub(crate) fn bytes_in_use() -> usize {
    let stats = COUNTED.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

/// The growth for each of a number of things.
#[allow(clippy::cast_precision_loss)] // memory is below 2^53 bytes
pub(crate) fn share(before: usize, after: usize, things: usize) -> f64 {
    (after as f64 - before as f64) / things as f64
}
