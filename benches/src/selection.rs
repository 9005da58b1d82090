//! What a command line that is meant for every benchmark means for those that criterion does not run.

/// Flags of criterion that have a value behind them.
const WITH_VALUE: [&str; 12] = [
    "--baseline",
    "--baseline-lenient",
    "--color",
    "--confidence-level",
    "--load-baseline",
    "--measurement-time",
    "--noise-threshold",
    "--nresamples",
    "--output-format",
    "--sample-size",
    "--save-baseline",
    "--warm-up-time",
];

/// Flags after which nothing is to be measured, or nothing without criterion.
const NOTHING: [&str; 4] = ["--list", "--profile-time", "--test", "--load-baseline"];

/// Which benchmarks are to be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Selection {
    /// Those whose name holds this text: all, if it is empty.
    Named(String),
    /// None.
    Nothing,
}

impl Selection {
    /// As the arguments say, those of criterion among them.
    pub fn of(arguments: impl IntoIterator<Item = String>) -> Self {
        let mut arguments = arguments.into_iter();
        let mut named = String::new();
        while let Some(argument) = arguments.next() {
            let flag = argument.split('=').next().unwrap_or_default();
            if NOTHING.contains(&flag) {
                return Self::Nothing;
            }
            if WITH_VALUE.contains(&argument.as_str()) {
                arguments.next();
            } else if !argument.starts_with('-') {
                named = argument;
            }
        }
        Self::Named(named)
    }

    /// Whether it is one of them.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        match self {
            Self::Named(text) => name.contains(text),
            Self::Nothing => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Selection {
        Selection::of(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn the_flags_of_criterion_are_no_names() {
        assert_eq!(of("--bench"), Selection::Named(String::new()));
        let main = of("--bench --save-baseline main --sample-size=10 wake/");
        assert_eq!(main, Selection::Named("wake/".into()));
        assert!(main.has("wake/fifo/100") && !main.has("take/fifo/100"));
        for line in [
            "--list",
            "--profile-time 4 steady",
            "--profile-time=4",
            "--test",
        ] {
            assert_eq!(of(line), Selection::Nothing, "{line}");
        }
    }
}
