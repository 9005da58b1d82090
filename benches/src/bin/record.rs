//! Keeps the results of a run, and puts its tables into the README.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use benches::results::Run;
use benches::splice::splice;
use benches::table::Style;
use benches::{archive, places, report};
use clap::{Parser, Subcommand};

/// The README does not say what the run found.
const DISAGREES: u8 = 3;

/// Something is missing or broken.
const COULD_NOT: u8 = 2;

/// Keeps benchmark results, and puts their tables into the README.
#[derive(Parser)]
#[command(after_help = "\
Examples:
  record keep                  the last `cargo bench`, to results/runs/<date>-<commit>/
  record splice                the tables of the last run kept, into README.md
  record splice --check        is README.md what the last run kept says?

Exit codes: 0 done, 2 could not (a message says why), 3 the README disagrees.")]
struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Copy the results of the last `cargo bench` to a folder of their own. Nothing is overwritten.
    Keep {
        /// Where the results are [default: bench/ where cargo builds]
        #[arg(long)]
        from: Option<PathBuf>,
    },
    /// Replace what stands between the markers `<!-- table:NAME begin -->` and `end`.
    Splice {
        /// The folder of the run [default: the last one under results/runs]
        #[arg(long)]
        run: Option<PathBuf>,
        /// The file with the markers [default: README.md]
        #[arg(long)]
        readme: Option<PathBuf>,
        /// A table more: what the file holds, under this name
        #[arg(long = "table", value_name = "NAME=FILE", value_parser = named_file)]
        tables: Vec<(String, PathBuf)>,
        /// Change nothing; exit with 3 if something would change.
        #[arg(long)]
        check: bool,
    },
}

fn main() -> ExitCode {
    let runs = places::root().join("results/runs");
    let done = match Arguments::parse().action {
        Action::Keep { from } => keep(&from.unwrap_or_else(places::last_run), &runs),
        Action::Splice {
            run,
            readme,
            tables,
            check,
        } => {
            let readme = readme.unwrap_or_else(|| places::root().join("README.md"));
            let run = run.map_or_else(|| archive::latest(&runs), Ok);
            run.and_then(|run| update(&readme, &run, &tables, check))
        }
    };
    done.unwrap_or_else(|message| {
        eprintln!("record: {message}");
        ExitCode::from(COULD_NOT)
    })
}

fn keep(from: &Path, runs: &Path) -> Result<ExitCode, String> {
    let kept = archive::keep(from, runs)?;
    println!("kept in {}", kept.display());
    Ok(ExitCode::SUCCESS)
}

fn named_file(argument: &str) -> Result<(String, PathBuf), String> {
    let (name, file) = argument.split_once('=').ok_or("give NAME=FILE")?;
    Ok((name.to_owned(), PathBuf::from(file)))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn update(
    readme: &Path,
    run: &Path,
    more: &[(String, PathBuf)],
    check: bool,
) -> Result<ExitCode, String> {
    let place = readme.display();
    let text = read(readme)?;
    let mut tables = tables_with_origin(run)?;
    for (name, file) in more {
        tables.insert(name.clone(), read(file)?.trim().to_owned());
    }
    let spliced = splice(&text, &tables).map_err(|error| format!("{place}: {error}"))?;
    if spliced == text {
        println!("{place} says what {} found", run.display());
        return Ok(ExitCode::SUCCESS);
    }
    if check {
        eprintln!(
            "{place} does not say what {} found: run `record splice`",
            run.display()
        );
        return Ok(ExitCode::from(DISAGREES));
    }
    fs::write(readme, spliced).map_err(|error| format!("{place}: {error}"))?;
    println!("spliced {place} from {}", run.display());
    Ok(ExitCode::SUCCESS)
}

/// Every table of a run kept, each with where it comes from, by name.
fn tables_with_origin(folder: &Path) -> Result<BTreeMap<String, String>, String> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut tables = BTreeMap::new();
    for (_, run) in archive::read(folder)? {
        let origin = origin(&run, &name);
        for table in report::tables(Style::Markdown, &run) {
            let text = format!("{}:\n\n{}\n\n{origin}", table.title, table.text);
            tables.insert(table.name, text);
        }
    }
    Ok(tables)
}

fn origin(run: &Run, folder: &str) -> String {
    let environment = &run.environment;
    format!(
        "`{}`, {} with {} cores, rustc {}: `results/runs/{folder}`.",
        environment.command, environment.cpu, environment.cores, environment.rustc
    )
}
