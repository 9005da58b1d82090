//! THE list of schedulers.
//!
//! Laws, benchmarks and reports expand one item for each line here. Delete a line and the scheduler
//! vanishes from all of them; add one and it is tested, timed and reported.

/// The list, shown through a `$view` of it: each line says whether the scheduler has one owner or
/// many, its name, and its constructor from [`&Settings`](crate::Settings).
#[doc(hidden)]
#[macro_export]
macro_rules! registry {
    ($view:ident $callback:ident) => {
        $crate::$view! {
            $callback
            owned fifo => $crate::TenantQueue::<$crate::discipline::Fifo, _>::new,
            owned scan_all => $crate::TenantQueue::<$crate::discipline::ScanAll, _>::new,
            owned active_list => $crate::TenantQueue::<$crate::discipline::ActiveList, _>::new,
            owned rotation => $crate::TenantQueue::<$crate::discipline::Rotation, _>::new,
            owned deficit_round_robin => $crate::TenantQueue::<$crate::discipline::DeficitRoundRobin, _>::new,
            shared sharded => |settings: &$crate::Settings| $crate::Sharded::with_shards(
                settings,
                $crate::Shards::EIGHT,
                $crate::TenantQueue::<$crate::discipline::Rounds<$crate::discipline::ActiveList>, _>::new,
            ),
            shared lock_free => $crate::LockFree::<$crate::Turns, _>::new,
            shared lock_free_deficit => $crate::LockFree::<$crate::Deficits, _>::new,
        }
    };
}

/// Calls `$callback!` with one line for every scheduler: `name => constructor`, where the
/// constructor takes [`&Settings`](crate::Settings) and gives a [`FairQueue`](crate::FairQueue) of
/// whatever jobs the caller pushes. One with many owners comes as [`Lowered`](crate::Lowered).
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
        $crate::registry! { view_owned $callback }
    };
}

/// Calls `$callback!` with one line for every scheduler as a
/// [`SharedFairQueue`](crate::SharedFairQueue): `name: label => constructor`. One with a single owner
/// comes behind a lock, as [`Locked`](crate::Locked), and its label says so.
///
/// ```
/// use schedulers::{Cost, Settings, SharedFairQueue, Tenant};
///
/// macro_rules! first_jobs {
///     ($($name:ident: $label:expr => $new:expr,)*) => {
///         vec![$({
///             let queue = $new(&Settings::default());
///             std::thread::scope(|scope| {
///                 scope.spawn(|| queue.push(Tenant::new(0), Cost::UNIT, $label).unwrap());
///             });
///             queue.take().unwrap().job
///         }),*]
///     };
/// }
/// let labels: Vec<&str> = schedulers::for_each_shared_scheduler!(first_jobs);
/// assert!(labels.contains(&"locked active_list"));
/// ```
#[macro_export]
macro_rules! for_each_shared_scheduler {
    ($callback:ident) => {
        $crate::registry! { view_shared $callback }
    };
}

/// Every scheduler with one owner.
#[doc(hidden)]
#[macro_export]
macro_rules! view_owned {
    ($callback:ident $($kind:ident $name:ident => $new:expr,)*) => {
        $callback! { $($name => $crate::lower!($kind $new),)* }
    };
}

/// Every scheduler with many owners.
#[doc(hidden)]
#[macro_export]
macro_rules! view_shared {
    ($callback:ident $($kind:ident $name:ident => $new:expr,)*) => {
        $callback! { $($name: $crate::label!($kind $name) => $crate::lift!($kind $new),)* }
    };
}

/// The constructor of a queue with one owner.
#[doc(hidden)]
#[macro_export]
macro_rules! lower {
    (owned $new:expr) => {
        $new
    };
    (shared $new:expr) => {
        |settings: &$crate::Settings| $crate::Lowered($new(settings))
    };
}

/// The constructor of a queue with many owners.
#[doc(hidden)]
#[macro_export]
macro_rules! lift {
    (owned $new:expr) => {
        |settings: &$crate::Settings| $crate::Locked::new($new(settings))
    };
    (shared $new:expr) => {
        $new
    };
}

/// What a queue with many owners is called.
#[doc(hidden)]
#[macro_export]
macro_rules! label {
    (owned $name:ident) => {
        concat!("locked ", stringify!($name))
    };
    (shared $name:ident) => {
        stringify!($name)
    };
}
