//! On what, and how, a result came to be.

use std::fs;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::build::Build;
use super::fingerprint::Fingerprint;
use super::places;
use super::toolchain::{Toolchain, field, said};

/// What a platform does not tell.
const NOT_AVAILABLE: &str = "not available";

/// What a record from before its field existed does not tell.
pub(super) const NOT_RECORDED: &str = "not recorded";

/// The real trace that is replayed.
const TRACE: &str = "benches/traces/azure-llm-2023-code.csv";

fn not_recorded() -> String {
    NOT_RECORDED.to_owned()
}

/// The machine, the build, the source and the moment.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Environment {
    /// When the run began, UTC.
    pub date: String,
    /// What to type to run it again.
    pub command: String,
    /// The commit it was built from.
    pub commit: String,
    /// Whether files under version control differ from that commit.
    pub dirty: bool,
    /// Fingerprint of how they differ, and of which files are not under version control.
    #[serde(default = "not_recorded")]
    pub changes: String,
    /// Everything on little, for the checks: the numbers mean nothing.
    pub smoke: bool,
    /// The processor's name.
    pub cpu: String,
    /// How many cores there are for this process.
    pub cores: usize,
    /// The core that the measuring thread was pinned to.
    pub affinity: String,
    /// The frequency governor.
    pub governor: String,
    /// Whether this is a virtual machine.
    pub hypervisor: String,
    /// The clock that the kernel reads.
    pub clock_source: String,
    /// Nanoseconds to read it.
    pub clock_ns: f64,
    /// Nanoseconds a turn of the empty loop, subtracted from every operation.
    pub empty_loop_ns: f64,
    /// Name and version.
    pub kernel: String,
    /// Version, and what it compiles for.
    pub rustc: String,
    /// The commit that the compiler was built from: two nightlies may be of one version.
    #[serde(default = "not_recorded")]
    pub rustc_commit: String,
    /// Its code generator.
    pub llvm: String,
    /// Flags and profile settings from the environment, as far as they change the code.
    pub rustflags: String,
    /// The cargo profile.
    pub profile: String,
    /// Version of valgrind, which counts instructions.
    #[serde(default = "not_recorded")]
    pub valgrind: String,
    /// Name and version.
    #[serde(default = "not_recorded")]
    pub libc: String,
    /// Who serves memory.
    pub allocator: String,
    /// Fingerprint of Cargo.lock.
    pub lockfile: String,
    /// Fingerprint of Cargo.toml, where the profile is.
    pub manifest: String,
    /// The seed of every workload; their fingerprints are beside the results.
    pub seed: u64,
    /// Fingerprint of the file of the real trace.
    #[serde(default = "not_recorded")]
    pub trace: String,
    /// The noise floor: by what fraction identical code may seem to differ from itself, as paired
    /// blocks of this session saw it. Nothing where none were run.
    #[serde(default)]
    pub noise_floor: Option<f64>,
    /// Before the run.
    pub before: Load,
    /// After the run.
    pub after: Load,
}

/// Who else was there.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Load {
    /// Runnable processes, averaged over 1, 5 and 15 minutes.
    pub average: String,
    /// Ticks of all processors since boot that the hypervisor gave to others.
    pub steal_ticks: String,
}

impl Load {
    /// As it is now.
    #[must_use]
    pub fn now() -> Self {
        let average = contents("/proc/loadavg");
        let stat = contents("/proc/stat");
        Self {
            average: average.split(' ').take(3).collect::<Vec<_>>().join(" "),
            steal_ticks: stat
                .split_whitespace()
                .nth(8)
                .unwrap_or(NOT_AVAILABLE)
                .to_owned(),
        }
    }
}

impl Environment {
    /// Before the thread is pinned and the first benchmark run. What is known only later is to be
    /// filled in: `affinity`, `empty_loop_ns`, `noise_floor`, `after`; and `allocator` where it is
    /// not the system's.
    #[must_use]
    pub fn now(bench: &str, seed: u64, smoke: bool) -> Self {
        let cpu = contents("/proc/cpuinfo");
        let build = Build::here();
        let tools = Toolchain::of(&build);
        let rustflags = build.flags(tools.target.as_deref().unwrap_or_default());
        Self {
            date: output("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"]),
            command: command(bench),
            commit: git(&["rev-parse", "HEAD"]),
            dirty: !git(&["status", "--porcelain", "--untracked-files=no"]).is_empty(),
            changes: changes(),
            smoke,
            cpu: known(field(&cpu, "model name")),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            affinity: NOT_AVAILABLE.to_owned(),
            governor: contents("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            hypervisor: known(field(&cpu, "flags").map(|flags| hypervisor(&flags))),
            clock_source: contents(
                "/sys/devices/system/clocksource/clocksource0/current_clocksource",
            ),
            clock_ns: clock_ns(),
            empty_loop_ns: 0.0,
            kernel: output("uname", &["-sr"]),
            rustc: format!("{} ({})", known(tools.release), known(tools.target)),
            rustc_commit: known(tools.commit),
            llvm: known(tools.llvm),
            rustflags,
            profile: if cfg!(debug_assertions) {
                "with debug assertions"
            } else {
                "bench"
            }
            .to_owned(),
            valgrind: known(tools.valgrind),
            libc: known(tools.libc),
            allocator: "system".to_owned(),
            lockfile: fingerprint("Cargo.lock"),
            manifest: fingerprint("Cargo.toml"),
            seed,
            trace: fingerprint(TRACE),
            noise_floor: None,
            before: Load::now(),
            after: Load::now(),
        }
    }
}

