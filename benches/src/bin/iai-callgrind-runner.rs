//! Runs each counted benchmark under valgrind. Built here, so that nothing needs to be installed.

use std::process::ExitCode;

use iai_callgrind_runner::runner::run;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
