//! Every scheduler with many owners under the laws of threads: those of the registry, and the rest behind
//! a lock.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use schedulers::laws::{Effort, Job, SHARED_LAWS, SharedSubject};
use schedulers::{
    Cost, JobId, LagMax, Limits, Locked, Offer, Pushed, Refused, Settings, SharedFairQueue, Taken,
    Tenant, TenantQueue, Ticket, UnknownTenant, Weight, discipline::DeficitRoundRobin,
};

fn first_broken(
    subject: &SharedSubject,
    effort: &Effort,
) -> Option<Box<schedulers::laws::Violation>> {
    let mut verdicts = SHARED_LAWS.iter().map(|law| law.check(subject, effort));
    verdicts.find_map(Result::err)
}

macro_rules! hold_each {
    ($($name:ident: $label:expr => $new:expr,)*) => {
        $(#[test]
        fn $name() {
            let subject = SharedSubject {
                name: $label,
                new: |settings| Box::new($new(settings)),
            };
            if let Some(violation) = first_broken(&subject, &Effort::from_environment()) {
                panic!("{violation}");
            }
        })*
    };
}

/// CASES 37 (crossbeam-rs/crossbeam/issues/523), 42 (cameron314/concurrentqueue/issues/103) and 44
/// (cameron314/concurrentqueue/issues/157).
mod hold_the_laws {
    use super::*;

    schedulers::for_each_shared_scheduler!(hold_each);
}

/// Queues that are broken on purpose. Each fails, and first on the law that it breaks.
mod broken {
    use super::*;

    /// A right queue with a fault, and how many threads are in two of its methods.
    struct Faulty {
        queue: Locked<TenantQueue<DeficitRoundRobin, Job>>,
        fault: Fault,
        pushing: AtomicU64,
        taking: AtomicU64,
        is_closing: AtomicBool,
    }

    #[derive(Clone, Copy, PartialEq)]
    enum Fault {
        None,
        /// Of two takes at once, one gives a job that comes out again.
        Twice,
        /// A take that empties the queue while a push is under way loses its job.
        LostWithThePush,
        /// One job more than the cap may be in flight.
        OverTheCap,
        /// The first take after a close that finds nothing closes.
        ClosedLate,
        /// Gives back the last jobs first.
        ReclaimedBackwards,
        /// One tenant weighs more than it was given.
        Favourite,
    }

