//! What a sharded queue does under the lock of one shard.

use super::paced::Paced;
use super::sharded::Sharded;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Mutex, MutexGuard};
use crate::{FairQueue, Offer, Pushed, Refusal, Refused, Taken, Tenant};

pub(super) struct Shard<Q> {
    pub(super) queue: Mutex<Q>,
    /// How many jobs wait in the queue: written under its lock.
    pub(super) len: AtomicUsize,
}

impl<Q: Paced> Sharded<Q> {
    /// Works the queue of a shard, and publishes what became of it; also where `work` panics, over a
    /// foreign ticket behind good ones.
    pub(super) fn with<J, R>(&self, shard: usize, work: impl FnOnce(&mut Q) -> R) -> R
    where
        Q: FairQueue<J>,
    {
        let queue = self.shards[shard].queue.lock();
        let mut queue = scopeguard::guard(queue, |queue| self.publish(shard, &*queue));
        queue.catch_up(self.due.reached());
        work(&mut queue)
    }

    /// Says how a queue stands. Its lock is held, so that nobody else says so of this shard.
    pub(super) fn publish<J>(&self, shard: usize, queue: &Q)
    where
        Q: FairQueue<J>,
    {
        self.due.publish(shard, queue.due());
        // Relaxed, with no partner: a number that publishes nothing.
        self.shards[shard].len.store(queue.len(), Ordering::Relaxed);
    }

    /// Takes from a shard while it is due and `max` allows, and gives how many.
    pub(super) fn take_due<J>(
        &self,
        shard: usize,
        mut queue: MutexGuard<'_, Q>,
        max: usize,
        keep: &mut impl FnMut(Taken<J>),
    ) -> usize
    where
        Q: FairQueue<J>,
    {
        let mut count = 0;
        let reached = self.due.reached();
        queue.catch_up(reached);
        while count < max
            && queue.due().is_some_and(|round| round <= reached)
            && let Some(Taken { job, ticket }) = queue.take()
        {
            let tenant = self.placement.tenant(shard, ticket.tenant());
            let ticket = ticket.of(tenant);
            keep(Taken { job, ticket });
            count += 1;
        }
        if count > 0 {
            self.publish(shard, &queue);
        }
        drop(queue);
        self.room.leave(count);
        count
    }

    /// Takes up to `max` jobs, as single takes would give them, and gives how many.
    pub(super) fn take_up_to<J>(&self, max: usize, mut keep: impl FnMut(Taken<J>)) -> usize
    where
        Q: FairQueue<J>,
    {
        let mut count = 0;
        while count < max {
            let visit = |shard: usize, is_patient: bool| {
                let lock = &self.shards[shard].queue;
                let queue = if is_patient {
                    Some(lock.lock())
                } else {
                    lock.try_lock()
                };
                queue.map(|queue| self.take_due(shard, queue, max - count, &mut keep))
            };
            match self.due.visit(visit) {
                Some(taken) => count += taken,
                None => break,
            }
        }
        count
    }

    /// A push, by whoever has the lock and room in the whole queue.
    pub(super) fn push_locked<J>(
        &self,
        queue: &mut Q,
        local: Tenant,
        Offer { tenant, cost, job }: Offer<J>,
    ) -> Pushed<J>
    where
        Q: FairQueue<J>,
    {
        if self.gate.is_shut() {
            let refusal = Refusal::Closed;
            return Err(Refused { job, refusal });
        }
        let pushed = queue.push(local, cost, job);
        pushed.map(|id| id.of(tenant)).map_err(|refused| Refused {
            refusal: refused.refusal.of(tenant, self.tenants_max),
            ..refused
        })
    }

    /// What a push is refused, without a look at its shard.
    pub(super) fn refusal_of_all(&self) -> Refusal {
        if self.gate.is_shut() {
            Refusal::Closed
        } else {
            self.room.refusal()
        }
    }
}
