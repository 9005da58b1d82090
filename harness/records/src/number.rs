//! Ratios and roundings: the few places where integers become reals and back.

/// An integer as a real. Exact below 2^53; beyond that, as near as a real can be.
#[must_use]
#[allow(clippy::cast_precision_loss)]
pub fn real(value: u64) -> f64 {
    value as f64
}

/// Half up to the next integer, saturating at both ends.
#[must_use]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn round(value: f64) -> u64 {
    (value + 0.5).floor() as u64
}

/// A part of a whole, 0 where there is no whole.
#[must_use]
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        real(part) / real(whole)
    }
}
