//! `cargo bench --bench instructions`: what each operation of each scheduler takes, counted and not timed.

use std::alloc::System;
use std::process::ExitCode;

use benches::allocator::COUNTED;
use benches::counted::{Audit, Benchmark, Operation, Prepared, Scheduler};
use benches::failure::Failure;
use benches::workload::Job;
use schedulers::FairQueue;
use stats_alloc::StatsAlloc;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = COUNTED;

/// Expands to a module for each line of the registry, with a function for each operation, and `main`.
macro_rules! count_operations {
    ($($name:ident => $new:expr,)*) => {
        $(mod $name {
            use super::*;

            fn prepare(operation: Operation, tenants: u32) -> Box<Prepared<impl FairQueue<Job>>> {
                Prepared::ready(operation, tenants, |settings| $new(settings))
            }

            count_operations! {
                $name: push Push, take Take, complete Complete, cycle Cycle, wake Wake, cancel Cancel,
                idle_take IdleTake
            }
        })*

        fn main() -> ExitCode {
            benches::counted::main(&[$($name::SCHEDULER),*])
        }
    };
    ($name:ident: $($function:ident $operation:ident),*) => {
        $(
            #[iai_callgrind::library_benchmark(setup = prepare, teardown = close)]
            #[bench::t100(Operation::$operation, 100)]
            #[bench::t1000(Operation::$operation, 1_000)]
            #[bench::t10000(Operation::$operation, 10_000)]
            fn $function(
                prepared: Box<Prepared<impl FairQueue<Job>>>,
            ) -> Box<Prepared<impl FairQueue<Job>>> {
                prepared.run()
            }
        )*
        iai_callgrind::library_benchmark_group!(name = $name; benchmarks = $($function),*);
        iai_callgrind::main!(config = benches::counted::configuration(); library_benchmark_groups = $name);

        pub(super) const SCHEDULER: Scheduler = Scheduler {
            name: stringify!($name),
            benchmarks: &[$(
                benchmark(stringify!($function), 100, || audit(prepare(Operation::$operation, 100))),
                benchmark(stringify!($function), 1_000, || audit(prepare(Operation::$operation, 1_000))),
                benchmark(stringify!($function), 10_000, || audit(prepare(Operation::$operation, 10_000))),
            )*],
            run: main,
        };
    };
}
schedulers::for_each_scheduler!(count_operations);

const fn benchmark(
    operation: &'static str,
    tenants: u32,
    audit: fn() -> Result<Audit, Failure>,
) -> Benchmark {
    Benchmark {
        operation,
        tenants,
        audit,
    }
}

fn audit(prepared: Box<Prepared<impl FairQueue<Job>>>) -> Result<Audit, Failure> {
    let operations = prepared.operations();
    let before = COUNTED.stats();
    let done = prepared.run();
    let after = COUNTED.stats() - before;
    Ok(Audit {
        operations,
        tally: done.close()?,
        allocations: after.allocations + after.reallocations,
        bytes: after.bytes_allocated,
    })
}

fn close(prepared: Box<Prepared<impl FairQueue<Job>>>) {
    prepared
        .close()
        .unwrap_or_else(|failure| panic!("{failure}"));
}
