//! The command line: verbs, their flags, and how a run ends.
//!
//! Data goes to standard output, errors and warnings to standard error, and progress and speed there too if
//! it is a terminal. Exit codes: 0 all is well; 1 bad input or a bad environment; 2 wrong usage, or
//! nothing could be measured; 3 an expectation failed.

mod burst_flags;
mod compare;
mod flamegraph;
mod gate;
mod list;
mod output;
mod pair;
mod pool;
mod progress;
mod rate_flags;
mod record;
mod replay;
mod run;
mod scheduler_choice;
mod simulate;
mod splice;
mod strategies;
mod tail;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use output::{Answer, say};
use records::error::BadInput;
pub use scheduler_choice::SchedulerChoice;
pub(crate) use scheduler_choice::scheduler_choice;

const EXIT_CODES: &str = "\
Exit codes: 0 all is well, 1 bad input or environment, 2 wrong usage or nothing
measured, 3 an expectation failed.
Data goes to standard output, errors to standard error, and on a terminal progress and
speed too. NO_COLOR is respected.";

/// The lab for fair queues: how long the neighbours of a noisy tenant wait, what it pays, and how
/// much capacity idles, in simulated time, with real workers, and on your own trace.
#[derive(Parser, Debug)]
#[command(name = "lab", bin_name = "cargo lab", version, after_help = EXIT_CODES)]
struct CommandLine {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    List(list::List),
    Simulate(simulate::Simulate),
    Strategies(strategies::Strategies),
    Run(run::Run),
    Pool(pool::Pool),
    Replay(replay::Replay),
    Tail(tail::Tail),
    Verify(verify::Verify),
    Pair(pair::Pair),
    Flamegraph(flamegraph::Flamegraph),
    Compare(compare::Compare),
    Record(record::Record),
    Splice(splice::Splice),
    Gate(gate::Gate),
}

/// Reads the arguments, does as they say, and reports how it went.
#[must_use]
pub fn main() -> ExitCode {
    let verb = match CommandLine::try_parse() {
        Ok(line) => line.verb,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let answer = match verb {
        Verb::List(verb) => verb.run(),
        Verb::Simulate(verb) => verb.run(),
        Verb::Strategies(verb) => verb.run(),
        Verb::Run(verb) => verb.run(),
        Verb::Pool(verb) => verb.run(),
        Verb::Replay(verb) => verb.run(),
        Verb::Tail(verb) => verb.run(),
        Verb::Verify(verb) => verb.run(),
        Verb::Pair(verb) => verb.run(),
        Verb::Flamegraph(verb) => verb.run(),
        Verb::Compare(verb) => verb.run(),
        Verb::Record(verb) => verb.run(),
        Verb::Splice(verb) => verb.run(),
        Verb::Gate(verb) => verb.run(),
    };
    let (why, code) = match answer.and_then(|answer| Ok(answer.print()?)) {
        Ok(ending) => return ExitCode::from(ending as u8),
        Err(Unanswered::Input(error)) => (error.to_string(), 1),
        Err(Unanswered::Usage(why)) => (why, 2),
    };
    say(&format!("error: {why}"));
    ExitCode::from(code)
}

/// What a verb gives back, or why it could not.
type Answered = Result<Answer, Unanswered>;

/// Why a verb has nothing to give back.
enum Unanswered {
    /// Bad input or a bad environment.
    Input(BadInput),
    /// What was asked for is nothing that could be measured.
    Usage(String),
}

impl From<BadInput> for Unanswered {
    fn from(error: BadInput) -> Self {
        Self::Input(error)
    }
}
