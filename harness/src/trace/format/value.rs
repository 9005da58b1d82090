//! Values in fields: numbers that make sense, or a problem that names the field.

use super::Problem;
use crate::trace::TIME_US_MAX;
use records::number::round;

/// A finite number that is not negative.
pub(in crate::trace) fn number(field: &str, text: &str) -> Result<f64, Problem> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Problem::new("blank field", format!("{field} is blank")));
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        Ok(value) if value < 0.0 => Err(Problem::new(
            "negative number",
            format!("{field} is negative: {}", quoted(text)),
        )),
        _ => Err(Problem::new(
            "not a number",
            format!("{field} is not a number: {}", quoted(text)),
        )),
    }
}

/// A number of units of this many microseconds, to the nearest microsecond.
pub(in crate::trace) fn duration_us(field: &str, value: f64, unit_us: f64) -> Result<u64, Problem> {
    let us = round(value * unit_us);
    if us > TIME_US_MAX {
        return Err(Problem::new(
            "absurd time",
            format!("{field} is absurdly large: {value}"),
        ));
    }
    Ok(us)
}

/// A number of whole units; a fraction counts as a whole one, so that nothing becomes free.
pub(super) fn whole(field: &str, value: f64) -> Result<u64, Problem> {
    let units = round(value.ceil());
    if units > u64::from(u32::MAX) {
        return Err(Problem::new(
            "absurd cost",
            format!("{field} is absurdly large: {value}"),
        ));
    }
    Ok(units)
}

/// The start of a text, for a message.
pub(super) fn quoted(text: &str) -> String {
    const SHOWN: usize = 40;
    let start: String = text.chars().take(SHOWN).collect();
    format!(
        "{start:?}{}",
        if start.len() < text.len() { "..." } else { "" }
    )
}
