//! Azure LLM inference traces: `TIMESTAMP,ContextTokens,GeneratedTokens`.
//!
//! From P. Patel et al., "Splitwise", ISCA 2024. No tenants. A request costs its tokens, read and
//! generated. Times have seven fractional digits and no zone.

use super::csv_line::CsvLine;
use super::value::{number, quoted, whole};
use super::{Format, FormatOptions, Parsed, Parser, Problem, Row};
use crate::trace::timestamp::parse_timestamp;

const HEADING: &str = "TIMESTAMP,ContextTokens,GeneratedTokens";

pub(super) const FORMAT: Format = Format {
    name: "azure-llm",
    cost_unit: "token",
    service_us_per_unit: 1_000,
    recognises: |head| head.starts_with(HEADING),
    parser: |_: &FormatOptions| {
        Box::new(AzureLlm {
            line: CsvLine::new(),
            heading_seen: false,
        })
    },
};

struct AzureLlm {
    line: CsvLine,
    heading_seen: bool,
}

impl Parser for AzureLlm {
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
        let [time, context, generated] = fields.as_slice() else {
            return Err(Problem::new(
                "wrong number of fields",
                format!("{} fields instead of 3", fields.len()),
            ));
        };
        let arrival_us = parse_timestamp(time).ok_or_else(|| {
            Problem::new(
                "not a time",
                format!("TIMESTAMP is not a time: {}", quoted(time)),
            )
        })?;
        let tokens = number("ContextTokens", context)? + number("GeneratedTokens", generated)?;
        let cost = whole("the number of tokens", tokens)?;
        Ok(Parsed::Job(Row {
            arrival_us,
            tenant: None,
            cost,
            service_us: None,
        }))
    }
}
