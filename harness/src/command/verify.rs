//! `verify`: every scenario's expected answers and laws.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::Answered;
use super::output::{Answer, Common, Ending, say, to_json};
use super::scheduler_choice::{SchedulerChoice, scheduler_choice};
use crate::report::verify_page;
use crate::scenario::{Scenario, scenario_directory};
use crate::verify::{Outcome, verify};

const EXAMPLES: &str = "\
Examples:
  cargo lab verify
  cargo lab verify noisy-burst --scheduler rotation
  cargo lab verify --scenarios my-scenarios --json

Exits with 3 if an expectation failed or a law was broken.";

/// Check every scenario's expected answers, and the laws of every run
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Verify {
    /// Scenarios by name; all if none is given
    names: Vec<String>,
    /// The folder of scenario files; by default, the one that comes with the lab
    #[arg(long, value_name = "FOLDER")]
    scenarios: Option<PathBuf>,
    /// One scheduler, or all
    #[arg(long, value_name = "NAME", default_value = "all", value_parser = scheduler_choice())]
    scheduler: SchedulerChoice,
    #[command(flatten)]
    common: Common,
}

impl Verify {
    pub(super) fn run(self) -> Answered {
        let directory = self.scenarios.clone().unwrap_or_else(scenario_directory);
        let mut scenarios = Scenario::read_all(&directory)?;
        if let Some(unknown) = self
            .names
            .iter()
            .find(|name| scenarios.iter().all(|scenario| scenario.name != **name))
        {
            return Err(records::error::BadInput::new(format!(
                "no scenario {unknown} in {}",
                directory.display()
            ))
            .into());
        }
        scenarios.retain(|scenario| self.names.is_empty() || self.names.contains(&scenario.name));
        let chosen = |name: &str| match self.scheduler {
            SchedulerChoice::All => true,
            SchedulerChoice::One(scheduler) => scheduler.name == name,
        };
        let mut checks = Vec::new();
        for scenario in &scenarios {
            checks.extend(verify(scenario, chosen)?);
        }
        let count = |outcome| {
            checks
                .iter()
                .filter(|check| check.outcome == outcome)
                .count()
        };
        let [passed, failed, skipped] =
            [Outcome::Passed, Outcome::Failed, Outcome::Skipped].map(count);
        if passed + failed == 0 {
            say("warning: nothing was checked: no scenario expects anything of what was chosen");
        }
        let fields = json!({
            "passed": passed,
            "failed": failed,
            "skipped": skipped,
            "checks": to_json(&checks),
        });
        Ok(Answer {
            common: self.common,
            document: self.common.document("verify", fields),
            rows: "checks",
            page: verify_page(&scenarios, &checks),
            ending: Ending::of(failed == 0 && passed > 0),
        })
    }
}
