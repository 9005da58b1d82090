//! THE list of schedulers.
//!
//! Laws, benchmarks and reports expand one item for each line here. Delete a line and the scheduler
//! vanishes from all of them; add one and it is tested, timed and reported.

/// Calls `$callback!` with one line for every scheduler: `name => discipline type`.
///
/// ```
/// use schedulers::{Settings, TenantQueue};
///
/// macro_rules! names {
///     ($($name:ident => $discipline:ty,)*) => {
///         [$(stringify!($name)),*]
///     };
/// }
/// assert!(schedulers::for_each_scheduler!(names).contains(&"active_list"));
/// ```
#[macro_export]
macro_rules! for_each_scheduler {
    ($callback:ident) => {
        $callback! {
            fifo => $crate::discipline::Fifo,
            scan_all => $crate::discipline::ScanAll,
            active_list => $crate::discipline::ActiveList,
            rotation => $crate::discipline::Rotation,
            deficit_round_robin => $crate::discipline::DeficitRoundRobin,
        }
    };
}
