//! Tenants by name: one with a burst, one with a cap, visitors who come once, and workers that tell whose
//! job they run. `cargo run --release --example keyed --features keyed`

use std::thread;

use schedulers::discipline::Rotation;
use schedulers::keyed::{KeyedJob, KeyedRefusal, SharedKeyed};
use schedulers::{Cost, Limits, Locked, Refused, Settings, TenantQueue};

/// `Arc<str>` in place of `String` would keep the text of each key once, not twice.
type Queue = SharedKeyed<String, Locked<TenantQueue<Rotation, KeyedJob<String, u32>>>>;

const WORKERS: usize = 2;
const VISITORS: u32 = 10_000;

fn main() -> Result<(), Refused<u32, KeyedRefusal>> {
    let queue: Queue = SharedKeyed::new(Locked::new(TenantQueue::new(&Settings::default())));

    // Limits by name, before the first job of the name or at any time after.
    let capped = Limits {
        in_flight_max: 1,
        backlog_max: 100,
        ..Limits::default()
    };
    queue
        .configure("globex", capped)
        .expect("the first tenant has room");

    for job in 0..1_000 {
        queue.push("initech", Cost::UNIT, job)?; // a burst
    }
    for job in 0..100 {
        queue.push("globex", Cost::UNIT, job)?;
    }
    let refused = queue.push("globex", Cost::UNIT, 100).unwrap_err();
    println!("job {} comes back: {refused}", refused.job);
    println!(
        "{} wait, {} of them for globex",
        queue.len(),
        queue.backlog("globex")
    );

    // The first of the visitors come while the burst still waits, and are served in turn with it.
    thread::scope(|scope| {
        let visitors = scope.spawn(|| {
            for visitor in 0..VISITORS {
                queue.push(&format!("visitor {visitor}"), Cost::UNIT, visitor)?;
            }
            queue.close();
            Ok::<(), Refused<u32, KeyedRefusal>>(())
        });
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(|| work(&queue))).collect();
        for worker in workers {
            let [initech, globex, visitors] = worker.join().expect("no job panics");
            println!(
                "a worker ran {initech} for initech, {globex} for globex, {visitors} for visitors"
            );
        }
        visitors.join().expect("no panic")
    })?;

    // Who came once is forgotten; who has limits of its own is not.
    let (mut known, mut is_globex_known) = (0, false);
    queue.for_each_key(|key| {
        known += 1;
        is_globex_known |= key == "globex";
    });
    println!("{known} of {} names are still known", VISITORS + 2);
    assert!(is_globex_known && known < 1_000);
    Ok(())
}

/// One worker: runs jobs until none will come, and counts for whom.
fn work(queue: &Queue) -> [u32; 3] {
    let mut served = [0; 3];
    while !(queue.is_closed() && queue.is_empty()) {
        let Some(taken) = queue.take() else {
            thread::yield_now(); // `Waiting` would sleep
            continue;
        };
        match taken.ticket.key().as_str() {
            "initech" => served[0] += 1,
            "globex" => {
                assert!(queue.in_flight("globex") <= 1);
                served[1] += 1;
            }
            _ => served[2] += 1,
        }
        queue.complete(taken.ticket, Cost::UNIT);
    }
    served
}
