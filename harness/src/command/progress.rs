//! Progress on standard error, on a terminal only.

use std::io::{IsTerminal, stderr};

use indicatif::{ProgressBar, ProgressStyle};

use super::output::say;

/// What is being done, or how fast it went, for whoever looks on.
pub(super) fn doing(line: &str) {
    if stderr().is_terminal() {
        say(line);
    }
}

/// A bar of so many steps.
pub(super) fn progress(steps: usize) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}").expect("a sound template");
    ProgressBar::new(steps as u64).with_style(style)
}
