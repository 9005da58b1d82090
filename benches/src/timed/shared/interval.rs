//! When a thread was at the queue, by its own clock.

use std::time::{Duration, Instant};

/// From the first operation of a thread to its last.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    /// Read by the thread before its first operation.
    pub start: Instant,
    /// Read by the thread after its last.
    pub end: Instant,
}

/// From the first thread's start to the last one's end.
#[must_use]
pub fn span(intervals: &[Interval]) -> Duration {
    let first = intervals.iter().map(|interval| interval.start).min();
    let last = intervals.iter().map(|interval| interval.end).max();
    let bounds = first.zip(last);
    bounds.map_or(Duration::ZERO, |(first, last)| last - first)
}

/// The part of the span in which all threads were at the queue: 1 where there is one thread, 0 where
/// two never met.
#[must_use]
pub fn overlap(intervals: &[Interval]) -> f64 {
    let last_start = intervals.iter().map(|interval| interval.start).max();
    let first_end = intervals.iter().map(|interval| interval.end).min();
    let bounds = last_start.zip(first_end);
    let common = bounds.map_or(Duration::ZERO, |(start, end)| {
        end.saturating_duration_since(start)
    });
    let span = span(intervals);
    if span.is_zero() {
        return 0.0;
    }
    common.as_secs_f64() / span.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The overlap of threads that were there in these milliseconds.
    fn overlap_of(times: &[(u64, u64)]) -> f64 {
        let zero = Instant::now();
        let at = |ms| zero + Duration::from_millis(ms);
        let interval = |&(start, end): &(u64, u64)| Interval {
            start: at(start),
            end: at(end),
        };
        overlap(&times.iter().map(interval).collect::<Vec<_>>())
    }

    #[test]
    fn overlap_is_what_all_share_of_what_any_had() {
        for (times, expected) in [
            (&[(0, 100)][..], 1.0),
            (&[(0, 100), (0, 100)], 1.0),
            (&[(0, 95), (5, 100)], 0.9),
            (&[(0, 100), (0, 100), (50, 100)], 0.5),
            (&[(0, 50), (50, 100)], 0.0),
            (&[(0, 40), (60, 100)], 0.0),
            (&[(0, 0)], 0.0),
            (&[], 0.0),
        ] {
            let found = overlap_of(times);
            assert!((found - expected).abs() < 1e-9, "{times:?}: {found}");
        }
    }
}
