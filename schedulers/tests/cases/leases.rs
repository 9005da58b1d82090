//! Jobs that hold their tenant's slot for long, or for ever.

use std::mem;
use std::sync::Arc;
use std::thread;

use schedulers::{
    Cost, Held, Lease, Leases, Limits, Settings, SharedFairQueue, Taken, Tenant, Waiting,
};

use super::{A, B};

const CAPACITY: u32 = 4;

/// Pushes a job and takes it; it is in flight with one of the tenant's four slots.
fn take<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>, tenant: Tenant) -> Taken<u64> {
    queue.push(tenant, Cost::UNIT, 0).expect("no limits");
    let taken = queue.take_blocking().expect("not closed");
    assert_eq!(taken.ticket.tenant(), tenant);
    taken
}

fn slots_come_back<Q>(queue: &Arc<Waiting<Q>>)
where
    Q: SharedFairQueue<u64> + Send + 'static,
{
    let limits = Limits {
        in_flight_max: CAPACITY,
        ..Limits::default()
    };
    queue.configure(A, limits).expect("a small handle");
    let leases = Leases::new();
    let lease = |taken, now| leases.lease(Arc::clone(queue), taken, now).1;

    // Four jobs never end. The tenant's fifth waits, its neighbour's does not, and the record says why.
    for second in 0..u64::from(CAPACITY) {
        mem::forget(lease(take(queue, A), second));
    }
    queue.push(A, Cost::UNIT, 5).expect("no limits");
    assert!(queue.take().is_none(), "A is parked");
    let neighbour = lease(take(queue, B), 100);
    let stuck = Held {
        tenant: A,
        leases: 4,
        oldest: 0,
    };
    let busy = Held {
        tenant: B,
        leases: 1,
        oldest: 100,
    };
    assert_eq!(leases.held(), [stuck, busy]);
    drop(neighbour);
    assert_eq!(leases.held(), [stuck]);

    // A worker that panics, one that panics while it panics, and a future that nobody finishes.
    let panics = lease(take(queue, B), 101);
    let worker = thread::spawn(move || {
        let _held = panics;
        panic!("in the middle of a job");
    });
    assert!(worker.join().is_err());
    let within = Arc::clone(queue);
    let panics = lease(take(queue, B), 102);
    let worker = thread::spawn(move || {
        struct TakesAnother<Q: SharedFairQueue<u64>>(Arc<Waiting<Q>>);
        impl<Q: SharedFairQueue<u64>> Drop for TakesAnother<Q> {
            fn drop(&mut self) {
                drop(take(&self.0, B).lease(&*self.0));
            }
        }
        let _held = panics;
        let _cleans_up = TakesAnother(within);
        panic!("in the middle of a job");
    });
    assert!(worker.join().is_err());
    let unfinished = lease(take(queue, B), 103);
    drop(async move {
        let _held = unfinished;
        std::future::pending::<()>().await;
    });
    assert_eq!(queue.in_flight(B), 0);
    assert_eq!(leases.held(), [stuck]);
}

macro_rules! slots_come_back_from_each {
    ($($name:ident: $label:expr => $new:expr,)*) => {
        $(#[test]
        fn $name() {
            slots_come_back(&Arc::new(Waiting::new($new(&Settings::default()))));
        })*
    };
}

/// CASES 23: kubernetes/kubernetes/issues/105409
mod slots_come_back_whatever_becomes_of_a_job_and_stuck_ones_are_visible {
    use super::*;

    schedulers::for_each_shared_scheduler!(slots_come_back_from_each);
}

/// A lease in an `Arc` can go wherever a task can.
#[test]
fn a_lease_can_live_in_a_spawned_task() {
    fn check<T: Send + 'static>() {}
    type Queue = schedulers::Locked<
        schedulers::TenantQueue<schedulers::discipline::ActiveList, Box<dyn FnOnce() + Send>>,
    >;
    check::<Lease<Box<dyn FnOnce() + Send>, Arc<Waiting<Queue>>>>();
}
