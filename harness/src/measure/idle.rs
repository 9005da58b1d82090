//! Capacity that idles although work waits: what a cap costs.

use serde::Serialize;

use crate::log::{EventKind, Log};
use crate::trace::Trace;
use records::number::real;

/// Idle workers beside waiting work. A work-conserving pool without caps has none.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct Idle {
    /// Worker-time idle while work waited, as a share of all worker-time while work waited.
    pub idle_while_waiting_share: f64,
    /// The same as a mean number of workers.
    pub idle_workers_while_waiting: f64,
    /// The same up to the last arrival, before the run is only a drain: 12 of 20 in the noisy burst
    /// under a cap of 4.
    pub idle_workers_under_load: f64,
    /// Busy worker-time over all worker-time of the run.
    pub utilisation: f64,
}

/// Workers, summed over time. Worker-time needs 128 bits: it is a product.
#[derive(Clone, Copy, Default)]
struct WorkerTime {
    passed_us: u64,
    worker_us: u128,
}

impl WorkerTime {
    fn add(&mut self, workers: u64, passed_us: u64) {
        self.passed_us += passed_us;
        self.worker_us += u128::from(workers) * u128::from(passed_us);
    }

    #[allow(clippy::cast_precision_loss)] // a mean of that many microseconds needs no more digits
    fn workers_mean(&self) -> f64 {
        if self.passed_us == 0 {
            0.0
        } else {
            self.worker_us as f64 / real(self.passed_us)
        }
    }
}

/// Integrates idle workers over the time in which jobs waited.
#[must_use]
pub fn idle(trace: &Trace, log: &Log) -> Idle {
    let last_arrival_us = trace.jobs().last().map_or(0, |job| job.arrival_us);
    let [mut busy, mut idle, mut idle_under_load] = [WorkerTime::default(); 3];
    let (mut waiting, mut running) = (0_u64, 0_u64);
    let mut before_us = 0;
    for event in &log.events {
        let passed_us = event.at_us - before_us;
        busy.add(running, passed_us);
        if waiting > 0 {
            let free = u64::from(log.workers).saturating_sub(running);
            let loaded_us = event.at_us.min(last_arrival_us).saturating_sub(before_us);
            idle.add(free, passed_us);
            idle_under_load.add(free, loaded_us);
        }
        before_us = event.at_us;
        match event.kind {
            EventKind::Pushed => waiting += 1,
            EventKind::Started => {
                waiting -= 1;
                running += 1;
            }
            EventKind::Finished => running -= 1,
            EventKind::Refused | EventKind::RateLimited => {}
        }
    }
    let workers = f64::from(log.workers);
    Idle {
        idle_while_waiting_share: idle.workers_mean() / workers,
        idle_workers_while_waiting: idle.workers_mean(),
        idle_workers_under_load: idle_under_load.workers_mean(),
        utilisation: busy.workers_mean() / workers,
    }
}
