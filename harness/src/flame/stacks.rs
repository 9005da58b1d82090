//! Sampled stacks, as text: a line for each, its frames from the outermost on, and how often it was seen.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::frame::{is_ours, readable};
use records::error::BadInput;

/// Fewer samples than this tell only the widest frames apart.
pub const SAMPLES_MIN: u64 = 1_000;

/// What is sampled is in here, and in the batch that it calls; everything else is preparation.
const SAMPLING: &str = "Trial as Sampled>::sample";
const BATCH: &str = "Driven>::batch";

/// Stacks and how often each was seen.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Stacks {
    counts: BTreeMap<String, u64>,
    outside: u64,
}

impl Stacks {
    /// Adds a stack, its frames from the outermost on, by their full names. Of one from within a timed
    /// batch, what is outside the batch is cut; others are only counted.
    pub fn add<'a>(&mut self, frames: impl Iterator<Item = &'a str>, count: u64) {
        // Of the libraries under this project, the function that it calls: not those that one calls in turn.
        let mut was_ours = true;
        let is_shown = |name: &&str| {
            let is_ours = is_ours(name);
            std::mem::replace(&mut was_ours, is_ours) || is_ours
        };
        let frames: Vec<String> = frames.filter(is_shown).map(readable).collect();
        let after = |from: usize, end: &str| {
            let found = frames[from..].iter().position(|frame| frame.ends_with(end));
            found.map(|index| from + index + 1)
        };
        let batch = after(0, SAMPLING).and_then(|sampling| after(sampling, BATCH));
        match batch {
            Some(batch) if batch < frames.len() => {
                // Frames of the clock's closure stand between the batch and the loop.
                let is_glue =
                    |frame: &&String| frame.contains("timed") || frame.contains("{{closure}}");
                let inner: Vec<&str> = frames[batch..]
                    .iter()
                    .filter(|frame| !is_glue(frame))
                    .map(String::as_str)
                    .collect();
                *self.counts.entry(inner.join(";")).or_default() += count;
            }
            _ => self.outside += count,
        }
    }

    /// How many samples fell into the timed batches.
    #[must_use]
    pub fn samples(&self) -> u64 {
        self.counts.values().sum()
    }

    /// How many did not, and are not shown: making queues and auditing them.
    #[must_use]
    pub fn outside(&self) -> u64 {
        self.outside
    }

    /// As folded text.
    #[must_use]
    pub fn folded(&self) -> String {
        self.counts
            .iter()
            .fold(String::new(), |mut text, (stack, count)| {
                let _ = writeln!(text, "{stack} {count}");
                text
            })
    }

    /// From folded text.
    ///
    /// # Errors
    ///
    /// A line does not end with a count; it is named.
    pub fn of_folded(file: &str, text: &str) -> Result<Self, BadInput> {
        let mut stacks = Self::default();
        for (index, line) in text.lines().enumerate() {
            let parts = line.rsplit_once(' ');
            let parsed = parts.and_then(|(stack, count)| Some((stack, count.parse::<u64>().ok()?)));
            let Some((stack, count)) = parsed else {
                let number = index + 1;
                return Err(BadInput::new(format!(
                    "{file}:{number}: no stack with a count"
                )));
            };
            *stacks.counts.entry(stack.to_owned()).or_default() += count;
        }
        Ok(stacks)
    }

    /// The share of all samples that the frames with this text in their name have, themselves and all
    /// that they call.
    #[must_use]
    pub fn share(&self, frame: &str) -> f64 {
        let within = self
            .counts
            .iter()
            .filter(|(stack, _)| stack.contains(frame));
        records::number::share(within.map(|(_, count)| count).sum(), self.samples())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLED: [&str; 7] = [
        "main",
        "<benches::timed::trial::Trial<C,B> as benches::timed::round::Sampled>::sample",
        "benches::timed::profile::Paths::call",
        "<records::runs::state::State as benches::timed::state::Driven>::batch",
        "benches::timed::clock::timed",
        "benches::timed::driver::Driver<C>::cycle",
        "<schedulers::ActiveList as schedulers::Discipline>::select",
    ];

    #[test]
    fn only_the_timed_batches_are_shown_and_everything_outside_is_cut() {
        let mut stacks = Stacks::default();
        stacks.add(SAMPLED.into_iter(), 3);
        stacks.add(
            [
                "main",
                "benches::timed::trial::audit",
                "benches::Driven>::batch",
                "f",
            ]
            .into_iter(),
            2,
        );
        stacks.add(
            [
                "main",
                "<benches::Trial as benches::Sampled>::sample",
                "benches::State::start",
                "benches::Driver::push",
            ]
            .into_iter(),
            4,
        );
        assert_eq!(
            stacks.folded(),
            "Driver::cycle;<ActiveList as Discipline>::select 3\n"
        );
        assert_eq!((stacks.samples(), stacks.outside()), (3, 6));
        assert!((stacks.share("select") - 1.0).abs() < 1e-9);
    }

    #[test]
    fn of_a_library_only_what_is_called_is_shown() {
        let mut stacks = Stacks::default();
        let inner = [
            "core::slice::index",
            "core::ptr::read",
            "schedulers::called_back",
            "core::cmp::max",
        ];
        stacks.add(SAMPLED.into_iter().chain(inner), 1);
        let shown = "Driver::cycle;<ActiveList as Discipline>::select;slice::index;schedulers::called_back;cmp::max 1\n";
        assert_eq!(stacks.folded(), shown);
    }

    #[test]
    fn folded_text_is_read_back_and_what_is_none_is_refused_by_its_line() {
        let text = "a;<B as C>::d 3\na 1\n";
        assert_eq!(
            Stacks::of_folded("f", text).unwrap().folded(),
            "a 1\na;<B as C>::d 3\n"
        );
        let error = Stacks::of_folded("f", "a 1\na b\n").unwrap_err();
        assert!(error.to_string().starts_with("f:2:"), "{error}");
    }
}
