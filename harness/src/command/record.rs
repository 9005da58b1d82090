//! `record`: keeps the last run of the benchmarks.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::Answered;
use super::output::{Answer, Common, Ending, to_json};
use records::page::Table;
use records::runs;

const EXAMPLES: &str = "\
Examples:
  cargo lab record                    the last `cargo bench`, to results/runs/<date>-<commit>/
  cargo lab record --from elsewhere   results that were written elsewhere

A run is kept once: a folder that exists is an error, and nothing in it is overwritten.";

/// Keep the results of the last `cargo bench` in a folder of their own
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Record {
    /// Where the results are [default: bench/ where cargo builds]
    #[arg(long, value_name = "FOLDER")]
    from: Option<PathBuf>,
    /// Where the new folder goes [default: results/runs]
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

impl Record {
    pub(super) fn run(self) -> Answered {
        let from = self.from.unwrap_or_else(runs::last_run);
        let to = self.to.unwrap_or_else(runs::kept_runs);
        let kept = runs::keep(&from, &to)?;
        Ok(Answer {
            common: self.common,
            document: self
                .common
                .document("record", json!({ "folder": to_json(&kept) })),
            rows: "",
            page: Table::new(format!("kept in {}", kept.display()), &[]).into(),
            ending: Ending::Well,
        })
    }
}
