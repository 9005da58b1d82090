//! The noisy burst with real workers, summed up over several runs, beside the simulation.

use serde::Serialize;

use super::BurstRecord;
use crate::log::{EventKind, Log};
use crate::measure::{Distribution, Spread};
use crate::scenario::{NOISY, NoisyBurst};
use crate::trace::Trace;

/// One scheduler under one strategy. Times are those of the shortened run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RunRecord {
    /// Its registered name.
    pub scheduler: String,
    /// Everything that was asked for, shortened.
    #[serde(flatten)]
    pub parameters: NoisyBurst,
    /// How often it was run.
    pub runs: usize,
    /// The neighbours' waits, from their intended arrivals.
    pub p50_us: Spread,
    /// Likewise.
    pub p95_us: Spread,
    /// Likewise.
    pub p99_us: Spread,
    /// Likewise.
    pub max_us: Spread,
    /// When the noisy tenant's last job was done, from its burst on.
    pub noisy_after_burst_us: Spread,
    /// Jobs of the noisy tenant that were served.
    pub noisy_done: Spread,
    /// Jobs refused.
    pub rejected: Spread,
    /// Idle workers beside waiting work, up to the last arrival: the median of the runs.
    pub idle_workers_under_load: f64,
    /// The neighbours' waits of all runs together.
    pub neighbour_waits: Distribution,
    /// How late jobs were pushed, of all runs together: what the generator adds to every wait.
    pub generator_lag: Distribution,
    /// What the simulation says.
    pub simulated: BurstRecord,
}

impl RunRecord {
    /// Sums up several runs of the same trace; at least one.
    #[must_use]
    pub fn new(simulated: BurstRecord, trace: &Trace, logs: &[Log]) -> Self {
        let parameters = simulated.parameters;
        let records: Vec<BurstRecord> = logs
            .iter()
            .map(|log| BurstRecord::new(&simulated.scheduler, &parameters, trace, log, 0))
            .collect();
        let spread =
            |figure: fn(&BurstRecord) -> Option<u64>| Spread::of(records.iter().map(figure));
        let mut idle: Vec<f64> = records
            .iter()
            .map(|record| record.idle.idle_workers_under_load)
            .collect();
        idle.sort_by(f64::total_cmp);
        let noisy = trace.find(NOISY);
        let events = || logs.iter().flat_map(|log| &log.events);
        let waits = events()
            .filter(|event| event.kind == EventKind::Started)
            .filter_map(|event| {
                let job = &trace.jobs()[event.job as usize];
                (Some(job.tenant) != noisy).then(|| event.at_us.saturating_sub(job.arrival_us))
            });
        let lateness = events()
            .filter(|event| {
                matches!(
                    event.kind,
                    EventKind::Pushed | EventKind::Refused | EventKind::RateLimited
                )
            })
            .map(|event| {
                event
                    .at_us
                    .saturating_sub(trace.jobs()[event.job as usize].arrival_us)
            });
        Self {
            scheduler: simulated.scheduler.clone(),
            parameters,
            runs: logs.len(),
            p50_us: spread(|record| record.p50_us),
            p95_us: spread(|record| record.p95_us),
            p99_us: spread(|record| record.p99_us),
            max_us: spread(|record| record.max_us),
            noisy_after_burst_us: spread(|record| record.noisy_after_burst_us),
            noisy_done: spread(|record| Some(record.noisy_done)),
            rejected: spread(|record| Some(record.rejected)),
            idle_workers_under_load: idle[(idle.len() - 1) / 2],
            neighbour_waits: Distribution::of(waits),
            generator_lag: Distribution::of(lateness),
            simulated,
        }
    }
}
