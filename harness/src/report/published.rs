//! The published noisy-burst figures: a real run on another machine, in Node.js. Quoted, not computed.

use crate::scenario::NoisyBurst;

/// One strategy's figures as published, in milliseconds and seconds.
pub(super) struct Published {
    pub(super) p50: &'static str,
    pub(super) p95: &'static str,
    pub(super) p99: &'static str,
    pub(super) noisy_done: &'static str,
    pub(super) refused: &'static str,
}

/// What was published for this strategy, if anything, and only for the published parameters.
pub(super) fn published(is_fair: bool, parameters: &NoisyBurst) -> Option<&'static Published> {
    let (in_flight_max, backlog_max) = (parameters.in_flight_max, parameters.backlog_max);
    let defaults = NoisyBurst {
        in_flight_max,
        backlog_max,
        ..NoisyBurst::default()
    };
    if *parameters != defaults {
        return None;
    }
    match (is_fair, in_flight_max, backlog_max) {
        (false, None, None) => Some(&Published {
            p50: "5,439",
            p95: "9,614",
            p99: "9,964",
            noisy_done: "10.1",
            refused: "0",
        }),
        (false, Some(4), None) => Some(&Published {
            p50: "0.045",
            p95: "0.113",
            p99: "0.193",
            noisy_done: "50.4",
            refused: "0",
        }),
        (true, Some(4), None) => Some(&Published {
            p50: "0.009",
            p95: "0.021",
            p99: "0.036",
            noisy_done: "50.4",
            refused: "0",
        }),
        (true, None, None) => Some(&Published {
            p50: "4.5",
            p95: "27.1",
            p99: "34.2",
            noisy_done: "12.2",
            refused: "0",
        }),
        (true, Some(4), Some(100)) => Some(&Published {
            p50: "0.008",
            p95: "0.016",
            p99: "0.037",
            noisy_done: "2.6",
            refused: "1,896",
        }),
        _ => None,
    }
}
