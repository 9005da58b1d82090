//! Four threads serve a noisy tenant with 400 jobs and three quiet ones with a job each: who waits
//! how long, in arrival order and in turns. `cargo run --release --example worker_pool`

use std::thread;
use std::time::{Duration, Instant};

use schedulers::discipline::{Discipline, Fifo, Rotation};
use schedulers::{Cost, Locked, Refused, Settings, SharedFairQueue, Tenant, TenantQueue};

const NOISY: Tenant = Tenant::new(0);
const WORKERS: usize = 4;
const SERVICE: Duration = Duration::from_millis(5);

/// The longest wait of the noisy tenant, and of its neighbours.
type Waits = [Duration; 2];

fn run<D: Discipline<State: Send> + Send>() -> Result<Waits, Refused<Instant>> {
    let queue = Locked::new(TenantQueue::<D, Instant>::new(&Settings::default()));
    for _ in 0..400 {
        queue.push(NOISY, Cost::UNIT, Instant::now())?;
    }
    for quiet in 1..=3 {
        queue.push(Tenant::new(quiet), Cost::UNIT, Instant::now())?;
    }
    let waits = thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(|| work(&queue))).collect();
        let waits = workers.into_iter().map(|worker| worker.join().unwrap());
        waits.fold(Waits::default(), |longest, waits| {
            [longest[0].max(waits[0]), longest[1].max(waits[1])]
        })
    });
    Ok(waits)
}

/// One worker: runs jobs until none waits.
fn work(queue: &impl SharedFairQueue<Instant>) -> Waits {
    let mut waits = Waits::default();
    while let Some(taken) = queue.take() {
        let wait = &mut waits[usize::from(taken.ticket.tenant() != NOISY)];
        *wait = taken.job.elapsed().max(*wait);
        thread::sleep(SERVICE); // the job
        queue.complete(taken.ticket, Cost::UNIT);
    }
    waits
}

fn main() -> Result<(), Refused<Instant>> {
    for (order, [noisy, quiet]) in [
        ("in arrival order", run::<Fifo>()?),
        ("in turns", run::<Rotation>()?),
    ] {
        println!("{order}: noisy tenant waits {noisy:.0?} at most, its neighbours {quiet:.1?}");
    }
    Ok(())
}
