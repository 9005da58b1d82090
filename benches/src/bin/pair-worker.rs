//! A process with contenders, which `cargo lab pair` starts and tells what to do. Not for people.

use std::io::{stdin, stdout};
use std::process::ExitCode;

use benches::timed::paired::serve;
use records::runs::State;

const USAGE: &str = "\
usage: pair-worker --state STATE --tenants NUMBER CONTENDER...
Orders come on standard input, replies go to standard output; `cargo lab pair` knows both.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((contenders, at)) = parsed(&arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match serve(contenders, at, stdin().lock(), stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(1), // whoever gave the orders has gone
    }
}

fn parsed(arguments: &[String]) -> Option<(&[String], (State, u32))> {
    let [state, name, tenants, number, contenders @ ..] = arguments else {
        return None;
    };
    let flags = state == "--state" && tenants == "--tenants" && !contenders.is_empty();
    let number = number.parse().ok().filter(|&number| number > 0)?;
    flags.then_some((contenders, (State::named(name)?, number)))
}
