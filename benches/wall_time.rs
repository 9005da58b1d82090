//! `cargo bench`: what each scheduler costs on the noisy burst, state by state, next to the floors of
//! the same run, and what memory it takes.

use std::alloc::System;
use std::process::ExitCode;

use benches::allocator::COUNTED;
use benches::timed::memory;
use benches::timed::session::{Session, Threads};
use records::runs::State;
use stats_alloc::StatsAlloc;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = COUNTED;

fn main() -> ExitCode {
    let mut session = Session::begin("wall_time", Threads::One);
    let mut criterion = session.criterion();
    let tenants = session.sizes().tenants.clone();
    for state in State::BURST {
        session.measure(&mut criterion, state, &tenants);
    }
    criterion.final_summary();
    session.end(memory::of_contenders)
}
