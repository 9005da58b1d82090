//! `tail`: what whole requests wait, and what helps.

use clap::{Args, Subcommand};
use serde_json::Value;

use super::Answered;
use super::output::{Answer, Common, Ending, to_json};
use crate::tail::{
    Canary, FanOut, GoodEnough, Hedge, Model, Neighbours, Partitions, Probation, Quorum, Replicas,
    Tie,
};
use records::cell::count;

const EXAMPLES: &str = "\
Examples:
  cargo lab tail fan-out                                one leaf in a hundred is slow, and a request needs a hundred
  cargo lab tail hedge                                  ask again after a delay
  cargo lab tail tie                                    two queues, and the copy that starts first cancels the other
  cargo lab tail neighbours                             every scheduler under a noisy tenant, by fan-out width
  cargo lab tail quorum --json                          each of them as JSON, CSV or Markdown
  cargo lab tail tie --help                             the flags of each, and its examples";

/// Model what a request waits for when it needs many servers, and what can be done about it
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Tail {
    #[command(subcommand)]
    idea: Idea,
}

// A model's parameters, and how its answer leaves. No doc comment: it would stand in place of the model's
// own in its help.
#[derive(Args, Debug)]
struct Asked<M: Args> {
    #[command(flatten)]
    model: M,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand, Debug)]
enum Idea {
    FanOut(Asked<FanOut>),
    Hedge(Asked<Hedge>),
    Tie(Asked<Tie>),
    Partitions(Asked<Partitions>),
    Replicas(Asked<Replicas>),
    Probation(Asked<Probation>),
    GoodEnough(Asked<GoodEnough>),
    Canary(Asked<Canary>),
    Quorum(Asked<Quorum>),
    Neighbours(Asked<Neighbours>),
}

impl Tail {
    pub(super) fn run(self) -> Answered {
        match self.idea {
            Idea::FanOut(asked) => asked.run(),
            Idea::Hedge(asked) => asked.run(),
            Idea::Tie(asked) => asked.run(),
            Idea::Partitions(asked) => asked.run(),
            Idea::Replicas(asked) => asked.run(),
            Idea::Probation(asked) => asked.run(),
            Idea::GoodEnough(asked) => asked.run(),
            Idea::Canary(asked) => asked.run(),
            Idea::Quorum(asked) => asked.run(),
            Idea::Neighbours(asked) => asked.run(),
        }
    }
}

impl<M: Model + Args> Asked<M> {
    fn run(self) -> Answered {
        let record = self.model.play(self.common.seed)?;
        let mut page = self.model.page(&record);
        let (Value::Object(mut fields), Value::Object(results)) =
            (to_json(&self.model), to_json(&record))
        else {
            panic!("parameters and records are objects")
        };
        fields.extend(results);
        // Every model has its trials among its parameters or its results.
        let trials = fields["trials"].as_u64().expect("a count");
        if let Some(last) = page.tables.last_mut() {
            last.note(format!(
                "Seed {}, {} trials.",
                self.common.seed,
                count(trials)
            ));
        }
        Ok(Answer {
            common: self.common,
            document: self
                .common
                .document(&format!("tail {}", M::VERB), Value::Object(fields)),
            rows: "rows",
            page,
            ending: Ending::Well,
        })
    }
}
