//! Standard Workload Format, of the Parallel Workloads Archive: `;` comments, then 18 fields a line.
//!
//! Field 2 is the submit time in seconds, 4 the run time, 5 the processors, 12 the user; -1 means
//! unknown. The tenant is the user (`-1` is a tenant like any other: all unknown users together). A
//! job costs its run time, in seconds rounded up, or that times its processors, and occupies one
//! worker for as long. A job whose run time or submit time is unknown is skipped and counted. More
//! than 18 fields are read as 18.

use super::value::{duration_us, number, quoted, whole};
use super::{Format, FormatOptions, Parsed, Parser, Problem, Row};

const FIELDS_MIN: usize = 18;
/// Where fields stand, from 0.
const SUBMIT: usize = 1;
const RUN_TIME: usize = 3;
const PROCESSORS: usize = 4;
const USER: usize = 11;

pub(super) const FORMAT: Format = Format {
    name: "swf",
    cost_unit: "s",
    service_us_per_unit: 1_000_000,
    recognises: |head| {
        let is_job = |line: &str| {
            line.split_whitespace().count() >= FIELDS_MIN
                && line
                    .split_whitespace()
                    .take(SUBMIT + 1)
                    .all(|field| field.parse::<f64>().is_ok())
        };
        head.starts_with(';') || head.lines().next().is_some_and(is_job)
    },
    parser: |options: &FormatOptions| {
        Box::new(Swf {
            cost: options.swf_cost,
        })
    },
};

/// What an SWF job costs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, clap::ValueEnum)]
pub enum SwfCost {
    /// How long it ran.
    #[default]
    RunTime,
    /// How long it ran, times its processors.
    ProcessorTime,
}

struct Swf {
    cost: SwfCost,
}

impl Parser for Swf {
    fn parse(&mut self, line: &str) -> Result<Parsed, Problem> {
        let fields: Vec<&str> = line.split_whitespace().take(FIELDS_MIN).collect();
        if fields.first().is_none_or(|first| first.starts_with(';')) {
            return Ok(Parsed::Nothing);
        }
        if fields.len() < FIELDS_MIN {
            return Err(Problem::new(
                "wrong number of fields",
                format!("{} fields instead of {FIELDS_MIN}", fields.len()),
            ));
        }
        let (Some(submit), Some(run_time)) = (
            known("submit time", fields[SUBMIT])?,
            known("run time", fields[RUN_TIME])?,
        ) else {
            return Ok(Parsed::Unknown("submit time or run time is unknown (-1)"));
        };
        let cost = match self.cost {
            SwfCost::RunTime => run_time,
            SwfCost::ProcessorTime => match known("processors", fields[PROCESSORS])? {
                Some(processors) => run_time * processors,
                None => return Ok(Parsed::Unknown("number of processors is unknown (-1)")),
            },
        };
        let user = fields[USER];
        if user.parse::<f64>().is_err() {
            return Err(Problem::new(
                "not a number",
                format!("user is not a number: {}", quoted(user)),
            ));
        }
        Ok(Parsed::Job(Row {
            arrival_us: duration_us("submit time", submit, 1e6)?,
            tenant: Some(format!("user {user}")),
            cost: whole("run time", cost)?,
            service_us: Some(duration_us("run time", cost, 1e6)?),
        }))
    }
}

/// A number, or `None` where the format says -1.
fn known(field: &str, text: &str) -> Result<Option<f64>, Problem> {
    if text.parse::<f64>() == Ok(-1.0) {
        return Ok(None);
    }
    number(field, text).map(Some)
}
