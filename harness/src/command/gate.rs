//! `gate`: whether the working tree became slower.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::Answered;
use super::output::{Answer, Common, Ending, to_json};
use super::pair::command;
use super::progress::doing;
use crate::gate::compare::Verdict;
use crate::gate::self_test::{self, Case, Extent};
use crate::gate::{self, Against, Kind, Request};
use crate::report::{gate_page, self_test_page};
use records::error::BadInput;
use records::runs::{self, Environment, Load};

const EXAMPLES: &str = "\
Examples:
  cargo lab gate                            against the baseline that is committed for this platform
  cargo lab gate --base main                against another commit, built here; compares times too
  cargo lab gate --or-base HEAD~1           against the baseline, or that commit where there is none
  cargo lab gate --self-test --quick        see it fail; without --quick, on slower code too
  cargo lab gate --bless                    take what is counted for the baseline

In this order: the laws hold; instructions and bytes of an operation rose by at most 1 %, and allocations \
not at all; time (with --base) is not beyond max(5 %, 3 x noise floor) twice. A rise comes with its \
functions. The report is also left in gate/report.md and gate/report.json, where cargo builds.

Exits with 0 if nothing rose; 3 if something did, or a law is broken; 2 if something could not be measured: \
no baseline, an empty or broken one, one of another platform, a benchmark that came, went or does other work \
and was not blessed, an unknown commit, no valgrind; 1 without a compiler, or if the report cannot be left.";

/// What the gate leaves, for people and as data.
const REPORTS: [&str; 2] = ["report.md", "report.json"];

/// Decide, with evidence, whether the working tree became slower
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
#[allow(clippy::struct_excessive_bools)] // each is a flag
pub(super) struct Gate {
    /// Compare with this commit, in place of the committed baseline
    #[arg(long, value_name = "REVISION")]
    base: Option<String>,
    /// Compare with this commit if no baseline is of this platform
    #[arg(long, value_name = "REVISION", conflicts_with = "base")]
    or_base: Option<String>,
    /// Take what is counted for the new baseline; with --base, agree to benchmarks that came or went
    #[arg(long, conflicts_with = "or_base")]
    bless: bool,
    /// Do not run the laws: they were just run
    #[arg(long)]
    skip_laws: bool,
    /// Compare nothing but counts, or nothing but times
    #[arg(long, value_name = "KIND", value_parser = ["counts", "times"])]
    only: Option<String>,
    /// Count and time the benchmarks alone whose name holds this text, such as `wake/` or `/rotation/`
    #[arg(long, value_name = "TEXT")]
    benchmarks: Option<String>,
    /// Where baselines are [default: results/baselines]
    #[arg(long, value_name = "FOLDER")]
    baselines: Option<PathBuf>,
    /// Take the counts that `cargo bench --bench instructions` wrote here, in place of counting
    #[arg(long, value_name = "FILE", conflicts_with_all = ["base", "or_base", "only", "fault"])]
    measured: Option<PathBuf>,
    /// Inject faults, and see the gate end with the exit code that each is worth
    #[arg(long, conflicts_with_all = ["base", "or_base", "bless", "only", "benchmarks", "baselines", "measured"])]
    self_test: bool,
    /// With --self-test: the faults that need nothing built, and one scheduler's two percent
    #[arg(long, requires = "self_test")]
    quick: bool,
    /// With --self-test: compare the source with itself so many times, and see no false alarm
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=1_000),
        requires = "self_test"
    )]
    runs: u32,
    /// With --self-test: keep its record under results/self-test
    #[arg(long, requires = "self_test")]
    keep: bool,
    /// The fault that the working tree is built with
    #[arg(long, hide = true)]
    fault: Option<String>,
    #[command(flatten)]
    common: Common,
}

