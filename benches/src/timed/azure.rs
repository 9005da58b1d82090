//! The real trace: requests to a code-completion service, as shipped in `traces/`.
//!
//! The trace names no tenants, so they are assigned by a rule, the same in every run: each request
//! belongs to one of N tenants at random, the k-th of them with a probability in proportion to 1/k
//! (Zipf's law of exponent 1), so that tenant 0 is the busiest. A request costs its context tokens
//! and generated tokens together. The pool works off exactly the trace's mean, so that a queue builds
//! up at every peak.

use std::path::{Path, PathBuf};

use harness::trace::{self, Job, ReadOptions, Trace, Zipf};
use records::error::BadInput;
use schedulers::Tenant;

use crate::costs::Costs;
use crate::workload::{Arrival, SEED, Workload};

/// How many tenants the requests are spread over.
pub const TENANTS: u32 = 1_000;

/// The file, beside this crate.
fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("traces/azure-llm-2023-code.csv")
}

fn read(file: &Path) -> Result<Trace, BadInput> {
    let options = ReadOptions {
        format: Some("azure-llm".to_owned()),
        ..ReadOptions::default()
    };
    trace::read(file, &options).map(|source| source.trace)
}

/// The trace, spread over so many tenants.
///
/// # Panics
///
/// Without the file, which a test reads.
#[must_use]
pub fn workload(tenants: u32) -> Workload {
    let trace = read(&file()).expect("the trace is shipped with this crate");
    let mut zipf = Zipf::new(tenants, SEED);
    let arrival = |job: &Job| Arrival {
        tenant: tenant(zipf.draw()),
        cost: job.cost,
    };
    let arrivals: Vec<Arrival> = trace.jobs().iter().map(arrival).collect();
    Workload {
        tenants,
        costs: Costs::Tokens,
        known: Vec::new(),
        backlog: Vec::new(),
        due: due(trace.jobs(), &arrivals),
        arrivals,
    }
}

/// The tenant of a rank, which counts from 1.
fn tenant(rank: usize) -> Tenant {
    Tenant::new(u32::try_from(rank - 1).expect("as many ranks as tenants"))
}

/// When each arrives, in the work of a pool that has done all of it when the last one comes.
fn due(jobs: &[Job], arrivals: &[Arrival]) -> Vec<u64> {
    let last_us = jobs.last().map_or(1, |job| job.arrival_us.max(1));
    let work: u64 = arrivals
        .iter()
        .map(|arrival| u64::from(arrival.cost.units()))
        .sum();
    jobs.iter()
        .map(|job| job.arrival_us * work / last_us)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read_and_the_last_column_is_a_number() {
        let trace = read(&file()).unwrap();
        assert_eq!(trace.jobs().len(), 8_819);
        let last = trace.jobs().last().unwrap();
        assert_eq!(last.cost.units(), 549 + 173);
        assert_eq!(last.arrival_us / 1_000_000, 3_435);
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
