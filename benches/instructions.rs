//! `cargo bench --bench instructions`: what each operation of each scheduler takes, counted and not timed.

use benches::contender::Job;
use benches::counted::{Operation, Prepared};
use schedulers::FairQueue;

macro_rules! count_operations {
    ($($name:ident => $new:expr,)*) => {
        $(mod $name {
            use super::*;

            fn prepare(operation: Operation, tenants: u32) -> Box<Prepared<impl FairQueue<Job>>> {
                Prepared::ready(operation, tenants, |settings| $new(settings))
            }

            count_operations! { $name: push Push, take Take, complete Complete, cycle Cycle, wake Wake,
                cancel Cancel, idle_take IdleTake }
        })*

        fn main() {
            match std::env::args().nth(2).as_deref() {
                $(Some(stringify!($name)) => $name::run(),)*
                _ => { $($name::run();)* }
            }
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
        iai_callgrind::main!(library_benchmark_groups = $name);
        pub(super) fn run() {
            main();
        }
    };
}
schedulers::for_each_scheduler!(count_operations);

fn close(prepared: Box<Prepared<impl FairQueue<Job>>>) {
    prepared.close().unwrap_or_else(|failure| panic!("{failure}"));
}