impl Gate {
    pub(super) fn run(self) -> Answered {
        if self.self_test {
            return self.test();
        }
        let against = match (self.base, self.or_base) {
            (Some(revision), _) => Against::Commit(revision),
            (None, Some(revision)) => Against::BaselineOr(revision),
            (None, None) => Against::Baseline,
        };
        let baselines = || runs::root().join("results/baselines");
        let request = Request {
            against,
            baselines: self.baselines.unwrap_or_else(baselines),
            bless: self.bless,
            skip_laws: self.skip_laws,
            only: self.only.map(|kind| match &*kind {
                "times" => Kind::Times,
                _ => Kind::Counts,
            }),
            benchmarks: self.benchmarks,
            fault: self.fault,
            seed: self.common.seed,
            measured: self.measured,
        };
        let folder = gate::counting::folder();
        // If this one ends early, the report of an earlier one must not pass for its own.
        for file in REPORTS {
            let _ = fs::remove_file(folder.join(file));
        }
        let mut environment = Environment::now("", self.common.seed, false);
        environment.command = command();
        let report = gate::run(&request, doing)?;
        environment.after = Load::now();
        let floors = report.pairs.iter().map(|pair| pair.noise_floor);
        environment.noise_floor = floors.max_by(f64::total_cmp);
        let mut fields = to_json(&report);
        fields["environment"] = to_json(&environment);
        let answer = Answer {
            common: self.common,
            document: self.common.document("gate", fields),
            rows: "counts",
            page: gate_page(&report),
            ending: match report.verdict {
                Verdict::Pass => Ending::Well,
                Verdict::Unmeasured => Ending::Unmeasured,
                Verdict::Regression => Ending::Failed,
            },
        };
        leave(&answer, &folder)?;
        Ok(answer)
    }
}

impl Gate {
    fn test(self) -> Answered {
        let extent = if self.quick {
            Extent::Quick
        } else {
            Extent::Whole(self.runs)
        };
        let mut environment = Environment::now("", self.common.seed, self.quick);
        environment.command = command();
        let lab = std::env::current_exe()
            .map_err(|error| BadInput::new(format!("this program: {error}")))?;
        let folder = gate::counting::folder().join("self-test");
        let cases = self_test::run(&lab, &folder, extent, doing)?;
        environment.after = Load::now();
        let fields = json!({ "environment": to_json(&environment), "cases": to_json(&cases) });
        let answer = Answer {
            common: self.common,
            document: self.common.document("gate", fields),
            rows: "cases",
            page: self_test_page(&cases),
            ending: Ending::of(cases.iter().all(Case::holds)),
        };
        if self.keep {
            let day = environment.date.split('T').next().unwrap_or_default();
            keep(&answer, &format!("{day}-{}.json", environment.source()))?;
        }
        Ok(answer)
    }
}

/// Keeps the record of a self-test, beside those of the others.
fn keep(answer: &Answer, name: &str) -> Result<(), BadInput> {
    let folder = runs::root().join("results/self-test");
    let place = folder.join(name);
    let failed = |error| BadInput::new(format!("{}: {error}", place.display()));
    let document = serde_json::to_string_pretty(&answer.document).expect("a value is JSON") + "\n";
    // Where this machine builds is nothing to whoever reads it.
    let document = document.replace(&*runs::target().to_string_lossy(), "target");
    fs::create_dir_all(&folder).map_err(failed)?;
    let mut file = fs::File::create_new(&place).map_err(failed)?;
    file.write_all(document.as_bytes()).map_err(failed)?;
    doing(&format!("kept in {}", place.display()));
    Ok(())
}

/// Leaves the report where a pipeline can pick it up, whatever is printed.
fn leave(answer: &Answer, folder: &Path) -> Result<(), BadInput> {
    let failed = |error| BadInput::new(format!("{}: {error}", folder.display()));
    let document = serde_json::to_string_pretty(&answer.document).expect("a value is JSON") + "\n";
    fs::create_dir_all(folder).map_err(failed)?;
    let [page, data] = REPORTS.map(|file| folder.join(file));
    fs::write(page, answer.page.markdown()).map_err(failed)?;
    fs::write(data, document).map_err(failed)
}
