//! What is weighed is what a queue holds, and not what another gave up before it.

use std::alloc::System;

use benches::allocator::COUNTED;
use benches::timed::memory;
use stats_alloc::StatsAlloc;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = COUNTED;

#[test]
fn nobody_holds_less_than_nothing_and_a_second_weighing_finds_the_same() {
    let (once, again) = (memory::of_contenders(), memory::of_contenders());
    assert!(!once.is_empty());
    for (one, other) in once.iter().zip(&again) {
        assert!(
            one.bytes_per_idle_tenant > 0.0 && one.bytes_per_job > 0.0,
            "{one:?}"
        );
        let apart = (one.bytes_per_idle_tenant - other.bytes_per_idle_tenant).abs();
        assert!(apart < 1.0, "{one:?}, then {other:?}");
    }
}
