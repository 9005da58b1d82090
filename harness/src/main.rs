//! `cargo lab`: see [`harness::command`].

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::command::main()
}
