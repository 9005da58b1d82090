//! The laws of a simulated run: what must hold whatever the scheduler and the trace.
//!
//! Read off the trace and the log alone, by counting; nothing of the drivers or measures is used but
//! the lag. The schedulers' own laws, operation by operation, are tested in `schedulers`.

use schedulers::{Cost, LagMax, Limits, Weight};

use crate::log::{Event, EventKind, Log};
use crate::measure::{Ledger, largest_lag};
use crate::trace::{Job, Trace, position};

/// Every way in which the run breaks a law; empty for a lawful one.
#[must_use]
pub fn broken_laws(
    trace: &Trace,
    log: &Log,
    limits: &Limits,
    promise: Option<LagMax>,
) -> Vec<String> {
    let mut court = Court::new(trace, log, limits);
    for (index, event) in log.events.iter().enumerate() {
        court.hear(event);
        let time_passes = log
            .events
            .get(index + 1)
            .is_none_or(|next| next.at_us > event.at_us);
        if time_passes {
            court.check_work_conserving(event.at_us);
        }
    }
    court.check_all_ended();
    if let Some(promise) = promise {
        court.check_lag(log, promise);
    }
    court.broken
}

/// How far a job has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Expected,
    Waiting,
    Refused,
    Running { since_us: u64 },
    Done,
}

/// What a tenant has waiting and running, and its last job that started.
#[derive(Clone, Copy, Default)]
struct Standing {
    waiting: u32,
    running: u32,
    last_started: Option<u32>,
}

struct Court<'a> {
    trace: &'a Trace,
    workers: u32,
    limits: &'a Limits,
    stages: Vec<Stage>,
    standings: Vec<Standing>,
    /// Tenants with work waiting and below their cap.
    eligible: u32,
    running: u32,
    broken: Vec<String>,
}

impl<'a> Court<'a> {
    fn new(trace: &'a Trace, log: &Log, limits: &'a Limits) -> Self {
        Self {
            trace,
            workers: log.workers,
            limits,
            stages: vec![Stage::Expected; trace.jobs().len()],
            standings: vec![Standing::default(); trace.tenants()],
            eligible: 0,
            running: 0,
            broken: Vec::new(),
        }
    }

    fn hear(&mut self, event: &Event) {
        let Event {
            at_us,
            job: number,
            kind,
        } = *event;
        let job = &self.trace.jobs()[number as usize];
        let stage = self.stages[number as usize];
        let (expected, next) = match kind {
            EventKind::Pushed => (
                stage == Stage::Expected && at_us == job.arrival_us,
                Stage::Waiting,
            ),
            EventKind::Refused | EventKind::RateLimited => (
                stage == Stage::Expected && at_us == job.arrival_us,
                Stage::Refused,
            ),
            EventKind::Started => (stage == Stage::Waiting, Stage::Running { since_us: at_us }),
            EventKind::Finished => {
                let since_us = at_us.checked_sub(job.service_us);
                (
                    since_us.is_some_and(|since_us| stage == Stage::Running { since_us }),
                    Stage::Done,
                )
            }
        };
        self.expect(expected, || {
            format!("job {number} was {kind:?} at {at_us} us, when it was {stage:?}")
        });
        self.stages[number as usize] = next;
        self.keep_count(event, job);
    }

    fn keep_count(&mut self, event: &Event, job: &Job) {
        let limits = *self.limits;
        let is_eligible =
            |standing: &Standing| standing.waiting > 0 && standing.running < limits.in_flight_max;
        let place = position(job.tenant);
        let before = self.standings[place];
        let mut after = before;
        match event.kind {
            EventKind::Pushed => {
                after.waiting += 1;
                self.expect(after.waiting <= limits.backlog_max, || {
                    format!("{} is beyond its backlog limit", job.tenant)
                });
            }
            EventKind::Refused => {
                self.expect(before.waiting >= limits.backlog_max, || {
                    format!("job {} was refused below the backlog limit", event.job)
                });
            }
            // By a limit that is not the queue's.
            EventKind::RateLimited => {}
            EventKind::Started => {
                self.expect(is_eligible(&before), || {
                    format!("{} was served and not eligible", job.tenant)
                });
                self.expect(before.last_started < Some(event.job), || {
                    format!(
                        "job {} of {} started after a later one",
                        event.job, job.tenant
                    )
                });
                after.waiting = after.waiting.saturating_sub(1);
                after.running += 1;
                after.last_started = Some(event.job);
                self.running += 1;
                let workers = self.workers;
                self.expect(self.running <= workers, || {
                    format!("more jobs run than {workers} workers can")
                });
            }
            EventKind::Finished => {
                after.running = after.running.saturating_sub(1);
                self.running = self.running.saturating_sub(1);
            }
        }
        self.standings[place] = after;
        self.eligible =
            self.eligible + u32::from(is_eligible(&after)) - u32::from(is_eligible(&before));
    }

