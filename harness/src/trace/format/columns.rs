//! Generic CSV and JSON lines with named columns: a time, and if there are such, a tenant and a cost.
//!
//! The time is a number in the unit that `--time-unit` says, or a calendar time. Without a column
//! for the tenant, tenants are drawn by the Zipf rule; without one for the cost, each job costs 1.

use serde_json::Value;

use super::csv_line::CsvLine;
use super::value::{duration_us, number, quoted, whole};
use super::{Format, FormatOptions, Parsed, Parser, Problem, Row};
use crate::trace::timestamp::parse_timestamp;

pub(super) const CSV: Format = Format {
    name: "csv",
    cost_unit: "unit",
    service_us_per_unit: 100_000,
    recognises: |head| {
        head.lines()
            .next()
            .is_some_and(|line| line.contains(',') || line == "time")
    },
    parser: |options| {
        Box::new(CsvColumns {
            options: options.clone(),
            line: CsvLine::new(),
            places: None,
        })
    },
};

pub(super) const JSONL: Format = Format {
    name: "jsonl",
    recognises: |head| head.starts_with('{'),
    parser: |options| {
        Box::new(JsonColumns {
            options: options.clone(),
        })
    },
    ..CSV
};

/// What the columns are called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Columns {
    /// When a job arrived.
    pub time: String,
    /// Whose it is. Optional, unless it was named by the user.
    pub tenant: Column,
    /// What it costs. Likewise.
    pub cost: Column,
}

/// An optional column: one that the user named must be there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    name: String,
    is_required: bool,
}

impl Default for Columns {
    fn default() -> Self {
        let optional = |name: &str| Column {
            name: name.to_owned(),
            is_required: false,
        };
        Self {
            time: "time".to_owned(),
            tenant: optional("tenant"),
            cost: optional("cost"),
        }
    }
}

impl std::str::FromStr for Columns {
    type Err = String;

    /// Reads `time=ts,tenant=user,cost=tokens`; what is not mentioned keeps its name.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut columns = Self::default();
        for part in text.split(',') {
            let (role, name) = part
                .split_once('=')
                .ok_or_else(|| format!("`{part}` is not ROLE=COLUMN"))?;
            let required = Column {
                name: name.to_owned(),
                is_required: true,
            };
            match role {
                "time" => columns.time = required.name,
                "tenant" => columns.tenant = required,
                "cost" => columns.cost = required,
                _ => return Err(format!("`{role}` is not time, tenant or cost")),
            }
        }
        Ok(columns)
    }
}

/// In what unit a trace counts time.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, clap::ValueEnum)]
pub enum TimeUnit {
    /// Seconds.
    #[default]
    S,
    /// Milliseconds.
    Ms,
    /// Microseconds.
    Us,
}

impl TimeUnit {
    fn us(self) -> f64 {
        match self {
            Self::S => 1e6,
            Self::Ms => 1e3,
            Self::Us => 1.0,
        }
    }
}

/// Texts of the three columns, as a row.
fn row(
    options: &FormatOptions,
    time: &str,
    tenant: Option<&str>,
    cost: Option<&str>,
) -> Result<Parsed, Problem> {
    let columns = &options.columns;
    let arrival_us = match parse_timestamp(time) {
        Some(us) => us,
        None => duration_us(
            &columns.time,
            number(&columns.time, time)?,
            options.time_unit.us(),
        )?,
    };
    let cost = cost.map_or(Ok(1), |cost| {
        whole(&columns.cost.name, number(&columns.cost.name, cost)?)
    })?;
    if tenant.is_some_and(|tenant| tenant.trim().is_empty()) {
        return Err(Problem::new(
            "blank field",
            format!("{} is blank", columns.tenant.name),
        ));
    }
    Ok(Parsed::Job(Row {
        arrival_us,
        tenant: tenant.map(str::to_owned),
        cost,
        service_us: None,
    }))
}

struct CsvColumns {
    options: FormatOptions,
    line: CsvLine,
    /// Known once the heading was read.
    places: Option<Places>,
}

/// Where the columns stand, and how many there are.
#[derive(Clone, Copy)]
struct Places {
    time: usize,
    tenant: Option<usize>,
    cost: Option<usize>,
    fields: usize,
}

impl Parser for CsvColumns {
    fn parse(&mut self, line: &str) -> Result<Parsed, Problem> {
        if line.is_empty() {
            return Ok(Parsed::Nothing);
        }
        let fields = self.line.split(line)?;
        let Some(places) = self.places else {
            self.places = Some(find_places(&self.options.columns, &fields)?);
            return Ok(Parsed::Nothing);
        };
        if fields.len() != places.fields {
            return Err(Problem::new(
                "wrong number of fields",
                format!("{} fields instead of {}", fields.len(), places.fields),
            ));
        }
        let at = |place: usize| fields[place];
        row(
            &self.options,
            at(places.time),
            places.tenant.map(at),
            places.cost.map(at),
        )
    }
}

fn find_places(columns: &Columns, heading: &[&str]) -> Result<Places, Problem> {
    let find = |name: &str| heading.iter().position(|field| field.trim() == name);
    let missing = |name: &str| {
        Problem::new(
            NO_COLUMN,
            format!(
                "no column {} in the heading {}",
                quoted(name),
                quoted(&heading.join(","))
            ),
        )
    };
    let find_optional = |column: &Column| match find(&column.name) {
        None if column.is_required => Err(missing(&column.name)),
        place => Ok(place),
    };
    Ok(Places {
        time: find(&columns.time).ok_or_else(|| missing(&columns.time))?,
        tenant: find_optional(&columns.tenant)?,
        cost: find_optional(&columns.cost)?,
        fields: heading.len(),
    })
}

/// The kind of problem with a heading: reading on makes no sense, leniently or not.
pub(in crate::trace) const NO_COLUMN: &str = "no such column";

struct JsonColumns {
    options: FormatOptions,
}

impl Parser for JsonColumns {
    fn parse(&mut self, line: &str) -> Result<Parsed, Problem> {
        if line.trim().is_empty() {
            return Ok(Parsed::Nothing);
        }
        let object: serde_json::Map<String, Value> = serde_json::from_str(line)
            .map_err(|error| Problem::new("not a JSON object", error.to_string()))?;
        let columns = &self.options.columns;
        let missing =
            |name: &str| Problem::new("blank field", format!("no field {}", quoted(name)));
        let optional = |column: &Column| match text(&object, &column.name)? {
            None if column.is_required => Err(missing(&column.name)),
            text => Ok(text),
        };
        let time = text(&object, &columns.time)?.ok_or_else(|| missing(&columns.time))?;
        row(
            &self.options,
            &time,
            optional(&columns.tenant)?.as_deref(),
            optional(&columns.cost)?.as_deref(),
        )
    }
}

/// A text or number; `None` where there is no such field, or null.
fn text(object: &serde_json::Map<String, Value>, name: &str) -> Result<Option<String>, Problem> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(other) => Err(Problem::new(
            "not a text or number",
            format!("{} is {}", quoted(name), quoted(&other.to_string())),
        )),
    }
}
