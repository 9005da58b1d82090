//! What a tenant takes, counted by the allocator.

use records::runs::{Demand, Weighed};
use schedulers::admission::{Admission, Limiter};

use super::contender::{Contender, Governor, Key};
use super::workload::Workload;
use crate::timed::memory::{bytes_in_use, is_counted, share};

/// So many tenants are weighed.
const TENANTS: [u32; 3] = [1_000, 100_000, 1_000_000];

/// Weighs every contender. Nothing when the allocator does not count.
#[must_use]
pub fn weigh(is_smoke: bool) -> Vec<Weighed> {
    if !is_counted() {
        return Vec::new();
    }
    let tenants = if is_smoke { &TENANTS[..1] } else { &TENANTS };
    let sizes = tenants.iter();
    sizes
        .flat_map(|&tenants| {
            [
                one::<Limiter<Key>>(tenants),
                one::<Governor>(tenants),
                one::<Admission<Key>>(tenants),
            ]
        })
        .collect()
}

/// Each tenant has a request behind it, and its token not yet back, so that nobody may be forgotten.
fn one<C: Contender>(tenants: u32) -> Weighed {
    let workload = Workload::new(Demand::Refused, 1, tenants, (0, 0));
    let before = bytes_in_use();
    let limiter: C = workload.start();
    let after = bytes_in_use();
    drop(limiter);
    Weighed {
        contender: C::NAME.to_owned(),
        tenants,
        bytes_per_tenant: share(before, after, tenants as usize),
    }
}
