//! What the environment says of building, as far as it changes the code that comes of it.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;

/// Settings of the bench profile, and of the release profile, from which it inherits.
const PROFILES: [&str; 2] = ["CARGO_PROFILE_BENCH_", "CARGO_PROFILE_RELEASE_"];

/// Settings that turn incremental compilation on, which cuts the code up otherwise, and their values.
const INCREMENTAL: [(&str, &str); 2] = [
    ("CARGO_INCREMENTAL", "1"),
    ("CARGO_BUILD_INCREMENTAL", "true"),
];

/// Who stands between cargo and the compiler, from the outermost on.
const WRAPPERS: [&str; 2] = ["RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"];

/// The variables of the environment that cargo builds by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Build(BTreeMap<String, String>);

impl Build {
    /// As the environment has it, as far as it is text: flags of the compiler are.
    #[must_use]
    pub fn here() -> Self {
        let text = |(name, value): (OsString, OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Self(env::vars_os().filter_map(text).collect())
    }

    /// Compiler flags for this target and settings of the profile, without those that leave the code alone.
    #[must_use]
    pub fn flags(&self, target: &str) -> String {
        let mut settings = vec![self.compiler_flags(target)];
        for (name, value) in &self.0 {
            let is_set = (name.as_str(), value.as_str());
            if PROFILES.iter().any(|profile| name.starts_with(profile))
                || INCREMENTAL.contains(&is_set)
            {
                settings.push(format!("{name}={value}"));
            }
        }
        settings.retain(|setting| !setting.is_empty());
        settings.join(" ")
    }

    /// Those of the first variable that is set, be it to nothing, in cargo's order.
    fn compiler_flags(&self, target: &str) -> String {
        let of_target = target.to_uppercase().replace('-', "_");
        let of_target = format!("CARGO_TARGET_{of_target}_RUSTFLAGS");
        // Only the encoded form may hold blanks in a flag, even in one that stands alone.
        let sources = [
            ("CARGO_ENCODED_RUSTFLAGS", '\u{1f}'),
            ("RUSTFLAGS", ' '),
            (&of_target, ' '),
            ("CARGO_BUILD_RUSTFLAGS", ' '),
        ];
        let set = |(name, separator)| Some(self.0.get(name)?.split(separator));
        let mut set = sources.into_iter().filter_map(set);
        set.next().map_or_else(String::new, without_lints)
    }

    /// What to run to have the compiler, as cargo does: through its wrappers. A cache among them changes
    /// nothing; one that puts another compiler in its place is found out by what that says.
    #[must_use]
    pub fn compiler(&self) -> Vec<&str> {
        let wrappers = WRAPPERS.iter().filter_map(|name| self.either(name));
        let compiler = self.either("RUSTC").unwrap_or("rustc");
        wrappers.chain([compiler]).collect()
    }

    /// What is compiled for, where it is not the machine that compiles.
    #[must_use]
    pub fn target(&self) -> Option<&str> {
        self.set("CARGO_BUILD_TARGET")
    }

    /// A variable, or that of cargo's configuration which stands for it. One that is set to nothing says
    /// that there is none, whatever the configuration says.
    fn either(&self, name: &str) -> Option<&str> {
        if self.0.contains_key(name) {
            self.set(name)
        } else {
            self.set(&format!("CARGO_BUILD_{name}"))
        }
    }

    fn set(&self, name: &str) -> Option<&str> {
        let value = self.0.get(name).map(String::as_str);
        value.filter(|value| !value.is_empty())
    }
}

/// Compiler flags without those that only concern lints. What comes of it is not to be cut again: a flag
/// may hold blanks.
fn without_lints<'a>(flags: impl Iterator<Item = &'a str>) -> String {
    const LINTS: [&str; 10] = [
        "-D",
        "-W",
        "-A",
        "-F",
        "--deny",
        "--warn",
        "--allow",
        "--forbid",
        "--force-warn",
        "--cap-lints",
    ];
    let mut kept = Vec::new();
    let mut flags = flags.filter(|flag| !flag.is_empty());
    while let Some(flag) = flags.next() {
        if LINTS.contains(&flag) {
            flags.next();
        } else if !LINTS.iter().any(|lint| flag.starts_with(lint)) {
            kept.push(flag);
        }
    }
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(variables: &[(&str, &str)]) -> Build {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        Build(variables.iter().map(owned).collect())
    }

    #[test]
    fn flags_that_leave_the_code_alone_are_left_out() {
        for (name, value, flags) in [
            (
                "RUSTFLAGS",
                " -D warnings -Wunused --deny warnings --warn=unused --cap-lints warn --cap-lints=allow",
                "",
            ),
            (
                "RUSTFLAGS",
                "-D warnings -C target-cpu=native",
                "-C target-cpu=native",
            ),
            (
                "CARGO_ENCODED_RUSTFLAGS",
                "-D\u{1f}warnings\u{1f}-Clto",
                "-Clto",
            ),
            (
                "CARGO_ENCODED_RUSTFLAGS",
                "-C\u{1f}link-args=-Wl,a -Wl,b",
                "-C link-args=-Wl,a -Wl,b",
            ),
            (
                "CARGO_ENCODED_RUSTFLAGS",
                "-Clink-args=-Wl,a -Wl,b",
                "-Clink-args=-Wl,a -Wl,b",
            ),
            (
                "RUSTFLAGS",
                "-Clink-arg=a\u{1f} -Dwarnings",
                "-Clink-arg=a\u{1f}",
            ),
            ("CARGO_BUILD_RUSTFLAGS", "-Copt-level=1", "-Copt-level=1"),
            (
                "CARGO_PROFILE_BENCH_LTO",
                "off",
                "CARGO_PROFILE_BENCH_LTO=off",
            ),
            (
                "CARGO_PROFILE_RELEASE_OPT_LEVEL",
                "1",
                "CARGO_PROFILE_RELEASE_OPT_LEVEL=1",
            ),
            ("CARGO_PROFILE_DEV_OPT_LEVEL", "1", ""),
            ("CARGO_INCREMENTAL", "1", "CARGO_INCREMENTAL=1"),
            ("CARGO_INCREMENTAL", "0", ""),
            (
                "CARGO_BUILD_INCREMENTAL",
                "true",
                "CARGO_BUILD_INCREMENTAL=true",
            ),
            ("RUSTC_WRAPPER", "cache", ""),
            ("HOME", "/home/somebody", ""),
            ("RUSTDOCFLAGS", "-D warnings", ""),
            ("MY_RUSTFLAGS", "-Copt-level=1", ""),
        ] {
            let found = build(&[(name, value)]).flags("x86_64-unknown-linux-gnu");
            assert_eq!(found, flags, "{name}={value}");
        }
    }

    /// The Cargo Book, build.rustflags: "mutually exclusive sources", and the first of them is taken.
    #[test]
    fn flags_are_those_that_cargo_hears() {
        let of_target = (
            "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS",
            "-Ctarget",
        );
        let of_no_target = ("CARGO_TARGET_AARCH64_APPLE_DARWIN_RUSTFLAGS", "-Cother");
        let (of_all, encoded) = (
            ("CARGO_BUILD_RUSTFLAGS", "-Cbuild"),
            ("CARGO_ENCODED_RUSTFLAGS", "-Cencoded"),
        );
        let plain = ("RUSTFLAGS", "-Cplain");
        for (variables, flags) in [
            (&[encoded, plain, of_target, of_all][..], "-Cencoded"),
            (&[("CARGO_ENCODED_RUSTFLAGS", ""), plain], ""),
            (&[plain, of_target, of_all], "-Cplain"),
            (&[("RUSTFLAGS", "-D warnings"), of_all], ""),
            (&[of_target, of_all], "-Ctarget"),
            (&[of_no_target, of_all], "-Cbuild"),
            (&[of_no_target], ""),
        ] {
            let found = build(variables).flags("x86_64-unknown-linux-gnu");
            assert_eq!(found, flags, "{variables:?}");
        }
    }

    #[test]
    fn the_compiler_is_the_one_that_cargo_runs() {
        for (variables, words) in [
            (&[][..], &["rustc"][..]),
            (&[("RUSTC", "mine"), ("CARGO_BUILD_RUSTC", "no")], &["mine"]),
            (&[("CARGO_BUILD_RUSTC", "mine")], &["mine"]),
            (&[("RUSTC_WRAPPER", "")], &["rustc"]),
            (
                &[("RUSTC_WRAPPER", ""), ("CARGO_BUILD_RUSTC_WRAPPER", "no")],
                &["rustc"],
            ),
            (
                &[("RUSTC_WRAPPER", "cache"), ("RUSTC_WORKSPACE_WRAPPER", "w")],
                &["cache", "w", "rustc"],
            ),
            (
                &[("CARGO_BUILD_RUSTC_WRAPPER", "cache")],
                &["cache", "rustc"],
            ),
        ] {
            assert_eq!(build(variables).compiler(), words, "{variables:?}");
        }
        let target = "aarch64-unknown-linux-gnu";
        let build = build(&[("CARGO_BUILD_TARGET", target)]);
        assert_eq!(build.target(), Some(target));
    }
}
