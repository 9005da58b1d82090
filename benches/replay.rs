//! `cargo bench --bench replay`: every scheduler on a real trace, what it costs and what it buys.

use std::process::ExitCode;

use benches::timed::azure;
use benches::timed::session::{Session, Threads};
use records::runs::State;

fn main() -> ExitCode {
    let mut session = Session::begin("replay", Threads::One);
    let mut criterion = session.criterion();
    session.measure(&mut criterion, State::Replay, &[azure::TENANTS]);
    criterion.final_summary();
    session.end(Vec::new)
}
