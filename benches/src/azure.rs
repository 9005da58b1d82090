//! The real trace: requests to a code-completion service, as shipped in `traces/`.
//!
//! The trace names no tenants, so they are assigned by a rule, the same in every run: each request
//! belongs to one of N tenants at random, the k-th of them with a probability in proportion to 1/k
//! (Zipf's law of exponent 1), so that tenant 0 is the busiest. A request costs its context tokens
//! and generated tokens together. The pool works off exactly the trace's mean, so that a queue builds
//! up at every peak.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use schedulers::{Cost, Tenant};
use serde::Deserialize;

use crate::costs::Costs;
use crate::workload::{Arrival, SEED, Workload};

/// How many tenants the requests are spread over.
pub const TENANTS: u32 = 1_000;

/// The rule, in a line for the report.
pub const RULE: &str = "8,819 requests of the Azure LLM code trace 2023; tenants by Zipf (exponent 1) over 1,000, seeded; cost = tokens";

const CSV: &[u8] = include_bytes!("../traces/azure-llm-2023-code.csv");

/// A line of the file.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
struct Request {
    #[serde(rename = "TIMESTAMP")]
    time: String,
    #[serde(rename = "ContextTokens")]
    context_tokens: u32,
    #[serde(rename = "GeneratedTokens")]
    generated_tokens: u32,
}

fn parse(file: &[u8]) -> Result<Vec<Request>, csv::Error> {
    csv::Reader::from_reader(file).deserialize().collect()
}

/// Units of 100 ns since midnight, of a time like `2023-11-16 18:17:03.9799600`. The trace ends on the
/// day on which it begins.
fn ticks(time: &str) -> Option<u64> {
    let (_, time) = time.split_once(' ')?;
    let (clock, fraction) = time.split_once('.')?;
    if fraction.len() != 7 {
        return None;
    }
    let whole = clock
        .split(':')
        .try_fold(0, |sum, part| Some(sum * 60 + part.parse::<u64>().ok()?))?;
    Some(whole * 10_000_000 + fraction.parse::<u64>().ok()?)
}

/// The trace, spread over so many tenants.
///
/// # Panics
///
/// Not with the file as shipped, which a test reads.
#[must_use]
pub fn workload(tenants: u32) -> Workload {
    let requests = parse(CSV).expect("the shipped trace is CSV with three columns");
    let zipf = Zipf::new(tenants);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let arrival = |request: &Request| Arrival {
        tenant: zipf.draw(random.random()),
        cost: Cost::new(request.context_tokens + request.generated_tokens),
    };
    let arrivals: Vec<Arrival> = requests.iter().map(arrival).collect();
    Workload {
        tenants,
        costs: Costs::Tokens,
        known: Vec::new(),
        backlog: Vec::new(),
        due: due(&requests, &arrivals),
        arrivals,
    }
}

/// When each arrives, in the work of a pool that has done all of it when the last one comes.
fn due(requests: &[Request], arrivals: &[Arrival]) -> Vec<u64> {
    let time =
        |request: &Request| ticks(&request.time).expect("the shipped trace has times of one form");
    let times: Vec<u64> = requests.iter().map(time).collect();
    let (first, last) = (times[0], times[times.len() - 1]);
    let work: u64 = arrivals
        .iter()
        .map(|arrival| u64::from(arrival.cost.units()))
        .sum();
    times
        .iter()
        .map(|time| (time - first) * work / (last - first))
        .collect()
}

/// Zipf's law of exponent 1, by its inverse: the running sums of 1, 1/2, 1/3, ...
struct Zipf {
    sums: Vec<f64>,
}

impl Zipf {
    fn new(tenants: u32) -> Self {
        let weights = (1..=tenants).map(|rank| 1.0 / f64::from(rank));
        let sums = weights.scan(0.0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        });
        Self {
            sums: sums.collect(),
        }
    }

    /// The tenant at this fraction, 0 or more and below 1, of the whole.
    fn draw(&self, fraction: f64) -> Tenant {
        let point = fraction * self.sums.last().copied().unwrap_or(0.0);
        let index = self.sums.partition_point(|sum| *sum <= point);
        Tenant::new(u32::try_from(index).expect("as many sums as tenants"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read_and_the_last_column_is_a_number() {
        let requests = parse(CSV).unwrap();
        assert_eq!(requests.len(), 8_819);
        let last = requests.last().unwrap();
        assert_eq!((last.context_tokens, last.generated_tokens), (549, 173));
        let span = ticks(&last.time).unwrap() - ticks(&requests[0].time).unwrap();
        assert_eq!(span / 10_000_000, 3_435);
    }

    #[test]
    fn a_file_that_is_not_such_a_trace_is_refused() {
        assert!(parse(b"TIMESTAMP,ContextTokens,GeneratedTokens\r\nx,1,").is_err());
        assert!(parse(b"TIMESTAMP,ContextTokens,GeneratedTokens\r\nx,1").is_err());
        assert_eq!(ticks("2023-11-16 18:17:03"), None);
    }

    #[test]
    fn tenants_follow_the_law() {
        let zipf = Zipf::new(2);
        assert_eq!(zipf.draw(0.0), Tenant::new(0));
        assert_eq!(zipf.draw(0.66), Tenant::new(0));
        assert_eq!(zipf.draw(0.67), Tenant::new(1));
        assert_eq!(zipf.draw(0.999_999), Tenant::new(1));
    }

    #[test]
    fn the_pool_is_done_when_the_last_request_comes() {
        let workload = workload(TENANTS);
        let work: u64 = workload
            .arrivals
            .iter()
            .map(|arrival| u64::from(arrival.cost.units()))
            .sum();
        assert_eq!(work, 18_305_870);
        assert_eq!((workload.due[0], *workload.due.last().unwrap()), (0, work));
        assert!(workload.due.is_sorted());
    }
}
