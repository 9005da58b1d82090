//! `compare`: recorded runs side by side.

use std::path::PathBuf;

use clap::Args;

use super::Answered;
use super::output::{Answer, Common, Ending, to_json};
use crate::paired::{PAIRED, PairedRun};
use crate::report::compare_page;
use records::error::BadInput;
use records::page::Page;
use records::runs::{self, Comparison, Figures};

const EXAMPLES: &str = "\
Examples:
  cargo lab compare 2026-11-30-5763c1a775da last       a recorded run, and the last `cargo bench`
  cargo lab compare RUN1 RUN2 RUN3 last                the median of three baselines, and the last
  cargo lab compare folder/of/one folder/of/another    wherever they are

A run is a folder, or its name under results/runs; `last` is what the last `cargo bench` left. Times are \
compared as multiples of the floor of the same run, which hold from run to run better than nanoseconds, and \
paired ratios as they are; instructions and bytes from 1 %, and allocations from the first one on.
Where noise asks for a threshold of more than 50 %, what is within it is inconclusive, and blocks nobody.
Exits with 3 if a benchmark became slower, takes more memory or failed; with 2 if one was removed or could \
not be compared (other machine, other workload, void), or nothing was compared; with 1 if a run cannot be \
read, is a smoke run, or has files of different commits.";

/// Print recorded runs side by side: slower, faster, more, less, inconclusive, new, removed, not comparable
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Compare {
    /// One baseline or more, and the run to be compared with them
    #[arg(required = true, num_args = 2.., value_name = "RUN")]
    runs: Vec<String>,
    #[command(flatten)]
    common: Common,
}

impl Compare {
    pub(super) fn run(self) -> Answered {
        let (now_name, base_names) = self.runs.split_last().expect("two at least");
        let now = read(now_name)?;
        let bases: Vec<Vec<(String, Figures)>> = base_names
            .iter()
            .map(|name| read(name))
            .collect::<Result<_, _>>()?;
        let base_name = base_names.join(", ");
        let (mut page, mut comparisons) = (Page::default(), Vec::new());
        // File by file, so that each ratio is to the floor of its own process.
        for file in files(&bases, &now) {
            let of = |runs: &[(String, Figures)]| {
                let found = runs.iter().find(|(name, _)| *name == file);
                found.map(|(_, run)| run.clone())
            };
            let baselines: Vec<Figures> = bases.iter().filter_map(|runs| of(runs)).collect();
            let Some(now) = of(&now).or_else(|| baselines.first().map(Figures::without_any)) else {
                continue;
            };
            let comparison = Comparison::of(&baselines, &now);
            page.tables
                .extend(compare_page(&base_name, now_name, &comparison).tables);
            comparisons.push(comparison);
        }
        let ending = if comparisons.iter().any(Comparison::is_regressed) {
            Ending::Failed
        } else if comparisons.iter().any(Comparison::has_gaps)
            || !comparisons.iter().any(Comparison::is_compared)
        {
            Ending::Unmeasured
        } else {
            Ending::Well
        };
        let compared: Vec<_> = comparisons.iter().flat_map(|one| &one.compared).collect();
        let differences: Vec<_> = comparisons
            .iter()
            .flat_map(|one| &one.differences)
            .collect();
        let fields = serde_json::json!({
            "base": to_json(base_names),
            "now": to_json(now_name),
            "differences": to_json(&differences),
            "compared": to_json(&compared),
        });
        Ok(Answer {
            common: self.common,
            document: self.common.document("compare", fields),
            rows: "compared",
            page,
            ending,
        })
    }
}

fn files(bases: &[Vec<(String, Figures)>], now: &[(String, Figures)]) -> Vec<String> {
    let all = bases.iter().flatten().chain(now);
    let mut files: Vec<String> = all.map(|(name, _)| name.clone()).collect();
    files.sort();
    files.dedup();
    files
}

fn read(name: &str) -> Result<Vec<(String, Figures)>, BadInput> {
    let folder = match name {
        "last" => runs::last_run(),
        name if PathBuf::from(name).is_dir() => PathBuf::from(name),
        name => runs::kept_runs().join(name),
    };
    let mut read = runs::figures(&folder)?;
    if let Some(run) = PairedRun::read(&folder)? {
        read.push((PAIRED.to_owned(), Figures::from(&run)));
    }
    if read.is_empty() {
        return Err(runs::nothing_in(&folder));
    }
    Ok(read)
}
