//! Keeps the results of a run.

fn main() {}
