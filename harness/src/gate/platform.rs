//! What decides counts and is no part of a commit.

use std::fs;

use serde::{Deserialize, Serialize};

use records::error::BadInput;
use records::runs::{Build, Fingerprint, Toolchain};

/// Everything outside the repository that can change a count: two counts are comparable if it is the
/// same for both. What a commit decides (sources, lockfile, the profile in Cargo.toml) is not in it,
/// for that is what the gate compares. Fields in the order of the alphabet, as they are written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Platform {
    /// What valgrind's processor can do. It shows programs one of a few fixed processors, whichever the
    /// real one is good for, and the C library chooses its copying loops by that.
    pub cpu: String,
    /// Flags and profile settings from the environment, lints left out. Incremental compilation is one.
    pub flags: String,
    /// Name and version of the C library: allocating and copying are counted too.
    pub libc: String,
    /// Release and commit of the compiler.
    pub rustc: String,
    /// What it compiles for: where nobody says otherwise, the machine that it runs on.
    pub target: String,
    /// Version of valgrind.
    pub valgrind: String,
}

impl Platform {
    /// This one. A missing valgrind or C library is named as such.
    ///
    /// # Errors
    ///
    /// There is no compiler.
    pub fn here() -> Result<Self, BadInput> {
        let build = Build::here();
        let tools = Toolchain::of(&build);
        let release = tools.release.ok_or_else(|| {
            let compiler = build.compiler().join(" ");
            BadInput::new(format!("{compiler} does not run: install Rust with rustup"))
        })?;
        let unknown = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
        let missing = || "none".to_owned();
        Ok(Self {
            cpu: cpu(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default()),
            flags: build.flags(tools.target.as_deref().unwrap_or_default()),
            libc: tools.libc.unwrap_or_else(missing),
            rustc: format!("{release} {}", unknown(tools.commit)),
            target: unknown(tools.target),
            valgrind: tools.valgrind.unwrap_or_else(missing),
        })
    }

    /// The name of its folder: readable as far as it goes, and exact by the digits at its end.
    #[must_use]
    pub fn folder(&self) -> String {
        let fields = self.fields().map(|(_, value)| value);
        let release = self.rustc.split(' ').next().unwrap_or_default();
        let hash = Fingerprint::of(fields.join("\n").as_bytes()).hex();
        format!("{}-rustc-{release}-{}", self.target, &hash[..8])
    }

    /// In what another one differs, in words; nothing where counts are comparable.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let both = self.fields().into_iter().zip(other.fields());
        both.filter(|(here, there)| here != there)
            .map(|((name, here), (_, there))| format!("{name}: {here:?} here, {there:?} there"))
            .collect()
    }

    fn fields(&self) -> [(&'static str, &str); 6] {
        [
            ("cpu", &self.cpu),
            ("flags", &self.flags),
            ("libc", &self.libc),
            ("rustc", &self.rustc),
            ("target", &self.target),
            ("valgrind", &self.valgrind),
        ]
    }
}

/// The processor that valgrind shows on x86-64: the best of a few that the real one can do.
fn cpu(cpuinfo: &str) -> String {
    let mut lines = cpuinfo.lines();
    let flags = lines.find_map(|line| line.strip_prefix("flags")?.split_once(':'));
    let Some((_, flags)) = flags else {
        return "as it is".to_owned();
    };
    let shown = ["avx2", "avx", "cx16"];
    let has = |name: &&&str| flags.split_whitespace().any(|flag| flag == **name);
    (*shown.iter().find(has).unwrap_or(&"plain")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_the_one_that_valgrind_shows() {
        assert_eq!(
            cpu("model name\t: one\nflags\t\t: fpu cx16 avx avx2 avx512f\n"),
            "avx2"
        );
        assert_eq!(cpu("flags : cx16 avx"), "avx");
        assert_eq!(cpu("Features : fp asimd"), "as it is");
    }

    #[test]
    fn each_field_makes_another_folder() {
        let here = Platform::here().unwrap();
        assert!(here.differences(&here).is_empty());
        for (number, (name, _)) in here.fields().into_iter().enumerate() {
            let mut other = here.clone();
            let fields = [
                &mut other.cpu,
                &mut other.flags,
                &mut other.libc,
                &mut other.rustc,
                &mut other.target,
                &mut other.valgrind,
            ];
            fields[number].push_str(" of another kind");
            assert_ne!(here.folder(), other.folder(), "{name}");
            let differences = here.differences(&other);
            let named = |difference: &String| difference.starts_with(name);
            assert!(differences.len() == 1 && differences.iter().all(named));
        }
    }

    /// What is in a platform may change only with every baseline, or this machine finds none any more.
    #[test]
    fn committed_baselines_are_where_their_platforms_look_for_them() {
        let folder = records::runs::root().join("results/baselines");
        let baselines = crate::gate::baseline::all(&folder).unwrap();
        assert!(!baselines.is_empty());
        for baseline in baselines {
            let place = folder.join(baseline.platform.folder());
            assert!(place.is_dir(), "{}", place.display());
        }
    }
}
