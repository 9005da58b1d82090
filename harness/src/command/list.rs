//! `list`: what there is to choose from.

use clap::Args;
use schedulers::{LagMax, Settings};
use serde_json::json;

use super::output::{Answer, Form, document, to_json};
use super::scheduler_choice::{SchedulerChoice, scheduler_choice};
use crate::report::Table;

const EXAMPLES: &str = "\
Examples:
  cargo lab list
  cargo lab list --json";

/// List the schedulers and what each promises
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct List {
    /// One scheduler, or all
    #[arg(long, value_name = "NAME", default_value = "all", value_parser = scheduler_choice())]
    scheduler: SchedulerChoice,
    #[command(flatten)]
    form: Form,
}

impl List {
    pub(super) fn run(self) -> Answer {
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
        Answer {
            form: self.form,
            document: document("list", json!({ "schedulers": to_json(schedulers) })),
            rows: "schedulers",
            page: table.into(),
            expectations_held: true,
        }
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
