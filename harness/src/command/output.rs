//! How an answer leaves: as a page, as JSON, as CSV or as Markdown.

use std::io::{ErrorKind, Write};

use clap::Args;
use serde_json::Value;

use crate::record::SCHEMA_VERSION;
use crate::report::csv_rows;
use records::error::BadInput;
use records::page::Page;

// What every verb takes: the form of its output, and the seed. No doc comment: where this is flattened it
// would stand in place of the verb's own in its help.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct Common {
    /// Print one JSON document (stable; its schema has a version)
    #[arg(long, group = "form")]
    json: bool,
    /// Print one CSV row for each result, with the field names of the JSON
    #[arg(long, group = "form")]
    csv: bool,
    /// Print the tables as Markdown, for a document
    #[arg(long, group = "form")]
    markdown: bool,
    /// Of everything that is drawn at random
    #[arg(long, default_value_t = 0)]
    pub(super) seed: u64,
}

/// What a verb has to say.
pub(super) struct Answer {
    pub(super) common: Common,
    /// What `--json` prints.
    pub(super) document: Value,
    /// The field of the document whose entries are the rows of `--csv`. Without such a field the
    /// document is the only row.
    pub(super) rows: &'static str,
    /// What people read.
    pub(super) page: Page,
    /// How it went.
    pub(super) ending: Ending,
}

/// How a verb ends that had something to say; the number is its exit code. Bad input ends with 1, and
/// says nothing but why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ending {
    /// Every expectation held.
    Well = 0,
    /// There was nothing to measure or compare, or no way to.
    Unmeasured = 2,
    /// An expectation failed.
    Failed = 3,
}

impl Ending {
    /// Of an expectation.
    pub(super) fn of(held: bool) -> Self {
        if held { Self::Well } else { Self::Failed }
    }
}

impl Common {
    /// A document: the version, the verb and the seed, then the fields.
    pub(super) fn document(self, verb: &str, fields: Value) -> Value {
        let Value::Object(fields) = fields else {
            panic!("a document is an object")
        };
        let mut document = serde_json::Map::new();
        document.insert("schema_version".to_owned(), SCHEMA_VERSION.into());
        document.insert("verb".to_owned(), verb.into());
        document.insert("seed".to_owned(), self.seed.into());
        document.extend(fields);
        Value::Object(document)
    }
}

/// An error or a warning: a line on standard error, whoever reads it. Progress is for a terminal alone.
pub(super) fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// A record as JSON.
pub(super) fn to_json(record: impl serde::Serialize) -> Value {
    serde_json::to_value(record).expect("records have text keys and finite numbers")
}

impl Answer {
    /// Prints it, and says how it went. A reader that closes the pipe has seen enough.
    pub(super) fn print(&self) -> Result<Ending, BadInput> {
        let text = if self.common.json {
            serde_json::to_string_pretty(&self.document).expect("a value is JSON") + "\n"
        } else if self.common.csv {
            match &self.document[self.rows] {
                Value::Array(records) => csv_rows(records),
                _ => csv_rows(std::slice::from_ref(&self.document)),
            }
        } else if self.common.markdown {
            self.page.markdown()
        } else {
            self.page.text()
        };
        let mut output = std::io::stdout().lock();
        match output
            .write_all(text.as_bytes())
            .and_then(|()| output.flush())
        {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(BadInput::new(format!(
                "cannot write to standard output: {error}"
            ))),
            _ => Ok(self.ending),
        }
    }
}
