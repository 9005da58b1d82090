//! Keys over dense tenants: the same jobs, pushed for the keys of their tenants.

use std::hash::{BuildHasherDefault, DefaultHasher};

use schedulers::keyed::{KeyedJob, KeyedRefusal, SharedKeyed, SharedKeyedTicket};
use schedulers::{Cost, Offer, Pushed, SharedFairQueue, Taken, Tenant};

use crate::timed::shared::contender::{SharedContender, hand_over};
use crate::workload::Job;

/// Std's hash function, with the same keys in every run.
type FixedSeed = BuildHasherDefault<DefaultHasher>;

/// What the queue under the keys holds.
pub type Keyed = KeyedJob<u64, Job>;

/// A scheduler whose tenants are keys of 64 bits, scattered over all of them.
#[derive(Debug)]
pub struct KeyedScheduler<Q>(SharedKeyed<u64, Q, FixedSeed>);

impl<Q: SharedFairQueue<Keyed>> KeyedScheduler<Q> {
    /// Keys over a queue without jobs.
    pub fn new(queue: Q) -> Self {
        Self(SharedKeyed::with_hasher(queue, FixedSeed::default()))
    }
}

/// Takes a tenant's handle to its key, and back: two odd numbers whose product is 1 modulo 2^64.
const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;
const GATHER: u64 = 0xf1de_83e1_9937_733d;
const _: () = assert!(SCATTER.wrapping_mul(GATHER) == 1);

const fn key(tenant: Tenant) -> u64 {
    (tenant.index() as u64).wrapping_mul(SCATTER)
}

#[allow(clippy::cast_possible_truncation)] // made of 32 bits
const fn tenant(key: u64) -> Tenant {
    Tenant::new(key.wrapping_mul(GATHER) as u32)
}

/// What a thread keeps: buffers that are empty between calls.
#[derive(Default, Debug)]
pub struct KeyedBuffers {
    taken: Vec<Taken<Job, SharedKeyedTicket<u64>>>,
    done: Vec<(SharedKeyedTicket<u64>, Cost)>,
    offers: Vec<Offer<Job, u64>>,
    pushed: Vec<Pushed<Job, KeyedRefusal>>,
}

impl<Q: SharedFairQueue<Keyed>> SharedContender for KeyedScheduler<Q> {
    type Ticket = SharedKeyedTicket<u64>;
    type Hands = KeyedBuffers;

    #[inline(always)]
    fn push(&self, offer: Offer<Job>) {
        let _ = self.0.push(&key(offer.tenant), offer.cost, offer.job);
    }

    #[inline(always)]
    fn take(&self) -> Option<(Offer<Job>, Self::Ticket)> {
        let taken = self.0.take()?;
        Some((offer(&taken), taken.ticket))
    }

    #[inline(always)]
    fn complete(&self, ticket: Self::Ticket) {
        let cost = ticket.cost();
        self.0.complete(ticket, cost);
    }

    #[inline(always)]
    fn push_batch(&self, hands: &mut KeyedBuffers, offers: &mut Vec<Offer<Job>>) {
        let keyed = offers.drain(..).map(|offer| Offer {
            tenant: key(offer.tenant),
            cost: offer.cost,
            job: offer.job,
        });
        hands.offers.extend(keyed);
        self.0.push_batch(&mut hands.offers, &mut hands.pushed);
        hands.pushed.clear();
    }

    #[inline(always)]
    fn take_batch(&self, hands: &mut KeyedBuffers, max: usize, taken: &mut Vec<Offer<Job>>) {
        self.0.take_batch(max, &mut hands.taken);
        hand_over(&mut hands.taken, offer, taken, &mut hands.done);
        self.0.complete_batch(&mut hands.done);
    }

    fn reclaim(&self) -> Vec<Offer<Job>> {
        let left = self.0.close_and_reclaim().into_iter();
        let again = |(key, job)| Offer {
            tenant: tenant(key),
            cost: Cost::UNIT,
            job,
        };
        left.map(again).collect()
    }
}

#[inline(always)]
fn offer(taken: &Taken<Job, SharedKeyedTicket<u64>>) -> Offer<Job> {
    Offer {
        tenant: tenant(*taken.ticket.key()),
        cost: taken.ticket.cost(),
        job: taken.job,
    }
}
