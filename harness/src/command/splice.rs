//! `splice`: puts the tables of a recorded run into the README.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::Answered;
use super::output::{Answer, Common, Ending, to_json};
use records::error::BadInput;
use records::page::Table;
use records::runs::{self, Environment, Named, splice};

const EXAMPLES: &str = "\
Examples:
  cargo lab splice --readme FILE         the tables of the last run kept, into a file
  cargo lab splice --readme FILE --check is the file what the last run kept says?
  cargo lab splice --table pool=FILE     a table more: what the file holds

README.md has tables of studies too: `scripts/report` runs those, and splices them and the last run.
Replaces what stands between the markers `<!-- table:NAME begin -->` and `<!-- table:NAME end -->`.
Exits with 3 if --check finds a difference; with 1 if a marker is missing for what --table names.";

/// Put the tables of a recorded run into README.md, or check that it says the same
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Splice {
    /// The folder of the run [default: the last one under results/runs]
    #[arg(long, value_name = "FOLDER")]
    run: Option<PathBuf>,
    /// The file with the markers [default: README.md]
    #[arg(long, value_name = "FILE")]
    readme: Option<PathBuf>,
    /// A table more: what the file holds, under this name
    #[arg(long = "table", value_name = "NAME=FILE", value_parser = named_file)]
    tables: Vec<(String, PathBuf)>,
    /// Change nothing; exit with 3 if something would change
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    common: Common,
}

fn named_file(argument: &str) -> Result<(String, PathBuf), String> {
    let (name, file) = argument.split_once('=').ok_or("give NAME=FILE")?;
    Ok((name.to_owned(), PathBuf::from(file)))
}

impl Splice {
    pub(super) fn run(self) -> Answered {
        let readme = self
            .readme
            .unwrap_or_else(|| runs::root().join("README.md"));
        let run = match self.run {
            Some(run) => run,
            None => runs::latest(&runs::kept_runs())?,
        };
        let text = read(&readme)?;
        let mut tables = tables_with_origin(&run)?;
        for (name, file) in self.tables {
            if !runs::has_marker(&text, &name) {
                let marker = format!("no marker `<!-- table:{name} begin -->` for --table {name}");
                return Err(BadInput::new(format!("{}: {marker}", readme.display())).into());
            }
            tables.insert(name, read(&file)?.trim().to_owned());
        }
        let (place, origin) = (readme.display(), run.display());
        let spliced =
            splice(&text, &tables).map_err(|error| BadInput::new(format!("{place}: {error}")))?;
        let agrees = spliced == text;
        if !agrees && !self.check {
            fs::write(&readme, spliced)
                .map_err(|error| BadInput::new(format!("{place}: {error}")))?;
        }
        let said = match (agrees, self.check) {
            (true, _) => format!("{place} says what {origin} found"),
            (false, true) => {
                format!("{place} does not say what {origin} found: run `scripts/report`")
            }
            (false, false) => format!("spliced {place} from {origin}"),
        };
        let fields = json!({ "file": to_json(&readme), "run": to_json(&run), "agreed": agrees });
        Ok(Answer {
            common: self.common,
            document: self.common.document("splice", fields),
            rows: "",
            page: Table::new(said, &[]).into(),
            ending: Ending::of(agrees || !self.check),
        })
    }
}

fn read(path: &Path) -> Result<String, BadInput> {
    fs::read_to_string(path).map_err(|error| BadInput::new(format!("{}: {error}", path.display())))
}

/// Every table of a run kept, each with where it comes from, by name.
fn tables_with_origin(folder: &Path) -> Result<BTreeMap<String, String>, BadInput> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut tables = BTreeMap::new();
    for (_, run) in runs::read(folder)? {
        let origin = origin(&run.environment, &name);
        add(&mut tables, runs::tables(&run), &origin);
    }
    if let Some(run) = runs::read_admission(folder)? {
        let origin = origin(&run.environment, &name);
        add(&mut tables, runs::admission_tables(&run), &origin);
    }
    for missing in runs::ADMISSION_TABLES {
        let none = || format!("Not measured yet: `results/runs/{name}` has no such table.");
        tables.entry(missing.to_owned()).or_insert_with(none);
    }
    Ok(tables)
}

fn add(tables: &mut BTreeMap<String, String>, named: Vec<Named>, origin: &str) {
    for Named { name, table } in named {
        let (title, grid) = (&table.title, table.markdown_grid());
        tables.insert(name, format!("{title}:\n\n{grid}\n\n{origin}"));
    }
}

fn origin(environment: &Environment, folder: &str) -> String {
    format!(
        "`{}`, {} with {} cores, rustc {}: `results/runs/{folder}`.",
        environment.command, environment.cpu, environment.cores, environment.rustc
    )
}
