//! Progress on standard error, on a terminal only.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar of so many steps.
pub(super) fn progress(steps: usize) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}").expect("a sound template");
    ProgressBar::new(steps as u64).with_style(style)
}