    /// No time passes while a worker is free and a tenant eligible.
    fn check_work_conserving(&mut self, at_us: u64) {
        let idles = self.running < self.workers && self.eligible > 0;
        let eligible = self.eligible;
        self.expect(!idles, || {
            format!("a worker idles from {at_us} us on while {eligible} tenants are eligible")
        });
    }

    /// Every accepted job is done, unless a cap of 0 lets none start.
    fn check_all_ended(&mut self) {
        let left = self
            .stages
            .iter()
            .filter(|stage| !matches!(stage, Stage::Done | Stage::Refused))
            .count();
        self.expect(left == 0 || self.limits.in_flight_max == 0, || {
            format!("{left} jobs never came to an end")
        });
    }

    /// The scheduler keeps its promise between any two of the tenants with most work.
    fn check_lag(&mut self, log: &Log, promise: LagMax) {
        let ledger = Ledger::new(self.trace, log);
        let lag = largest_lag(self.trace, log, &ledger, |job| promise.share.of(job.cost));
        let cost_max = self
            .trace
            .jobs()
            .iter()
            .map(|job| job.cost)
            .max()
            .unwrap_or(Cost::ZERO);
        let kept = promise.allows((lag, Weight::ONE), (0, Weight::ONE), cost_max);
        self.expect(kept, || {
            format!(
                "the lag is {lag}, beyond the promised {promise:?} at costs up to {}",
                cost_max.units()
            )
        });
    }

    fn expect(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.broken.push(what());
        }
    }
}

#[cfg(test)]
mod tests {
    use schedulers::Settings;

    use super::*;
    use crate::drive::simulate;
    use crate::scenario::NoisyBurst;
    use crate::scheduler::SCHEDULERS;

    /// A lawful run of a small scenario, to be broken.
    fn lawful() -> (Trace, Log, Limits) {
        let burst = NoisyBurst {
            workers: 2,
            normal_tenants: 3,
            burst_jobs: 20,
            in_flight_max: Some(1),
            backlog_max: Some(8),
            ..NoisyBurst::default()
        };
        let (trace, pool) = (burst.trace().expect("sound"), burst.pool());
        let mut queue = SCHEDULERS[0].build(&pool.settings(&trace));
        let log = simulate(&trace, &pool, &mut queue);
        (trace, log, pool.limits)
    }

    fn broken_by(change: impl FnOnce(&mut Log)) -> Vec<String> {
        let (trace, mut log, limits) = lawful();
        change(&mut log);
        broken_laws(&trace, &log, &limits, None)
    }

    #[test]
    fn a_lawful_run_breaks_none() {
        assert_eq!(broken_by(|_| {}), Vec::<String>::new());
    }

    #[test]
    fn a_lost_job_is_found() {
        assert_ne!(
            broken_by(|log| log.events.truncate(log.events.len() - 1)),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_job_served_twice_is_found() {
        let again = |log: &mut Log| {
            let started = *log
                .events
                .iter()
                .find(|event| event.kind == EventKind::Started)
                .expect("one");
            log.events.insert(0, started);
        };
        assert_ne!(broken_by(again), Vec::<String>::new());
    }

    #[test]
    fn a_swapped_order_is_found() {
        let swap = |log: &mut Log| {
            let is_noisy_start =
                |event: &Event| event.kind == EventKind::Started && event.at_us >= 2_000_000;
            let places: Vec<usize> = (0..log.events.len())
                .filter(|&place| is_noisy_start(&log.events[place]))
                .collect();
            let (first, last) = (places[0], places[places.len() - 1]);
            let job = log.events[first].job;
            log.events[first].job = log.events[last].job;
            log.events[last].job = job;
        };
        assert_ne!(broken_by(swap), Vec::<String>::new());
    }

    #[test]
    fn a_worker_that_idles_is_found() {
        assert_ne!(broken_by(|log| log.workers += 1), Vec::<String>::new());
    }

    #[test]
    fn a_worker_too_many_is_found() {
        assert_ne!(broken_by(|log| log.workers -= 1), Vec::<String>::new());
    }

    #[test]
    fn a_broken_promise_is_found() {
        let burst = NoisyBurst::default();
        let (trace, pool) = (burst.trace().expect("sound"), burst.pool());
        let unfair = SCHEDULERS
            .iter()
            .find(|scheduler| scheduler.lag_max(&Settings::default()).is_none())
            .expect("one promises nothing");
        let log = simulate(&trace, &pool, &mut unfair.build(&pool.settings(&trace)));
        assert!(broken_laws(&trace, &log, &pool.limits, None).is_empty());
        assert!(!broken_laws(&trace, &log, &pool.limits, Some(LagMax::ONE_TURN)).is_empty());
    }
}
