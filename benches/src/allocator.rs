//! The allocator that counts what it hands out.

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

/// A benchmark that counts memory makes it its `#[global_allocator]`.
pub static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;
