//! Azure Functions 2021 invocations: `app,func,end_timestamp,duration`, times in seconds.
//!
//! The tenant is the app. An invocation arrived at its end less its duration; ends go back and forth,
//! arrivals do not. It costs its duration, in milliseconds rounded up.

use super::csv_line::CsvLine;
use super::value::{duration_us, number, whole};
use super::{Format, FormatOptions, Parsed, Parser, Problem, Row};

const HEADING: &str = "app,func,end_timestamp,duration";

pub(super) const FORMAT: Format = Format {
    name: "azure-functions",
    cost_unit: "ms",
    service_us_per_unit: 1_000,
    recognises: |head| head.starts_with(HEADING),
    parser: |_: &FormatOptions| {
        Box::new(AzureFunctions {
            line: CsvLine::new(),
            heading_seen: false,
        })
    },
};

struct AzureFunctions {
    line: CsvLine,
    heading_seen: bool,
}

impl Parser for AzureFunctions {
    fn parse(&mut self, line: &str) -> Result<Parsed, Problem> {
        if line.is_empty() {
            return Ok(Parsed::Nothing);
        }
        if !self.heading_seen {
            self.heading_seen = true;
            if line == HEADING {
                return Ok(Parsed::Nothing);
            }
        }
        let fields = self.line.split(line)?;
        let [app, _, end, duration] = fields.as_slice() else {
            return Err(Problem::new(
                "wrong number of fields",
                format!("{} fields instead of 4", fields.len()),
            ));
        };
        let (end, duration) = (number("end_timestamp", end)?, number("duration", duration)?);
        if duration > end {
            return Err(Problem::new(
                "negative number",
                format!("it began before time 0: end {end}, duration {duration}"),
            ));
        }
        Ok(Parsed::Job(Row {
            arrival_us: duration_us("end_timestamp", end - duration, 1e6)?,
            tenant: Some((*app).to_owned()),
            cost: whole("duration", duration * 1e3)?,
            service_us: Some(duration_us("duration", duration, 1e6)?),
        }))
    }
}
