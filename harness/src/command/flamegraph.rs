//! `flamegraph`: profiles schedulers with the benchmarks, and draws where the time goes.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use serde_json::json;

use super::output::{Answer, Common, Ending, to_json};
use super::pair::{command, state};
use super::progress::doing;
use super::{Answered, Unanswered};
use crate::flame::{
    FOLDER, NO_PROFILE, PINNED, Profile, SAMPLES_MIN, draw_difference, folder, of_benchmark,
    write_index,
};
use crate::paired::{Checkout, commit_of};
use crate::scheduler::SCHEDULERS;
use records::cell::count;
use records::error::BadInput;
use records::page::Table;
use records::runs::{self, Environment, Load, Stamp, State};

const EXAMPLES: &str = "\
Examples:
  scripts/flamegraph rotation                       the steady cycle with 1,000 tenants
  scripts/flamegraph rotation churn 100000          another state, more tenants
  scripts/flamegraph --diff active_list rotation    where the time of the second goes otherwise
  scripts/flamegraph --diff rotation@main rotation  a scheduler at a commit, and as it is here
  scripts/flamegraph --all                          every scheduler in two states, and the page of all

Needs no installation: cargo builds the profiler. A folder with pictures, folded stacks and index.html \
comes of it; only the timed loops are shown. Exits with 2 if there is no such benchmark, or no sample of it.";

/// The states of the curated set: the warm cycle, and one that neither caches nor predictors learn.
const CURATED: [State; 2] = [State::Steady, State::Churn];

/// Draw where the time of a scheduler goes, or where that of two differs
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Flamegraph {
    /// A contender: a scheduler, or a floor
    #[arg(required_unless_present_any = ["diff", "all"])]
    contender: Option<String>,
    /// What it does
    #[arg(default_value = "steady", value_parser = state())]
    state: State,
    /// How many tenants there are, of the sizes that the benchmarks have
    #[arg(default_value_t = 1_000)]
    tenants: u32,
    /// Two contenders, each here or at a commit (`rotation@main`)
    #[arg(long, num_args = 2, value_names = ["BEFORE", "AFTER"], conflicts_with_all = ["contender", "all"])]
    diff: Option<Vec<String>>,
    /// Of --diff: what they do
    #[arg(long = "state", value_name = "STATE", requires = "diff", value_parser = state())]
    diff_state: Option<State>,
    /// Of --diff: how many tenants there are
    #[arg(long = "tenants", value_name = "NUMBER", requires = "diff")]
    diff_tenants: Option<u32>,
    /// Every scheduler, in the steady cycle and in churn
    #[arg(long, conflicts_with = "contender")]
    all: bool,
    /// How long each is sampled
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=600))]
    seconds: u32,
    /// Where pictures go [default: bench/flamegraphs/ where cargo builds]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

impl Flamegraph {
    pub(super) fn run(mut self) -> Answered {
        let out = std::path::absolute(self.out.take().unwrap_or_else(folder))
            .map_err(|error| BadInput::new(format!("the folder for pictures: {error}")))?;
        // As it is before anything is built: the source may change meanwhile.
        let mut environment = Environment::now("wall_time", 0, false);
        environment.command = command();
        let profiles = if let Some(sides) = self.diff.take() {
            self.state = self.diff_state.unwrap_or(self.state);
            self.tenants = self.diff_tenants.unwrap_or(self.tenants);
            self.difference((&sides[0], &sides[1]), &out, &mut environment)?
        } else {
            let names: Vec<String> = match &self.contender {
                Some(name) => vec![benchmark(self.state, name, self.tenants)],
                None => curated(self.tenants),
            };
            let source = runs::root();
            profiles(&source, &names, self.seconds, &out, &mut environment)?
        };
        let index = write_index(&out)?;
        environment.after = Load::now();
        let files = profiles
            .iter()
            .flat_map(|profile| [&profile.picture, &profile.folded]);
        let drawn = files.map(|file| file.strip_prefix(&out).unwrap_or(file).to_owned());
        Stamp::add(&out, environment, drawn)?;
        let mut table = Table::of_figures("", ["profile", "samples"].map(str::to_owned));
        let (mut fewest, mut pictures) = (u64::MAX, Vec::new());
        for profile in &profiles {
            let samples = profile.stacks()?.samples();
            fewest = fewest.min(samples);
            pictures.push(json!({ "picture": to_json(&profile.picture), "samples": samples }));
            table.row([profile.picture.display().to_string(), count(samples)]);
        }
        if fewest < SAMPLES_MIN {
            table.note(format!(
                "Under {} samples small frames mean nothing: give more --seconds.",
                count(SAMPLES_MIN)
            ));
        }
        table.note(format!("All: {}", index.display()));
        let fields = json!({ "index": to_json(&index), "pictures": pictures });
        Ok(Answer {
            common: self.common,
            document: self.common.document("flamegraph", fields),
            rows: "pictures",
            page: table.into(),
            ending: Ending::Well,
        })
    }

