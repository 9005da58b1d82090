//! Runs each counted benchmark under valgrind. Built here, so that nothing needs to be installed.

use std::process::ExitCode;

use iai_callgrind_runner::error::Error;
use iai_callgrind_runner::runner::run;

fn main() -> ExitCode {
    let Err(error) = run() else {
        return ExitCode::SUCCESS;
    };
    eprintln!("error: {error}");
    match error.downcast_ref() {
        Some(Error::RegressionError(_)) => ExitCode::from(3),
        _ => ExitCode::FAILURE,
    }
}
