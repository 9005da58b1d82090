//! Mooncake request traces: JSON lines with `timestamp` in milliseconds, lengths and `hash_ids`.
//!
//! From R. Qin et al., "Mooncake", FAST 2025. A request costs its tokens, in and out. There is no
//! tenant; the second entry of `hash_ids` names the second block of the prompt, which requests of
//! one session share (the first is the common system prompt), so it serves as one. With fewer
//! entries, the last.

use serde::Deserialize;

use super::value::{duration_us, whole};
use super::{Format, FormatOptions, Parsed, Parser, Problem, Row};

pub(super) const FORMAT: Format = Format {
    name: "mooncake",
    cost_unit: "token",
    service_us_per_unit: 1_000,
    recognises: |head| {
        head.starts_with('{') && head.contains("\"hash_ids\"") && head.contains("\"input_length\"")
    },
    parser: |_: &FormatOptions| Box::new(Mooncake),
};

struct Mooncake;

#[derive(Deserialize)]
struct Request {
    timestamp: f64,
    input_length: u32,
    output_length: u32,
    #[serde(default)]
    hash_ids: Vec<u64>,
}

impl Parser for Mooncake {
    fn parse(&mut self, line: &str) -> Result<Parsed, Problem> {
        if line.trim().is_empty() {
            return Ok(Parsed::Nothing);
        }
        let request: Request = serde_json::from_str(line)
            .map_err(|error| Problem::new("not such a JSON object", error.to_string()))?;
        if request.timestamp < 0.0 {
            return Err(Problem::new(
                "negative number",
                format!("timestamp is negative: {}", request.timestamp),
            ));
        }
        let session = request.hash_ids.get(1).or(request.hash_ids.first());
        let tokens = f64::from(request.input_length) + f64::from(request.output_length);
        Ok(Parsed::Job(Row {
            arrival_us: duration_us("timestamp", request.timestamp, 1e3)?,
            tenant: Some(session.map_or("no session".to_owned(), ToString::to_string)),
            cost: whole("the number of tokens", tokens)?,
            service_us: None,
        }))
    }
}
