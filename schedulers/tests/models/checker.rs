//! The model checker in use, behind three names.

#[cfg(loom)]
pub(crate) use loom::{sync::Arc, thread};
#[cfg(shuttle)]
pub(crate) use shuttle::{sync::Arc, thread};

/// Checks a model under every schedule within the bound.
#[cfg(loom)]
pub(crate) fn check(model: impl Fn() + Send + Sync + 'static) {
    const PREEMPTIONS_MAX: usize = 2;
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(PREEMPTIONS_MAX);
    builder.max_branches = 20_000;
    builder.check(model);
}

/// Checks a model under random schedules.
#[cfg(shuttle)]
pub(crate) fn check(model: impl Fn() + Send + Sync + 'static) {
    const ITERATIONS: usize = 2_000;
    let iterations = std::env::var("SHUTTLE_ITERATIONS").ok();
    let iterations = iterations.and_then(|iterations| iterations.parse().ok());
    shuttle::check_random(model, iterations.unwrap_or(ITERATIONS));
}

/// Runs both at once, and gives what each gives.
pub(crate) fn both<A: Send + 'static, B>(
    one: impl FnOnce() -> A + Send + 'static,
    other: impl FnOnce() -> B,
) -> (A, B) {
    let one = thread::spawn(one);
    let other = other();
    (one.join().expect("no panic in a model"), other)
}