impl Environment {
    /// The source in a word: twelve digits of the commit, and those of the changes if files differ from it.
    #[must_use]
    pub fn source(&self) -> String {
        if !self.has_commit() {
            return self.commit.clone();
        }
        let digits = |text: &str, count| text.get(..count).unwrap_or(text).to_owned();
        let commit = digits(&self.commit, 12);
        if self.dirty {
            format!("{commit}-dirty-{}", digits(&self.changes, 8))
        } else {
            commit
        }
    }

    /// Whether both are known to be of the same source.
    #[must_use]
    pub fn is_of_source(&self, other: &Self) -> bool {
        self.has_commit() && self.source() == other.source()
    }

    /// Whether version control said of what commit it is.
    #[must_use]
    pub fn has_commit(&self) -> bool {
        self.commit != NOT_AVAILABLE
    }
}

/// What to type, without the paths and flags that cargo adds.
fn command(bench: &str) -> String {
    let variables = ["BENCH_SMOKE", "BENCH_MILLION"].into_iter();
    let set = variables.filter_map(|name| Some(format!("{name}={} ", std::env::var(name).ok()?)));
    let given: Vec<String> = std::env::args()
        .skip(1)
        .filter(|given| given != "--bench")
        .collect();
    let separator = if given.is_empty() { "" } else { " -- " };
    let set: String = set.collect();
    format!(
        "{set}cargo bench -p benches --bench {bench}{separator}{}",
        given.join(" ")
    )
}

fn git(arguments: &[&str]) -> String {
    let root = places::root();
    let root = root.to_string_lossy();
    output("git", &[&["-C", root.as_ref()], arguments].concat())
}

/// Whatever git is set to show of differences, and without reading what may be large.
fn changes() -> String {
    let plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--binary"];
    let differences = git(&[&["diff"], &plain[..], &["HEAD"]].concat());
    let mut fingerprint = Fingerprint::of(differences.as_bytes());
    for name in git(&["ls-files", "--others", "--exclude-standard"]).lines() {
        let known = fs::metadata(places::root().join(name)).ok();
        let changed = known.map(|known| (known.len(), known.modified().ok()));
        fingerprint = fingerprint.and(format!("{name} {changed:?}").as_bytes());
    }
    fingerprint.hex()
}

fn output(program: &str, arguments: &[&str]) -> String {
    known(said(program, arguments))
}

fn known(value: Option<String>) -> String {
    value.unwrap_or_else(|| NOT_AVAILABLE.to_owned())
}

fn contents(path: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    match text.trim() {
        "" => NOT_AVAILABLE.to_owned(),
        text => text.to_owned(),
    }
}

/// The processor tells its guests that they are some.
fn hypervisor(flags: &str) -> String {
    let told = flags.split(' ').any(|flag| flag == "hypervisor");
    if told { "yes" } else { "no" }.to_owned()
}

fn fingerprint(file: &str) -> String {
    let bytes = fs::read(places::root().join(file));
    bytes.map_or_else(
        |_| NOT_AVAILABLE.to_owned(),
        |bytes| Fingerprint::of(&bytes).hex(),
    )
}

fn clock_ns() -> f64 {
    const READINGS: u32 = 100_000;
    let start = Instant::now();
    for _ in 0..READINGS {
        std::hint::black_box(Instant::now());
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(READINGS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_from_before_a_field_existed_is_read() {
        let mut record = serde_json::to_value(Environment::now("wall_time", 0, false)).unwrap();
        for field in ["valgrind", "libc", "trace", "noise_floor"] {
            record.as_object_mut().unwrap().remove(field).unwrap();
        }
        let read: Environment = serde_json::from_value(record).unwrap();
        assert_eq!((read.libc.as_str(), read.noise_floor), (NOT_RECORDED, None));
    }

    #[test]
    fn what_is_missing_is_said_to_be() {
        assert_eq!(contents("/no/such/file"), NOT_AVAILABLE);
        assert_eq!(output("no-such-program", &[]), NOT_AVAILABLE);
    }
}
