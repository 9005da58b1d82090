//! `cargo bench --bench contention`: what each scheduler costs when many threads share it, next to
//! unfair queues in the same run, and how long a take waits while a burst is pushed.

use std::process::ExitCode;

use benches::timed::session::{Session, Threads};
use benches::timed::shared::plan::plans;

fn main() -> ExitCode {
    let mut session = Session::begin("contention", Threads::Many);
    let mut criterion = session.criterion();
    for (plan, tenants) in plans(session.sizes().smoke) {
        session.measure_shared(&mut criterion, plan, &tenants);
    }
    criterion.final_summary();
    session.end(Vec::new)
}
