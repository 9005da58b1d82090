//! `list`: what there is to choose from.

use clap::Args;
use schedulers::{LagMax, Settings};
use serde_json::json;

use super::Answered;
use super::output::{Answer, Common, Ending, to_json};
use super::scheduler_choice::{SchedulerChoice, scheduler_choice};
use crate::scenario::{Scenario, scenario_directory};
use crate::trace::format_names;
use records::page::Table;

const EXAMPLES: &str = "\
Examples:
  cargo lab list
  cargo lab list --json";

/// List schedulers with their promises, scenarios, and trace formats
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct List {
    /// One scheduler, or all
    #[arg(long, value_name = "NAME", default_value = "all", value_parser = scheduler_choice())]
    scheduler: SchedulerChoice,
    #[command(flatten)]
    common: Common,
}

impl List {
    pub(super) fn run(self) -> Answered {
        let mut table = Table::new("Schedulers", &["name", "shares", "lag at most"]);
        let mut schedulers = Vec::new();
        for scheduler in self.scheduler.schedulers() {
            let promise = scheduler.lag_max(&Settings::default());
            table.row([
                scheduler.name.to_owned(),
                promise.map_or("nothing".to_owned(), |promise| {
                    format!("{:?}", promise.share).to_lowercase()
                }),
                promise.map_or("no promise".to_owned(), describe),
            ]);
            schedulers
                .push(json!({ "scheduler": scheduler.name, "lag_max": promise.map(describe) }));
        }
        let scenarios = Scenario::read_all(&scenario_directory())?;
        let formats = format_names();
        let mut scenario_table = Table::new("Scenarios", &["name", "about"]);
        for scenario in &scenarios {
            scenario_table.row([scenario.name.clone(), scenario.about.clone()]);
        }
        let mut format_table = Table::new("Trace formats", &[]);
        format_table.note(formats.join(", "));
        Ok(Answer {
            common: self.common,
            document: self.common.document(
                "list",
                json!({
                    "schedulers": to_json(schedulers),
                    "scenarios": scenarios.iter().map(|scenario| &scenario.name).collect::<Vec<_>>(),
                    "formats": formats,
                }),
            ),
            rows: "schedulers",
            page: [table, scenario_table, format_table].into(),
            ending: Ending::Well,
        })
    }
}

/// The bound in words, for weights of one.
fn describe(bound: LagMax) -> String {
    let fixed = bound.fixed;
    match bound.jobs {
        0 => format!("{fixed}"),
        jobs => format!("{fixed} + {} of the largest costs", 2 * jobs),
    }
}
