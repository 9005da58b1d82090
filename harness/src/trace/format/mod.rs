//! Trace formats: one file each, and the list of them. To add one, write its file and its line here.

mod azure_functions;
mod azure_llm;
mod columns;
mod csv_line;
mod mooncake;
mod swf;
mod value;

pub(super) use columns::NO_COLUMN;
pub use columns::{Columns, TimeUnit};
pub use swf::SwfCost;
pub(super) use value::{duration_us, number};

/// What a parser is set up with; each reads what concerns it.
#[derive(Clone, Default, Debug)]
pub(super) struct FormatOptions {
    /// Column names of the generic formats.
    pub(super) columns: Columns,
    /// In what unit they count time.
    pub(super) time_unit: TimeUnit,
    /// What an SWF job costs.
    pub(super) swf_cost: SwfCost,
}

/// Reads one line after another.
pub(super) trait Parser {
    /// What the line says.
    fn parse(&mut self, line: &str) -> Result<Parsed, Problem>;
}

/// What a line turned out to be.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Parsed {
    /// A job.
    Job(Row),
    /// A comment, a heading, a blank line: nothing is lost by passing over it.
    Nothing,
    /// A job that the format itself marks as lacking what a replay needs. Skipped and counted, even
    /// when reading strictly.
    Unknown(&'static str),
}

/// One job as a trace tells it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    /// When it arrived, from whatever instant the trace counts from.
    pub(super) arrival_us: u64,
    /// Whose it was; `None` where the format has no tenants.
    pub(super) tenant: Option<String>,
    /// In the unit of the format.
    pub(super) cost: u64,
    /// How long it took; `None` where the format tells only its cost.
    pub(super) service_us: Option<u64>,
}

/// Why a line cannot be read: which kind of problem, and what exactly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Problem {
    /// One of few kinds, for counting.
    pub(super) kind: &'static str,
    /// The value and where it stands.
    pub(super) detail: String,
}

impl Problem {
    pub(super) fn new(kind: &'static str, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
        }
    }
}

/// A format of traces that are read line by line.
#[derive(Clone, Copy)]
pub struct Format {
    /// What `--format` calls it.
    pub name: &'static str,
    /// What a unit of cost is.
    pub cost_unit: &'static str,
    /// How long a unit of cost keeps a worker busy, where the trace does not say it.
    pub(super) service_us_per_unit: u64,
    /// Whether a file that begins so is of this format.
    pub(super) recognises: fn(&str) -> bool,
    pub(super) parser: fn(&FormatOptions) -> Box<dyn Parser>,
}

/// Every line format, the most particular first: the first that recognises a file reads it.
pub const FORMATS: &[Format] = &[
    azure_llm::FORMAT,
    azure_functions::FORMAT,
    mooncake::FORMAT,
    swf::FORMAT,
    columns::JSONL,
    columns::CSV,
];

impl std::fmt::Debug for Format {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}
