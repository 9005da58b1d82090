//! `pair`: two schedulers, or two commits, taking turns.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::json;

use super::output::{Answer, Common, Ending, to_json};
use super::progress::{doing, progress};
use super::{Answered, Unanswered};
use crate::paired::{
    BLOCKS, Checkout, Contest, Fault, PAIRED, PairRecord, PairedRun, Program, Verdict, contest,
};
use crate::report::pair_page;
use crate::scheduler::SCHEDULERS;
use records::runs::{self, Environment, Load, State};

const EXAMPLES: &str = "\
Examples:
  cargo lab pair active_list rotation                       how many times as long rotation takes
  cargo lab pair vec_deque all --state churn                every scheduler over the plain queue
  cargo lab pair --base main                                every scheduler, here over that commit
  cargo lab pair --base HEAD~3 rotation --tenants 100000    one of them

Each comparison: A/A for the noise floor, A/B in 60 blocks, each pair of them in new processes, and A/B \
again if the first was beyond the limit, which is max(5 %, 3 x noise floor). `slower` and `faster` are \
beyond it twice, with intervals clear of 1; what was beyond it otherwise, or a limit of more than 50 %, \
makes it `inconclusive`. Sides that did not do the same work give no number.
With --base, exits with 3 if a scheduler became slower. Exits with 3 if a side was wrong, with 2 if \
nothing could be measured.";

/// Compare the speed of two schedulers, or of two commits, in blocks that take turns
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Pair {
    /// Two contenders or more, each compared with the first; with --base, any number, or none for all.
    /// `all` is every scheduler of the registry; floors (`vec_deque`) take part too
    #[arg(required_unless_present = "base")]
    contenders: Vec<String>,
    /// Compare the working tree with this commit, which is built in a folder of its own
    #[arg(long, value_name = "REVISION")]
    base: Option<String>,
    /// What they do
    #[arg(long, value_name = "NAME", default_value = "steady", value_parser = state())]
    state: State,
    /// How many tenants there are
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    tenants: u32,
    /// How many blocks a ratio is of
    #[arg(long, default_value_t = BLOCKS, value_parser = clap::value_parser!(u32).range(2..=10_000))]
    blocks: u32,
    /// Also write environment and ratios here, for `cargo lab record`
    /// [default: bench/paired.json where cargo builds]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

pub(super) fn state() -> impl TypedValueParser<Value = State> {
    let names = State::all().map(|state| PossibleValue::new(state.name()));
    PossibleValuesParser::new(names)
        .map(|name| State::named(&name).expect("one of the possible values"))
}

impl Pair {
    pub(super) fn run(self) -> Answered {
        let names = self.names()?;
        let mut environment = Environment::now("", self.common.seed, false);
        environment.command = command();
        doing("building the program to be measured");
        let here = Program::of_working_tree()?;
        let (base, checkout) = match &self.base {
            Some(revision) => {
                let checkout = Checkout::of(revision)?;
                doing(&format!("building it from {}", checkout.commit()));
                (Program::of_commit(&checkout)?, Some(checkout))
            }
            None => (here.clone(), None),
        };
        let mut outcome = Outcome::default();
        let pairs: Vec<(&str, &str)> = if self.base.is_some() {
            names.iter().map(|name| (&**name, &**name)).collect()
        } else {
            names[1..]
                .iter()
                .map(|name| (&*names[0], &**name))
                .collect()
        };
        let bar = progress(pairs.len() * 3 * self.blocks as usize);
        for (a, b) in pairs {
            bar.set_message(b.to_owned());
            let record = contest(
                &Contest {
                    a: (&base, a),
                    b: (&here, b),
                    state: self.state,
                    tenants: self.tenants,
                    blocks: self.blocks,
                    seed: self.common.seed,
                },
                || bar.inc(1),
            );
            outcome.add(b, record);
        }
        bar.finish_and_clear();
        drop(checkout);
        environment.after = Load::now();
        environment.noise_floor = outcome.noise_floor();
        if let Some(pair) = outcome.pairs.first() {
            environment.affinity.clone_from(&pair.affinity);
        }
        let run = PairedRun {
            environment,
            pairs: outcome.pairs,
        };
        if !run.pairs.is_empty() {
            let out = self.out.unwrap_or_else(|| runs::last_run().join(PAIRED));
            run.write(&out)?;
        }
        let is_slower = |pair: &PairRecord| pair.verdict == Verdict::Slower;
        let regressed = self.base.is_some() && run.pairs.iter().any(is_slower);
        let ending = match outcome.worst {
            Some(Fault::Wrong(_)) => Ending::Failed,
            _ if regressed => Ending::Failed,
            Some(Fault::Unmeasured(_)) => Ending::Unmeasured,
            None => Ending::Well,
        };
        let fields = json!({
            "environment": to_json(&run.environment),
            "pairs": to_json(&run.pairs),
            "faults": to_json(&outcome.faults),
        });
        Ok(Answer {
            common: self.common,
            document: self.common.document("pair", fields),
            rows: "pairs",
            page: pair_page(&run, &outcome.faults),
            ending,
        })
    }

    /// The contenders that were asked for, `all` spelled out.
    fn names(&self) -> Result<Vec<String>, Unanswered> {
        let all = || SCHEDULERS.iter().map(|scheduler| scheduler.name.to_owned());
        let mut names: Vec<String> = Vec::new();
        for name in &self.contenders {
            match &**name {
                "all" => names.extend(all().filter(|name| !self.contenders.contains(name))),
                _ => names.push(name.clone()),
            }
        }
        if self.base.is_some() {
            let chosen = if names.is_empty() {
                all().collect()
            } else {
                names
            };
            return Ok(chosen);
        }
        if names.len() < 2 {
            return Err(Unanswered::Usage(
                "name two contenders, or give --base with a commit to compare with".to_owned(),
            ));
        }
        Ok(names)
    }
}

/// What to type to have it again.
pub(super) fn command() -> String {
    let given: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    format!("cargo lab {}", given.join(" "))
}

/// What came of the comparisons so far.
#[derive(Default)]
struct Outcome {
    pairs: Vec<PairRecord>,
    /// Which could not be compared, and why.
    faults: Vec<(String, Fault)>,
    /// A wrong side, if there was one; else one that could not be measured.
    worst: Option<Fault>,
}

impl Outcome {
    fn add(&mut self, name: &str, record: Result<PairRecord, Fault>) {
        match record {
            Ok(record) => self.pairs.push(record),
            Err(fault) => {
                if !matches!(self.worst, Some(Fault::Wrong(_))) {
                    self.worst = Some(fault.clone());
                }
                self.faults.push((name.to_owned(), fault));
            }
        }
    }

    fn noise_floor(&self) -> Option<f64> {
        let floors = self.pairs.iter().map(|pair| pair.noise_floor);
        floors.max_by(f64::total_cmp)
    }
}