    /// Both profiles, and the picture of their difference beside them.
    fn difference(
        &self,
        (before, after): (&str, &str),
        out: &Path,
        environment: &mut Environment,
    ) -> Result<Vec<Profile>, Unanswered> {
        if before == after {
            return Err(Unanswered::Usage(format!(
                "both sides are {before}: name two contenders, or one of them at a commit"
            )));
        }
        for (_, revision) in [before, after]
            .iter()
            .filter_map(|side| side.split_once('@'))
        {
            commit_of(revision)?; // before minutes are spent on the other side
        }
        let (before, after) = (
            self.side(before, out, environment)?,
            self.side(after, out, environment)?,
        );
        let name = |profile: &Profile| profile.name.replace('/', " ");
        let picture = out.join(format!("{} over {}.svg", name(&after), name(&before)));
        let title = format!("{} over {}", after.name, before.name);
        draw_difference(&title, &before.stacks()?, &after.stacks()?, &picture)?;
        let difference = Profile {
            name: title,
            folded: after.folded.clone(),
            picture,
        };
        Ok(vec![before, after, difference])
    }

    /// The profile of a contender, here or at a commit.
    fn side(
        &self,
        side: &str,
        out: &Path,
        environment: &mut Environment,
    ) -> Result<Profile, Unanswered> {
        let (contender, revision) = side.split_once('@').unzip();
        let names = [benchmark(
            self.state,
            contender.unwrap_or(side),
            self.tenants,
        )];
        let one = |mut profiles: Vec<Profile>| profiles.remove(0);
        let Some(revision) = revision else {
            return profiles(&runs::root(), &names, self.seconds, out, environment).map(one);
        };
        let checkout = Checkout::of(revision)?;
        let out = out.join(&checkout.commit()[..12]);
        let mut profile =
            profiles(checkout.folder(), &names, self.seconds, &out, environment).map(one)?;
        profile.name = format!("{}@{}", profile.name, &checkout.commit()[..12]);
        Ok(profile)
    }
}

fn benchmark(state: State, contender: &str, tenants: u32) -> String {
    format!("{}/{contender}/{tenants}", state.name())
}

fn curated(tenants: u32) -> Vec<String> {
    let of_state = |state| {
        SCHEDULERS
            .iter()
            .map(move |scheduler| benchmark(state, scheduler.name, tenants))
    };
    CURATED.into_iter().flat_map(of_state).collect()
}

/// Profiles benchmarks of the source in a folder, one after the other, and notes the core that they say
/// they are pinned to.
fn profiles(
    source: &Path,
    names: &[String],
    seconds: u32,
    out: &Path,
    environment: &mut Environment,
) -> Result<Vec<Profile>, Unanswered> {
    let wanted: Vec<Profile> = names.iter().map(|name| of_benchmark(out, name)).collect();
    for profile in &wanted {
        let _ = std::fs::remove_file(&profile.folded); // what an earlier run left is none of this one
    }
    // The benchmarks could only say that they found no place for a picture.
    std::fs::create_dir_all(out)
        .map_err(|error| BadInput::new(format!("{}: {error}", out.display())))?;
    doing(&format!(
        "profiling {} benchmarks, {seconds} s each, after building them",
        names.len()
    ));
    let filter = format!("^({})$", names.join("|"));
    let bench = if filter.contains(State::Replay.name()) {
        "replay"
    } else {
        "wall_time"
    };
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let ran = Command::new(cargo)
        .current_dir(source)
        .args([
            "bench", "--quiet", "--locked", "-p", "benches", "--bench", bench,
        ])
        .args(["--", "--profile-time", &seconds.to_string(), &filter])
        .env("CARGO_TARGET_DIR", runs::target())
        .env(FOLDER, out)
        .env_remove("BENCH_SMOKE")
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| BadInput::new(format!("cargo: {error}")))?;
    let place = source.display();
    if !ran.status.success() {
        return Err(BadInput::new(format!(
            "{place}: the benchmarks did not run, as is said above"
        ))
        .into());
    }
    let said = String::from_utf8_lossy(&ran.stdout);
    if let Some(core) = said.lines().find_map(|line| line.strip_prefix(PINNED)) {
        core.clone_into(&mut environment.affinity);
    }
    if let Some(missing) = wanted.iter().find(|profile| !profile.folded.exists()) {
        let why = said.lines().find(|line| line.starts_with(NO_PROFILE));
        if let Some(why) = why {
            return Err(Unanswered::Usage(format!("{place}: {why}")));
        }
        return Err(Unanswered::Usage(format!(
            "{place}: no profile of {}: there is no such benchmark (`cargo bench -- --list` names them), or the commit is from before there were profiles",
            missing.name
        )));
    }
    Ok(wanted)
}
