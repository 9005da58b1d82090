//! Who builds a benchmark, and who counts its instructions.

use std::process::Command;

use super::build::Build;

/// What the tools say of themselves; nothing where one does not run, or does not say it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Toolchain {
    /// The compiler's version.
    pub release: Option<String>,
    /// The commit that the compiler was built from.
    pub commit: Option<String>,
    /// Version of its code generator.
    pub llvm: Option<String>,
    /// What it compiles for: where nobody says otherwise, the machine that it runs on.
    pub target: Option<String>,
    /// Name and version of the C library.
    pub libc: Option<String>,
    /// Version of valgrind.
    pub valgrind: Option<String>,
}

impl Toolchain {
    /// Asks the compiler that cargo runs, the C library and valgrind.
    #[must_use]
    pub fn of(build: &Build) -> Self {
        let compiler = build.compiler();
        let version = said(compiler[0], &[&compiler[1..], &["-vV"]].concat()).unwrap_or_default();
        Self {
            release: field(&version, "release"),
            commit: field(&version, "commit-hash"),
            llvm: field(&version, "LLVM version"),
            target: build
                .target()
                .map_or_else(|| field(&version, "host"), |target| Some(target.to_owned())),
            libc: said("getconf", &["GNU_LIBC_VERSION"]),
            valgrind: said("valgrind", &["--version"]),
        }
    }
}

/// What a command prints, if it can be run and does not fail.
pub(super) fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let ran = Command::new(program).args(arguments).output().ok()?;
    let printed = String::from_utf8_lossy(&ran.stdout).trim().to_owned();
    ran.status.success().then_some(printed)
}

/// The value of the first line `name: value`.
pub(super) fn field(text: &str, name: &str) -> Option<String> {
    let mut fields = text.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = fields.find(|(key, _)| key.trim() == name)?;
    Some(value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = "model\t: 1\nmodel name\t: Some CPU: the second\nmodel name : other";
        let found = field(text, "model name");
        assert_eq!(found.as_deref(), Some("Some CPU: the second"));
        assert_eq!(field(text, "flags"), None);
    }

    #[test]
    fn who_does_not_run_or_fails_says_nothing() {
        assert_eq!(said("no-such-program", &[]), None);
        assert_eq!(said("false", &[]), None);
    }
}
