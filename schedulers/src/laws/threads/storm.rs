//! The law of caps and cancels, while limits change, tenants are paused and tenants leave.

use std::sync::atomic::Ordering;
use std::thread;

use super::pool::{Pool, TENANTS, join_all};
use super::{SharedLaw, SharedSubject};
use crate::laws::Job;
use crate::laws::law::Breach;
use crate::{Limits, Settings, SharedFairQueue, Tenant, Weight};

pub(super) const CAPS_AND_CANCELS_UNDER_THREADS: SharedLaw = SharedLaw {
    name: "caps_and_cancels_under_threads",
    statement: "while limits change, tenants are paused, resumed and removed, and jobs are cancelled as \
                they are taken, no cap is ever exceeded and each job is taken, cancelled or given back",
    verify: |subject, effort| {
        let mut operations = 0;
        for in_flight_max in [1, 2] {
            let pool = Pool::new(2, effort.operations / 16 + 1, effort.seed);
            operations += storm(subject, &pool, in_flight_max)?;
        }
        Ok(operations)
    },
};

fn storm(subject: &SharedSubject, pool: &Pool, in_flight_max: u32) -> Result<u64, Breach> {
    let limits = Limits {
        in_flight_max,
        ..Limits::default()
    };
    let queue = (subject.new)(&Settings {
        limits,
        ..Settings::default()
    });
    let queue = &*queue;
    let cap = in_flight_max as usize;
    pool.add_active();
    thread::scope(|scope| {
        let producers: Vec<_> = (0..pool.producers)
            .map(|producer| scope.spawn(move || push_and_cancel(pool, queue, producer)))
            .collect();
        let consumers: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| pool.consume(queue, cap).map(|_| ())))
            .collect();
        let operator = scope.spawn(|| operate(pool, queue, limits));
        let producers = join_all(producers);
        let operator = join_all([operator]);
        join_all(consumers).and(producers).and(operator)
    })?;
    pool.check_ended(queue)
}

/// Cancels each third of its jobs: just pushed, or a while ago, when it may be anywhere.
fn push_and_cancel(
    pool: &Pool,
    queue: &dyn SharedFairQueue<Job>,
    producer: u64,
) -> Result<(), Breach> {
    let _guard = pool.guard();
    let mut ids = Vec::new();
    for job in pool.jobs_of(producer) {
        if pool.has_failed() {
            break;
        }
        let offer = pool.offer(job);
        pool.accept(1);
        match queue.push(offer.tenant, offer.cost, offer.job) {
            Ok(id) => ids.push(id),
            Err(refused) => return pool.fail("an accepted push", refused.to_string()),
        }
        let random = pool.random(job ^ 0xCA);
        if random.is_multiple_of(3) {
            let age = usize::try_from(random / 3 % 8)
                .expect("below 8")
                .min(ids.len() - 1);
            if let Some(cancelled) = queue.cancel(ids[ids.len() - 1 - age]) {
                pool.enter(cancelled)?;
            }
        }
    }
    pool.end_active();
    Ok(())
}

/// Changes everything that can change but the cap, until the producers end; then lets all go.
fn operate(pool: &Pool, queue: &dyn SharedFairQueue<Job>, limits: Limits) -> Result<(), Breach> {
    let _guard = pool.guard();
    let known = |changed: Result<(), _>| changed.is_ok();
    for step in 0_u64.. {
        let random = pool.random(step ^ 0x57E9);
        let tenant = Tenant::new(u32::try_from(random % u64::from(TENANTS)).expect("small"));
        let weight = u32::try_from(random >> 40 & 7).expect("small") + 1;
        let weight = Weight::new(weight).expect("in range");
        let is_changed = match random >> 32 & 7 {
            0..=2 => known(queue.configure(tenant, Limits { weight, ..limits })),
            3 | 4 => known(queue.pause(tenant)),
            5 | 6 => known(queue.resume(tenant)),
            _ => {
                for job in queue.remove(tenant) {
                    pool.enter(job)?;
                }
                true
            }
        };
        let (len, begun) = (queue.len() as u64, pool.begun.load(Ordering::SeqCst));
        if !is_changed || len > begun {
            return pool.fail("a change, and a len of what was pushed", len.to_string());
        }
        if pool.has_failed() || pool.active() == 1 {
            break;
        }
        thread::yield_now();
    }
    // Whoever is still paused would wait for ever: consumers end when nothing is in flight.
    if !(0..TENANTS).all(|index| known(queue.resume(Tenant::new(index)))) {
        return pool.fail("a resumed tenant", "an unknown one".into());
    }
    pool.end_active();
    Ok(())
}
