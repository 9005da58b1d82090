//! Which records may be compared.

use std::fmt;

use serde::Serialize;

use super::environment::{Environment, NOT_RECORDED};

/// In what two environments differ that decides a measurement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Difference {
    /// The field.
    pub field: &'static str,
    /// Here.
    pub here: String,
    /// There.
    pub there: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, here, there } = self;
        write!(formatter, "{field}: {here} here, {there} there")
    }
}

/// What was measured, and so what of a machine decides it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measured {
    /// Times, and what was weighed beside them.
    Times,
    /// Counts: who else runs on the machine, and by which clock, is nothing to them.
    Counts,
}

impl Environment {
    /// What makes measurements in this environment and in another one incomparable; nothing where
    /// they may be compared.
    ///
    /// Two records are comparable if they are of the same processor and the same way of building
    /// (compiler, its code generator, its flags but those of lints, profile, C library, allocator), and
    /// both or neither are of a smoke run. Times need the rest of the machine to be the same too: cores,
    /// hypervisor, governor, clock source, kernel; counts the valgrind that took them. Commit, lockfile,
    /// date and load may differ: the first two are what is compared, the others what noise thresholds are
    /// for. Workloads are compared one by one, by their fingerprints. What one of the records does not
    /// tell, being older than the field, is not held against it.
    #[must_use]
    pub fn differences(&self, other: &Self, measured: Measured) -> Vec<Difference> {
        let both = self.deciding(measured);
        let both = both.into_iter().zip(other.deciding(measured));
        let differing = both.filter(|((_, here), (_, there))| {
            here != there && here != NOT_RECORDED && there != NOT_RECORDED
        });
        differing
            .map(|((field, here), (_, there))| Difference { field, here, there })
            .collect()
    }

    /// What of that this record does not tell. Who may not err on the wrong side asks for it.
    #[must_use]
    pub fn untold(&self, measured: Measured) -> Vec<&'static str> {
        let fields = self.deciding(measured).into_iter();
        let untold = fields.filter(|(_, value)| value == NOT_RECORDED);
        untold.map(|(field, _)| field).collect()
    }

    fn deciding(&self, measured: Measured) -> Vec<(&'static str, String)> {
        let mut fields = vec![("cpu", self.cpu.clone())];
        match measured {
            Measured::Times => fields.extend([
                ("cores", self.cores.to_string()),
                ("hypervisor", self.hypervisor.clone()),
                ("governor", self.governor.clone()),
                ("clock_source", self.clock_source.clone()),
                ("kernel", self.kernel.clone()),
            ]),
            Measured::Counts => fields.push(("valgrind", self.valgrind.clone())),
        }
        fields.extend([
            ("rustc", self.rustc.clone()),
            ("rustc_commit", self.rustc_commit.clone()),
            ("llvm", self.llvm.clone()),
            ("rustflags", self.rustflags.clone()),
            ("profile", self.profile.clone()),
            ("libc", self.libc.clone()),
            ("allocator", self.allocator.clone()),
            ("smoke", self.smoke.to_string()),
        ]);
        fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In which fields an environment differs from one that is changed, for times and for counts.
    fn differing(
        here: &Environment,
        change: impl FnOnce(&mut Environment),
    ) -> [Vec<&'static str>; 2] {
        let mut there = here.clone();
        change(&mut there);
        [Measured::Times, Measured::Counts].map(|measured| {
            let differences = here.differences(&there, measured);
            differences.iter().map(|found| found.field).collect()
        })
    }

    /// Public reports: an identical program "regressed" by 11 % on another machine.
    #[test]
    fn results_of_another_machine_or_build_are_not_comparable() {
        type Change = fn(&mut Environment);
        let cases: [(Change, &[&str], &[&str]); 11] = [
            (|_| (), &[], &[]),
            (|to| to.commit = "another".into(), &[], &[]),
            (|to| to.lockfile = "another".into(), &[], &[]),
            (|to| to.date = "2030-01-01T00:00:00Z".into(), &[], &[]),
            (|to| to.cpu = "another".into(), &["cpu"], &["cpu"]),
            (|to| to.cores += 1, &["cores"], &[]),
            (|to| to.kernel = "another".into(), &["kernel"], &[]),
            (|to| to.valgrind = "another".into(), &[], &["valgrind"]),
            (|to| to.valgrind = NOT_RECORDED.into(), &[], &[]),
            (|to| to.libc = "another".into(), &["libc"], &["libc"]),
            (|to| to.smoke = true, &["smoke"], &["smoke"]),
        ];
        for (number, (change, times, counts)) in cases.into_iter().enumerate() {
            let here = Environment::now("wall_time", 0, false);
            assert_eq!(differing(&here, change), [times, counts], "case {number}");
        }
    }

    /// Flags are recorded without those of lints, and compared as they are: what follows a blank in a
    /// link argument looks like a lint, and is none.
    #[test]
    fn flags_differ_by_what_changes_the_code() {
        let linked = "-C link-args=-Wl,a -Wl,b";
        for (here, there, differs) in [
            ("", "", false),
            ("", NOT_RECORDED, false),
            ("", "-C target-cpu=native", true),
            (linked, linked, false),
            (linked, "-C link-args=-Wl,a -Wl,c", true),
        ] {
            let mut base = Environment::now("wall_time", 0, false);
            base.rustflags = here.into(); // whoever runs this test may have some
            let found = differing(&base, |to| to.rustflags = there.into());
            let fields = vec!["rustflags"; usize::from(differs)];
            assert_eq!(found, [fields.clone(), fields], "{here} {there}");
        }
    }
}
