//! A small service: eight tokio workers serve a noisy tenant, capped at four of them, and three
//! neighbours. One job panics, and its slot comes back; then the service drains and ends.
//! `cargo run --release --example tokio_pool`

use std::fmt;
use std::panic;
use std::sync::Arc;
use std::time::{Duration, Instant};

use schedulers::discipline::Rotation;
use schedulers::{Cost, Limits, Locked, Settings, SharedFairQueue, Tenant, TenantQueue, Waiting};
use tokio::time::sleep;

const NOISY: Tenant = Tenant::new(0);
const NEIGHBOURS: u32 = 3;
const WORKERS: usize = 8;
const SERVICE: Duration = Duration::from_millis(5);

type Queue = Waiting<Locked<TenantQueue<Rotation, Request>>>;

struct Request {
    arrived: Instant,
    poisoned: bool,
}

/// What a worker has seen, or all of them.
#[derive(Default)]
struct Seen {
    served: usize,
    panicked: usize,
    /// The longest wait of the noisy tenant, and of its neighbours.
    waits: [Duration; 2],
}

/// One worker: runs requests until the queue is closed and empty.
async fn work(queue: Arc<Queue>) -> Seen {
    let mut seen = Seen::default();
    while let Ok(taken) = queue.take_async().await {
        let (request, lease) = taken.lease(Arc::clone(&queue));
        let wait = &mut seen.waits[usize::from(lease.tenant() != NOISY)];
        *wait = request.arrived.elapsed().max(*wait);
        // A task of its own, so that a panic ends the request and not the worker. The lease goes with
        // it, and frees the tenant's slot either way.
        let handled = tokio::spawn(async move {
            let _lease = lease;
            handle(&request).await;
        });
        match handled.await {
            Ok(()) => seen.served += 1,
            Err(_) => seen.panicked += 1,
        }
    }
    seen
}

async fn handle(request: &Request) {
    sleep(SERVICE).await;
    if request.poisoned {
        panic::resume_unwind(Box::new("a panic that prints nothing"));
    }
}

fn push(queue: &Queue, tenant: Tenant, poisoned: bool) {
    let arrived = Instant::now();
    let pushed = queue.push(tenant, Cost::UNIT, Request { arrived, poisoned });
    if let Err(refused) = pushed {
        println!("refused: {refused}"); // a service would answer 429 or 503
    }
}

#[tokio::main]
async fn main() {
    let limits = Limits {
        in_flight_max: 4,
        backlog_max: 400,
        ..Limits::default()
    };
    let settings = Settings {
        limits,
        ..Settings::default()
    };
    let queue = Arc::new(Waiting::new(Locked::new(TenantQueue::new(&settings))));
    for job in 0..401 {
        push(&queue, NOISY, job == 100); // one more than it may have waiting
    }
    let workers = [(); WORKERS].map(|()| tokio::spawn(work(Arc::clone(&queue))));
    for _ in 0..20 {
        for neighbour in 1..=NEIGHBOURS {
            push(&queue, Tenant::new(neighbour), false);
        }
        sleep(Duration::from_millis(25)).await;
    }
    queue.close(); // what waits is still served

    let mut all = Seen::default();
    for worker in workers {
        all.add(&worker.await.expect("a request's panic stays in its task"));
    }
    println!("{all}");
    let in_flight = (0..=NEIGHBOURS).map(|tenant| queue.in_flight(Tenant::new(tenant)));
    println!("slots still held: {}", in_flight.sum::<usize>());
}

impl Seen {
    fn add(&mut self, other: &Self) {
        self.served += other.served;
        self.panicked += other.panicked;
        for (wait, other) in self.waits.iter_mut().zip(other.waits) {
            *wait = other.max(*wait);
        }
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            served,
            panicked,
            waits: [noisy, neighbours],
        } = self;
        writeln!(formatter, "{served} requests served, {panicked} panicked")?;
        write!(
            formatter,
            "the noisy tenant waited {noisy:.1?} at most, its neighbours {neighbours:.1?}"
        )
    }
}
