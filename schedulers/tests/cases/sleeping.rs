//! Workers with nothing to do, and workers with so much that they never rest.

use std::cell::Cell;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Waker};
use std::thread;
use std::time::Duration;

use schedulers::discipline::{ActiveList, Discipline};
use schedulers::{
    Cost, Head, LagMax, Limits, Locked, Settings, SharedFairQueue, Standing, Tenant, TenantQueue,
    Tenants, Waiting, Weight,
};
use tokio::runtime::Builder;

use super::A;

/// An active list that counts how often it is asked for a tenant.
#[derive(Debug)]
struct Counting(ActiveList);

static ASKED: AtomicUsize = AtomicUsize::new(0);

impl Discipline for Counting {
    type State = ();

    fn new(settings: &Settings) -> Self {
        Self(ActiveList::new(settings))
    }
    fn lag_max(&self) -> Option<LagMax> {
        self.0.lag_max()
    }
    fn enlist(&mut self, tenant: Tenant, head: Head, state: &mut ()) {
        self.0.enlist(tenant, head, state);
    }
    fn delist(&mut self, tenant: Tenant, head: Head, standing: Standing, state: &mut ()) {
        self.0.delist(tenant, head, standing, state);
    }
    fn select(&mut self, lanes: &mut impl Tenants<()>) -> Option<Tenant> {
        ASKED.fetch_add(1, Ordering::SeqCst);
        self.0.select(lanes)
    }
    fn served(&mut self, tenant: Tenant, cost: Cost, standing: Standing, state: &mut ()) {
        self.0.served(tenant, cost, standing, state);
    }
}

/// CASES 48: sidekiq/sidekiq/issues/1441. A worker looks, puts itself on the list and looks again:
/// the number of its looks says how often it woke, however long it slept.
#[test]
fn workers_with_nothing_to_do_sleep() {
    const WORKERS: usize = 4;
    const IDLE: Duration = Duration::from_millis(300);

    let queue = TenantQueue::<Counting, u64>::new(&Settings::default());
    let queue = Waiting::new(Locked::new(queue));
    for index in 0..4 {
        let limits = Limits {
            weight: Weight::new(index + 1).expect("in range"),
            ..Limits::default()
        };
        let changed = queue.configure(Tenant::new(index), limits);
        changed.expect("a small handle");
    }
    assert!(queue.take_timeout(IDLE).expect("not closed").is_none());
    assert_eq!(ASKED.swap(0, Ordering::SeqCst), 2);
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| queue.take_blocking().expect_err("no job ever comes"));
        }
        thread::sleep(IDLE);
        let asked = ASKED.load(Ordering::SeqCst);
        assert!(asked <= 2 * WORKERS, "{asked} looks at an idle queue");
        queue.close();
    });
}

/// Keeps a queue full and takes from it, until told to stop.
async fn take_and_take<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>, taken: &Cell<u64>, stop: u64) {
    queue.push(A, Cost::UNIT, 0).expect("no limits");
    while taken.get() < stop {
        let next = queue.take_async().await.expect("not closed");
        queue.complete(next.ticket, Cost::UNIT);
        queue.push(A, Cost::UNIT, 0).expect("no limits");
        taken.set(taken.get() + 1);
    }
}

/// What the documentation of `take_async` says.
const TAKES_IN_A_ROW_MAX: u64 = 128;

fn yields<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>) {
    let taken = Cell::new(0);
    let mut task = pin!(take_and_take(queue, &taken, 100 * TAKES_IN_A_ROW_MAX));
    for _ in 0..10 {
        let before = taken.get();
        let polled = task.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(polled.is_pending());
        assert!((1..=TAKES_IN_A_ROW_MAX).contains(&(taken.get() - before)));
    }
}

/// The timer's branch ends the other, or else the other ends by itself, too late.
fn lets_a_timer_fire<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>) {
    const FAR_TOO_MANY: u64 = 5_000_000;

    let runtime = Builder::new_current_thread().enable_time().build();
    let taken = Cell::new(0);
    runtime.expect("a runtime").block_on(async {
        let timer = async {
            tokio::time::sleep(Duration::from_millis(10)).await;
            taken.replace(FAR_TOO_MANY)
        };
        let ((), taken_by_then) = tokio::join!(take_and_take(queue, &taken, FAR_TOO_MANY), timer);
        assert!(taken_by_then < FAR_TOO_MANY, "the timer fired too late");
    });
}

macro_rules! each {
    ($($name:ident: $label:expr => $new:expr,)*) => {
        $(#[test]
        fn $name() {
            yields(&Waiting::new($new(&Settings::default())));
            lets_a_timer_fire(&Waiting::new($new(&Settings::default())));
        })*
    };
}

/// CASES 46: tokio-rs/tokio/issues/4612, tokio-rs/tokio/issues/2542, paxsonsa/murmer-rs/issues/6
mod an_always_full_queue_starves_nobody {
    use super::*;

    schedulers::for_each_shared_scheduler!(each);
}
