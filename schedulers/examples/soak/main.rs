//! A soak: every scheduler with many owners, worked by several threads for as many operations as are
//! asked for, with churn, caps, pauses, cancels and closes. Nothing may be lost, and memory stays flat.
//!
//! ```console
//! $ scripts/soak                        # 10^9 operations for each scheduler, by 2, 4 and 8 threads in turn
//! $ scripts/soak 1_000_000 4 7          # a million, by 4 threads, from seed 7
//! ```
//!
//! Exits with 3 if a job was lost, came out twice, exceeded a cap, or memory grew; 2 on other arguments.

mod worker;

use std::alloc::System;
use std::io::{IsTerminal, stderr};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use schedulers::laws::{Job, Tally};
use schedulers::{Settings, SharedFairQueue};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

use worker::{Soak, Worker, limits};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const OPERATIONS: u64 = 1_000_000_000;
const THREADS: &[u64] = &[2, 4, 8];
const SEED: u64 = 1;

const TENANTS: u32 = 1_000;
const BACKLOG_MAX: u32 = 10_000;
const IN_FLIGHT_MAX: u32 = 3;
/// Operations of all threads on one queue, before it is closed and another is built.
const OPERATIONS_OF_A_QUEUE: u64 = 2_000_000;
/// Bytes that a queue of so many tenants and jobs may hold at any time: some ten times its need.
const BYTES_MAX: usize = 8 << 20;
/// Bytes that may be allocated beyond those before, when a queue and its threads are gone. What was
/// given back last may wait for an epoch to pass, which the next queue brings; it does not add up.
const BYTES_KEPT_MAX: usize = 256 << 10;

const USAGE: &str = "usage: soak [OPERATIONS] [THREADS] [SEED]
  OPERATIONS  for each scheduler; 1_000_000_000 if not given
  THREADS     2 to 64; 2, 4 and 8 in turn if not given
  SEED        1 if not given
example: soak 1_000_000 4 7";

/// One queue from its making to its end; gives the operations and the most bytes held meanwhile.
fn soak_one(
    new: fn(&Settings) -> Box<dyn SharedFairQueue<Job>>,
    threads: u64,
    seed: u64,
    operations: u64,
) -> Result<(u64, usize), String> {
    let before = allocated();
    let queue = new(&Settings {
        backlog_max: BACKLOG_MAX,
        limits: limits(),
        ..Settings::default()
    });
    let soak = Soak {
        queue: &*queue,
        in_flight: (0..TENANTS).map(|_| AtomicUsize::new(0)).collect(),
        pushing: AtomicU64::new(threads),
        failed: AtomicBool::new(false),
    };
    let soak = &soak;
    let is_over = &AtomicBool::new(false);
    let (verdicts, bytes_max) = thread::scope(|scope| {
        let sampler = scope.spawn(move || {
            let mut bytes_max = 0;
            while !is_over.load(Ordering::SeqCst) {
                bytes_max = bytes_max.max(allocated().saturating_sub(before));
                thread::sleep(std::time::Duration::from_millis(1));
            }
            bytes_max
        });
        let work = |number: u64| {
            let mut worker = Worker {
                soak,
                random: Xoshiro256PlusPlus::seed_from_u64(
                    seed.wrapping_mul(101).wrapping_add(number),
                ),
                next_job: number << 40,
                pushed: Tally::default(),
                out: Tally::default(),
                ids: Vec::new(),
                tickets: Vec::new(),
                taken: Vec::new(),
                offers: Vec::new(),
                answers: Vec::new(),
            };
            let verdict = worker.work(operations / threads, number == 0, seed.is_multiple_of(2));
            soak.failed.fetch_or(verdict.is_err(), Ordering::Relaxed);
            verdict.map(|worked| (worked, worker.pushed, worker.out))
        };
        let workers: Vec<_> = (0..threads)
            .map(|number| scope.spawn(move || work(number)))
            .collect();
        let verdicts: Vec<_> = workers
            .into_iter()
            .map(|worker| {
                worker
                    .join()
                    .unwrap_or_else(|_| Err("a worker panicked".to_owned()))
            })
            .collect();
        is_over.store(true, Ordering::SeqCst);
        (verdicts, sampler.join().expect("it only samples"))
    });
    let (mut worked, mut pushed, mut out) = (0, Tally::default(), Tally::default());
    for verdict in verdicts {
        let (own, own_pushed, own_out) = verdict?;
        worked += own;
        pushed.merge(own_pushed);
        out.merge(own_out);
    }
    if pushed != out || !queue.is_empty() {
        let left = queue.len();
        return Err(format!(
            "{pushed:?} went in, {out:?} came out, and {left} are left"
        ));
    }
    drop(queue);
    if bytes_max > BYTES_MAX {
        return Err(format!(
            "a queue held {bytes_max} bytes, beyond {BYTES_MAX}"
        ));
    }
    Ok((worked, bytes_max))
}