    fn first_broken_by(
        fault: fn(&Settings) -> Box<dyn SharedFairQueue<Job>>,
    ) -> Option<&'static str> {
        let subject = SharedSubject {
            name: "broken on purpose",
            new: fault,
        };
        first_broken(&subject, &Effort::new(20_000, 1)).map(|violation| violation.law)
    }

    #[test]
    fn a_right_queue_in_the_same_wrapping_breaks_no_law() {
        assert_eq!(
            first_broken_by(|settings| faulty(settings, Fault::None)),
            None
        );
    }

    #[test]
    fn giving_a_job_twice_breaks_exactly_once() {
        let first = first_broken_by(|settings| faulty(settings, Fault::Twice));
        assert_eq!(first, Some("exactly_once_under_threads"));
    }

    #[test]
    fn losing_the_last_job_to_a_push_breaks_exactly_once() {
        let first = first_broken_by(|settings| faulty(settings, Fault::LostWithThePush));
        assert_eq!(first, Some("exactly_once_under_threads"));
    }

    #[test]
    fn exceeding_a_cap_breaks_caps() {
        let first = first_broken_by(|settings| faulty(settings, Fault::OverTheCap));
        assert_eq!(first, Some("caps_and_cancels_under_threads"));
    }

    #[test]
    fn closing_late_breaks_close() {
        let first = first_broken_by(|settings| faulty(settings, Fault::ClosedLate));
        assert_eq!(first, Some("close_under_threads"));
    }

    #[test]
    fn giving_back_the_last_first_breaks_reclaim() {
        let first = first_broken_by(|settings| faulty(settings, Fault::ReclaimedBackwards));
        assert_eq!(first, Some("reclaim_under_threads"));
    }

    #[test]
    fn favouring_a_tenant_breaks_shares() {
        let first = first_broken_by(|settings| faulty(settings, Fault::Favourite));
        assert_eq!(first, Some("shares_under_threads"));
    }

    fn faulty(settings: &Settings, fault: Fault) -> Box<dyn SharedFairQueue<Job>> {
        let mut settings = *settings;
        if fault == Fault::OverTheCap {
            let cap = &mut settings.limits.in_flight_max;
            *cap = cap.saturating_add(1);
        }
        let queue = Faulty {
            queue: Locked::new(TenantQueue::new(&settings)),
            fault,
            pushing: AtomicU64::new(0),
            taking: AtomicU64::new(0),
            is_closing: AtomicBool::new(false),
        };
        if fault == Fault::Favourite {
            let weight = Weight::new(3).expect("in range");
            let limits = Limits {
                weight,
                ..settings.limits
            };
            queue
                .queue
                .configure(Tenant::new(5), limits)
                .expect("known");
        }
        Box::new(queue)
    }

    impl SharedFairQueue<Job> for Faulty {
        fn push(&self, tenant: Tenant, cost: Cost, job: Job) -> Result<JobId, Refused<Job>> {
            self.pushing.fetch_add(1, Ordering::SeqCst);
            std::thread::yield_now();
            let pushed = self.queue.push(tenant, cost, job);
            self.pushing.fetch_sub(1, Ordering::SeqCst);
            pushed
        }
        fn take(&self) -> Option<Taken<Job>> {
            let others = self.taking.fetch_add(1, Ordering::SeqCst);
            std::thread::yield_now();
            let taken = self.queue.take();
            self.taking.fetch_sub(1, Ordering::SeqCst);
            if taken.is_none() && self.is_closing.load(Ordering::SeqCst) {
                self.queue.close();
            }
            let taken = taken?;
            if self.fault == Fault::Twice && others > 0 && taken.job % 8 == 0 {
                let _ = self
                    .queue
                    .push(taken.ticket.tenant(), Cost::UNIT, taken.job);
            }
            let races = self.pushing.load(Ordering::SeqCst) > 0 && self.queue.is_empty();
            if self.fault == Fault::LostWithThePush && races {
                self.queue.complete(taken.ticket, Cost::UNIT);
                return None;
            }
            Some(taken)
        }
        fn release(&self, tenant: Tenant) -> bool {
            self.queue.release(tenant)
        }
        fn close(&self) {
            if self.fault == Fault::ClosedLate {
                self.is_closing.store(true, Ordering::SeqCst);
            } else {
                self.queue.close();
            }
        }
        fn is_closed(&self) -> bool {
            self.is_closing.load(Ordering::SeqCst) || self.queue.is_closed()
        }
        fn close_and_reclaim(&self) -> Vec<(Tenant, Job)> {
            let mut reclaimed = self.queue.close_and_reclaim();
            if self.fault == Fault::ReclaimedBackwards {
                reclaimed.reverse();
            }
            reclaimed
        }
        fn configure(&self, tenant: Tenant, limits: Limits) -> Result<(), UnknownTenant> {
            let more = u32::from(self.fault == Fault::OverTheCap);
            let in_flight_max = limits.in_flight_max.saturating_add(more);
            self.queue.configure(
                tenant,
                Limits {
                    in_flight_max,
                    ..limits
                },
            )
        }
        fn complete(&self, ticket: Ticket, actual: Cost) {
            self.queue.complete(ticket, actual);
        }
        fn cancel(&self, job: JobId) -> Option<Job> {
            self.queue.cancel(job)
        }
        fn pause(&self, tenant: Tenant) -> Result<(), UnknownTenant> {
            self.queue.pause(tenant)
        }
        fn resume(&self, tenant: Tenant) -> Result<(), UnknownTenant> {
            self.queue.resume(tenant)
        }
        fn remove(&self, tenant: Tenant) -> Vec<Job> {
            self.queue.remove(tenant)
        }
        fn backlog(&self, tenant: Tenant) -> usize {
            self.queue.backlog(tenant)
        }
        fn in_flight(&self, tenant: Tenant) -> usize {
            self.queue.in_flight(tenant)
        }
        fn len(&self) -> usize {
            self.queue.len()
        }
        fn lag_max(&self) -> Option<LagMax> {
            self.queue.lag_max()
        }
        fn take_batch(&self, max: usize, taken: &mut Vec<Taken<Job>>) -> usize {
            let before = taken.len();
            taken.extend(std::iter::from_fn(|| self.take()).take(max));
            taken.len() - before
        }
        fn push_batch(&self, offers: &mut Vec<Offer<Job>>, pushed: &mut Vec<Pushed<Job>>) {
            let push = |offer: Offer<Job>| self.push(offer.tenant, offer.cost, offer.job);
            pushed.extend(offers.drain(..).map(push));
        }
        fn complete_batch(&self, done: &mut Vec<(Ticket, Cost)>) {
            self.queue.complete_batch(done);
        }
    }
}
