//! The few ways in which figures are written.

use crate::number::real;

/// What stands where there is nothing to show.
pub const NOTHING: &str = "-";

/// Microseconds as milliseconds, with no more digits than there are.
#[must_use]
pub fn milliseconds(us: Option<u64>) -> String {
    us.map_or_else(|| NOTHING.to_owned(), |us| decimal(us, 1_000))
}

/// Microseconds as milliseconds, to a tenth.
#[must_use]
pub fn tenths_ms(us: Option<u64>) -> String {
    us.map_or_else(
        || NOTHING.to_owned(),
        |us| {
            let tenths = us / 100 + u64::from(us % 100 >= 50);
            format!("{}.{}", count(tenths / 10), tenths % 10)
        },
    )
}

/// A duration in the largest unit of which there is at least one, to three digits: for waits that
/// range from microseconds to days.
#[must_use]
pub fn duration(us: Option<u64>) -> String {
    const UNITS: [(u64, &str); 4] = [
        (3_600_000_000, "h"),
        (1_000_000, "s"),
        (1_000, "ms"),
        (1, "us"),
    ];
    let Some(us) = us else {
        return NOTHING.to_owned();
    };
    let Some((unit, name)) = UNITS.into_iter().find(|&(unit, _)| us >= unit) else {
        return "0".to_owned();
    };
    let value = real(us) / real(unit);
    let decimals = if value >= 100.0 || unit == 1 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.decimals$} {name}")
}

/// Microseconds as seconds, with no more digits than there are.
#[must_use]
pub fn seconds(us: Option<u64>) -> String {
    us.map_or_else(|| NOTHING.to_owned(), |us| decimal(us, 1_000_000))
}

/// `value / unit`, exactly, its whole part in groups of three digits. `unit` is a power of ten.
fn decimal(value: u64, unit: u64) -> String {
    let digits = unit.ilog10() as usize;
    let fraction = format!("{:0digits$}", value % unit);
    let whole = count(value / unit);
    match fraction.trim_end_matches('0') {
        "" => whole,
        fraction => format!("{whole}.{fraction}"),
    }
}

/// An integer in groups of three digits.
#[must_use]
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share as a percentage.
#[must_use]
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A real with so many decimals.
#[must_use]
pub fn fixed(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| NOTHING.to_owned(), |value| format!("{value:.decimals$}"))
}
