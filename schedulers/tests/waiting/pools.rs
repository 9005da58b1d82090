//! Whole pools: producers push and close, workers of every kind take until the end. Each job comes
//! out once, whoever waited for it; nobody waits for ever.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use schedulers::{Closed, Cost, SharedFairQueue, Taken, Tenant, Waiting};
use tokio::runtime::Builder;

use crate::capped;

const PRODUCERS: u64 = 2;
const WORKERS: usize = 3;
const JOBS_EACH: u64 = 500;
/// A cap below the number of workers, so that completions have to wake too.
const IN_FLIGHT_MAX: u32 = 1;

/// Producers in threads of their own; `work` gives the jobs that all workers took.
fn run<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>, work: impl FnOnce() -> Vec<u64>) {
    for tenant in 0..3 {
        let changed = queue.configure(Tenant::new(tenant), capped(IN_FLIGHT_MAX));
        changed.expect("a small handle");
    }
    let mut seen = thread::scope(|scope| {
        scope.spawn(|| {
            thread::scope(|producers| {
                for producer in 0..PRODUCERS {
                    producers.spawn(move || produce(queue, producer));
                }
            });
            queue.close();
        });
        work()
    });
    seen.sort_unstable();
    assert!(
        seen.into_iter().eq(0..PRODUCERS * JOBS_EACH),
        "each job exactly once"
    );
}

/// Now and then it waits until all is taken, so that workers fall asleep.
fn produce<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>, producer: u64) {
    for job in producer * JOBS_EACH..(producer + 1) * JOBS_EACH {
        let tenant = Tenant::new(u32::try_from(job % 3).expect("below 3"));
        queue.push(tenant, Cost::UNIT, job).expect("no limits");
        while job % 16 == 0 && !queue.is_empty() {
            thread::yield_now();
        }
    }
}

fn finish<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>, taken: Taken<u64>) -> u64 {
    queue.complete(taken.ticket, Cost::UNIT);
    taken.job
}

fn in_threads<Q: SharedFairQueue<u64>>(
    queue: &Waiting<Q>,
    take: impl Fn() -> Result<Taken<u64>, Closed> + Sync,
) {
    let work = || std::iter::from_fn(|| take().ok().map(|taken| finish(queue, taken))).collect();
    run(queue, || {
        thread::scope(|scope| {
            let workers = [(); WORKERS].map(|()| scope.spawn(work));
            let joined: [Vec<u64>; WORKERS] =
                workers.map(|worker| worker.join().expect("no panic"));
            joined.concat()
        })
    });
}

async fn work<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>) -> Vec<u64> {
    let mut seen = Vec::new();
    while let Ok(taken) = queue.take_async().await {
        seen.push(finish(queue, taken));
    }
    seen
}

pub(crate) fn threads_that_block<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>) {
    in_threads(queue, || queue.take_blocking());
}

pub(crate) fn threads_that_look_up_now_and_then<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>) {
    in_threads(queue, || {
        loop {
            if let Some(taken) = queue.take_timeout(Duration::from_micros(50))? {
                return Ok(taken);
            }
        }
    });
}

pub(crate) fn tasks_of_one_thread<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>) {
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    run(queue, || {
        let (first, second, third) =
            runtime.block_on(async { tokio::join!(work(queue), work(queue), work(queue)) });
        [first, second, third].concat()
    });
}

pub(crate) fn tasks_of_many_threads<Q>(queue: &Arc<Waiting<Q>>)
where
    Q: SharedFairQueue<u64> + Send + 'static,
{
    let runtime = Builder::new_multi_thread().worker_threads(2).build();
    let runtime = runtime.expect("a runtime");
    run(queue, || {
        let workers = [(); WORKERS].map(|()| {
            let queue = Arc::clone(queue);
            runtime.spawn(async move { work(&*queue).await })
        });
        let joined = workers.map(|worker| runtime.block_on(worker).expect("no panic"));
        joined.concat()
    });
}

pub(crate) fn tasks_without_a_runtime<Q: SharedFairQueue<u64>>(queue: &Waiting<Q>) {
    run(queue, || {
        thread::scope(|scope| {
            let workers = [(); WORKERS].map(|()| scope.spawn(|| pollster::block_on(work(queue))));
            let joined: [Vec<u64>; WORKERS] =
                workers.map(|worker| worker.join().expect("no panic"));
            joined.concat()
        })
    });
}
