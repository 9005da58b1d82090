//! THE list of schedulers.
//!
//! Laws, benchmarks and reports expand one item for each line here. Delete a line and the scheduler
//! vanishes from all of them; add one and it is tested, timed and reported.

/// Calls `$callback!` with one line for every scheduler: `name => constructor`, where the
/// constructor takes [`&Settings`](crate::Settings) and gives a [`FairQueue`](crate::FairQueue) of
/// whatever jobs the caller pushes.
///
/// ```
/// use schedulers::{Cost, FairQueue, Settings, Tenant};
///
/// macro_rules! first_jobs {
///     ($($name:ident => $new:expr,)*) => {
///         vec![$({
///             let mut queue = $new(&Settings::default());
///             queue.push(Tenant::new(0), Cost::UNIT, stringify!($name)).unwrap();
///             queue.take().unwrap().job
///         }),*]
///     };
/// }
/// let names: Vec<&str> = schedulers::for_each_scheduler!(first_jobs);
/// assert!(names.contains(&"active_list"));
/// ```
#[macro_export]
macro_rules! for_each_scheduler {
    ($callback:ident) => {
        $callback! {
            fifo => $crate::TenantQueue::<$crate::discipline::Fifo, _>::new,
            scan_all => $crate::TenantQueue::<$crate::discipline::ScanAll, _>::new,
            active_list => $crate::TenantQueue::<$crate::discipline::ActiveList, _>::new,
            rotation => $crate::TenantQueue::<$crate::discipline::Rotation, _>::new,
            deficit_round_robin => $crate::TenantQueue::<$crate::discipline::DeficitRoundRobin, _>::new,
        }
    };
}