fn allocated() -> usize {
    let stats = ALLOCATOR.stats();
    stats
        .bytes_allocated
        .saturating_sub(stats.bytes_deallocated)
}

type New = fn(&Settings) -> Box<dyn SharedFairQueue<Job>>;

macro_rules! list {
    ($($name:ident: $label:expr => $new:expr,)*) => {
        [$({
            let new: New = |settings| Box::new($new(settings));
            ($label, new)
        }),*]
    };
}

/// Every scheduler in turn; gives what failed.
fn soak_all(operations: u64, threads: &[u64], seed: u64) -> Result<(), String> {
    let is_terminal = stderr().is_terminal();
    for (label, new) in schedulers::for_each_shared_scheduler!(list) {
        let started = Instant::now();
        let (mut worked, mut bytes_max, mut queues) = (0, 0, 0_u64);
        let before = allocated();
        while worked < operations {
            let count = threads[usize::try_from(queues).expect("few") % threads.len()];
            let own = OPERATIONS_OF_A_QUEUE.min(operations - worked);
            let own_seed = seed.wrapping_add(queues);
            let (own, bytes) = soak_one(new, count, own_seed, own)
                .map_err(|what| format!("{label}, {count} threads, seed {own_seed}: {what}"))?;
            worked += own;
            bytes_max = bytes_max.max(bytes);
            queues += 1;
            let kept = allocated().saturating_sub(before);
            if kept > BYTES_KEPT_MAX {
                return Err(format!(
                    "{label}: {kept} bytes are kept after {queues} queues"
                ));
            }
            if is_terminal {
                eprint!("\r{label}: {worked} operations");
            }
        }
        if is_terminal {
            eprint!("\r\x1b[K");
        }
        println!(
            "{label}: {worked} operations, {queues} queues, {:.1} s, at most {bytes_max} bytes held, seed {seed}",
            started.elapsed().as_secs_f64(),
        );
    }
    Ok(())
}

fn main() -> ExitCode {
    let mut numbers = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.replace('_', "").parse::<u64>() {
            Ok(number) if numbers.len() < 3 => numbers.push(number),
            _ => {
                eprintln!("soak: {argument:?} is not understood\n{USAGE}");
                return ExitCode::from(2);
            }
        }
    }
    let operations = numbers.first().copied().unwrap_or(OPERATIONS);
    let threads = numbers
        .get(1)
        .map_or(THREADS.to_vec(), |&threads| vec![threads]);
    let seed = numbers.get(2).copied().unwrap_or(SEED);
    if operations == 0 || threads.iter().any(|threads| !(2..=64).contains(threads)) {
        eprintln!("soak: at least one operation, by 2 to 64 threads\n{USAGE}");
        return ExitCode::from(2);
    }
    match soak_all(operations, &threads, seed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("soak: {what}");
            ExitCode::from(3)
        }
    }
}
