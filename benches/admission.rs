//! `cargo bench --bench admission`: what a rate limit costs a request, beside the limiter of another
//! package in the same run, and what a tenant weighs in both.

use std::alloc::System;
use std::process::ExitCode;

use benches::allocator::COUNTED;
use benches::selection::Selection;
use benches::timed::admission::{measure, weigh};
use benches::timed::session::{Session, Threads};
use stats_alloc::StatsAlloc;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = COUNTED;

fn main() -> ExitCode {
    let selection = Selection::of(std::env::args().skip(1));
    let session = Session::begin("admission", Threads::One);
    let checks = measure(&selection, session.rules());
    let weighed = if checks.is_empty() {
        Vec::new()
    } else {
        weigh(session.sizes().smoke)
    };
    session.end_admission(checks, weighed)
}
