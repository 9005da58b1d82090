//! Flamegraphs: where the nanoseconds of a scheduler go.
//!
//! The benchmarks sample stacks; here they are cut to the timed loop, given names that a person can read,
//! kept as folded text, and drawn.

mod draw;
mod frame;
mod index;
mod profile;
mod stacks;

pub use draw::{draw, draw_difference};
pub use frame::readable;
pub use index::write_index;
pub use profile::{FOLDER, NO_PROFILE, PINNED, Profile, folder, of_benchmark};
pub use stacks::{SAMPLES_MIN, Stacks};
