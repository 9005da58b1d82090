//! The floors of many threads: queues without tenants. Whose a job is rides in the job, and nobody is
//! protected from a burst.

use std::collections::VecDeque;

use crossbeam_queue::{ArrayQueue, SegQueue};
use parking_lot::Mutex;
use schedulers::Offer;

use crate::timed::shared::contender::SharedContender;
use crate::workload::Job;

/// One job at a time is all that a queue without locks offers; a batch is as many calls.
macro_rules! without_locks {
    ($floor:ty, $self:ident, $offer:ident => $push:expr) => {
        impl SharedContender for $floor {
            type Ticket = ();
            type Hands = ();

            #[inline(always)]
            fn push(&$self, $offer: Offer<Job>) {
                let _ = $push;
            }

            #[inline(always)]
            fn take(&self) -> Option<(Offer<Job>, ())> {
                Some((self.0.pop()?, ()))
            }

            #[inline(always)]
            fn complete(&self, (): ()) {}

            #[inline(always)]
            fn push_batch(&self, (): &mut (), offers: &mut Vec<Offer<Job>>) {
                for offer in offers.drain(..) {
                    self.push(offer);
                }
            }

            #[inline(always)]
            fn take_batch(&self, (): &mut (), max: usize, taken: &mut Vec<Offer<Job>>) {
                taken.extend(std::iter::from_fn(|| self.0.pop()).take(max));
            }

            fn reclaim(&self) -> Vec<Offer<Job>> {
                std::iter::from_fn(|| self.0.pop()).collect()
            }
        }
    };
}

/// Crossbeam's unbounded queue, linked blocks of 31 jobs: what every ratio is to.
#[derive(Default, Debug)]
pub struct SegFloor(SegQueue<Offer<Job>>);

without_locks!(SegFloor, self, offer => self.0.push(offer));

/// Crossbeam's bounded queue: one ring, a stamp beside each job.
#[derive(Debug)]
pub struct ArrayFloor(ArrayQueue<Offer<Job>>);

impl ArrayFloor {
    /// Room for so many jobs, at least 1.
    #[must_use]
    pub fn new(jobs_max: usize) -> Self {
        Self(ArrayQueue::new(jobs_max.max(1)))
    }
}

without_locks!(ArrayFloor, self, offer => self.0.push(offer));

/// The plain queue behind the lock that [`Locked`](schedulers::Locked) has. A batch takes it once.
#[derive(Default, Debug)]
pub struct MutexFloor(Mutex<VecDeque<Offer<Job>>>);

impl SharedContender for MutexFloor {
    type Ticket = ();
    type Hands = ();

    #[inline(always)]
    fn push(&self, offer: Offer<Job>) {
        self.0.lock().push_back(offer);
    }

    #[inline(always)]
    fn take(&self) -> Option<(Offer<Job>, ())> {
        Some((self.0.lock().pop_front()?, ()))
    }

    #[inline(always)]
    fn complete(&self, (): ()) {}

    #[inline(always)]
    fn push_batch(&self, (): &mut (), offers: &mut Vec<Offer<Job>>) {
        self.0.lock().extend(offers.drain(..));
    }

    #[inline(always)]
    fn take_batch(&self, (): &mut (), max: usize, taken: &mut Vec<Offer<Job>>) {
        let mut queue = self.0.lock();
        let count = max.min(queue.len());
        taken.extend(queue.drain(..count));
    }

    fn reclaim(&self) -> Vec<Offer<Job>> {
        self.0.lock().drain(..).collect()
    }
}
