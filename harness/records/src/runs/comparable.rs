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

impl Environment {
    /// What makes measurements in this environment and in another one incomparable; nothing where
    /// they may be compared.
    ///
    /// Two records are comparable if they come from the same machine (processor, cores, hypervisor,
    /// governor, clock source, kernel) and from the same way of building (compiler, its code generator,
    /// its flags, profile, C library, allocator), and both or neither are of a smoke run. Commit,
    /// lockfile, date and load may differ: the first two are what is compared, the others what noise
    /// thresholds are for. Workloads are compared one by one, by their fingerprints. What one of the
    /// records does not tell, being older than the field, is not held against it.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<Difference> {
        let fields = |of: &Self| {
            [
                ("cpu", of.cpu.clone()),
                ("cores", of.cores.to_string()),
                ("hypervisor", of.hypervisor.clone()),
                ("governor", of.governor.clone()),
                ("clock_source", of.clock_source.clone()),
                ("kernel", of.kernel.clone()),
                ("rustc", of.rustc.clone()),
                ("llvm", of.llvm.clone()),
                ("rustflags", of.rustflags.clone()),
                ("profile", of.profile.clone()),
                ("libc", of.libc.clone()),
                ("allocator", of.allocator.clone()),
                ("smoke", of.smoke.to_string()),
            ]
        };
        let both = fields(self).into_iter().zip(fields(other));
        let differing = both.filter(|((_, here), (_, there))| {
            here != there && here != NOT_RECORDED && there != NOT_RECORDED
        });
        differing
            .map(|((field, here), (_, there))| Difference { field, here, there })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Public reports: an identical program "regressed" by 11 % on another machine.
    #[test]
    fn results_of_another_machine_or_build_are_not_comparable() {
        let here = Environment::now("wall_time", 0, false);
        assert_eq!(here.differences(&here), []);
        let mut later = here.clone();
        (later.commit, later.lockfile) = ("another".into(), "another".into());
        later.date = "2030-01-01T00:00:00Z".into();
        assert_eq!(here.differences(&later), []);

        let mut elsewhere = here.clone();
        (elsewhere.cpu, elsewhere.cores) = ("another processor".into(), here.cores + 1);
        let fields: Vec<_> = here
            .differences(&elsewhere)
            .iter()
            .map(|difference| difference.field)
            .collect();
        assert_eq!(fields, ["cpu", "cores"]);
        let mut otherwise = here.clone();
        otherwise.rustflags = "-C target-cpu=native".into();
        assert_eq!(here.differences(&otherwise)[0].field, "rustflags");
        otherwise.rustflags = NOT_RECORDED.into();
        assert_eq!(here.differences(&otherwise), []);
    }
}
