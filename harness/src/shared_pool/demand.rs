//! What arrives in a round: small requests by size, and scans at intervals.
//!
//! The arithmetic is exact to the last bit by its order: shares are added in rank order, and credit
//! is `416.67 x share x factor`, multiplied from the left.

use super::{Endpoint, SharedPool};
use records::number::{real, round};

/// Small requests that all tenants together send in a round.
const REQUESTS_PER_ROUND: f64 = 416.67;
/// Shipments that all tenants together hold: the size of a scan grows with them.
const SHIPMENTS: f64 = 400_000.0;
/// Shipments that a scan reads for one unit.
const SHIPMENTS_PER_UNIT: f64 = 100.0;
/// The first rank of those that grow on day A, and by how much.
const GROWING_FROM_RANK: usize = 6;
const GROWTH: f64 = 1.20;
/// How many times as often the largest tenant scans on day B.
const SCANS_MORE: f64 = 5.0;

/// One tenant's demand.
struct Source {
    /// Small requests earned in a round.
    earned: f64,
    /// Earned and not yet sent.
    credit: f64,
    scan_units: u32,
    scan_interval: u32,
}

/// Demand of all tenants, by rank.
pub(super) struct Demand {
    sources: Vec<Source>,
    chunk_units: u32,
}

impl Demand {
    pub(super) fn new(pool: &SharedPool) -> Self {
        let ranks = 1..=pool.tenant_count as usize;
        let inverse = |rank: usize| 1.0 / real(rank as u64);
        let sum: f64 = ranks.clone().map(inverse).sum();
        let source = |rank: usize| {
            let share = inverse(rank) / sum;
            let grows = pool.small_grew && rank >= GROWING_FROM_RANK;
            let scans_more = pool.largest_scans_fivefold && rank == 1;
            let shipments = round(share * SHIPMENTS);
            Source {
                earned: REQUESTS_PER_ROUND * share * if grows { GROWTH } else { 1.0 },
                credit: 0.0,
                scan_units: units(round(real(shipments) / SHIPMENTS_PER_UNIT)),
                scan_interval: if scans_more {
                    units(round(f64::from(pool.scan_interval_rounds) / SCANS_MORE))
                } else {
                    pool.scan_interval_rounds
                },
            }
        };
        Self {
            sources: ranks.map(source).collect(),
            chunk_units: pool.chunk_units,
        }
    }

    /// Calls `ask(tenant, endpoint, units)` for each request of the round, in order.
    pub(super) fn round(&mut self, round: u32, mut ask: impl FnMut(usize, Endpoint, u32)) {
        for (index, source) in self.sources.iter_mut().enumerate() {
            source.credit += source.earned;
            while source.credit >= 1.0 {
                source.credit -= 1.0;
                ask(index, Endpoint::Small, 1);
            }
            if (u64::from(round) + index as u64).is_multiple_of(u64::from(source.scan_interval)) {
                let (chunks, units) = chunked(source.scan_units, self.chunk_units);
                for _ in 0..chunks {
                    ask(index, Endpoint::Scan, units);
                }
            }
        }
    }
}

/// How many requests a request of so many units becomes, and of how many units each.
fn chunked(units: u32, chunk_units: u32) -> (u32, u32) {
    if chunk_units == 0 {
        return (1, units);
    }
    let chunks = units.div_ceil(chunk_units);
    (chunks, units.div_ceil(chunks))
}

/// At least one, and 32 bits.
fn units(count: u64) -> u32 {
    u32::try_from(count.max(1)).expect("shipments and intervals are 32 bits")
}
