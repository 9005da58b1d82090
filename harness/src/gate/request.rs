//! What is asked of the gate, and what it finds.

use std::path::PathBuf;

use serde::Serialize;

use super::cause::Cause;
use super::compare::{Compared, Verdict};
use super::platform::Platform;
use crate::paired::PairRecord;

/// What the working tree is held against.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Against {
    /// The baseline that is committed for this platform.
    Baseline,
    /// That, or this commit where there is none for this platform.
    BaselineOr(String),
    /// This commit.
    Commit(String),
}

/// What there is to compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Instructions, bytes and allocations.
    Counts,
    /// Paired times.
    Times,
}

/// What is asked of the gate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// What to compare with.
    pub against: Against,
    /// Where baselines are.
    pub baselines: PathBuf,
    /// Take what is found for the new baseline; against a commit, agree to benchmarks that came or went.
    pub bless: bool,
    /// Do not run the laws: somebody just has.
    pub skip_laws: bool,
    /// Compare one kind of measurement alone.
    pub only: Option<Kind>,
    /// Count and time the benchmarks alone whose name holds this text.
    pub benchmarks: Option<String>,
    /// The fault that the head is built with, for the self-test.
    pub fault: Option<String>,
    /// Of the intervals of paired times.
    pub seed: u64,
    /// Counts that `cargo bench --bench instructions` wrote here, in place of counting.
    pub measured: Option<PathBuf>,
}

/// What the gate found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// What it comes to.
    pub verdict: Verdict,
    /// What was compared with.
    pub against: String,
    /// Where counts hold.
    pub platform: Platform,
    /// Why something could not be measured, or was wrong.
    pub reasons: Vec<String>,
    /// Every benchmark that is counted.
    pub counts: Vec<Compared>,
    /// Every comparison of times.
    pub pairs: Vec<PairRecord>,
    /// Where instructions rose.
    pub causes: Vec<Cause>,
    /// Differential flamegraphs of them.
    pub flamegraphs: Vec<PathBuf>,
    /// The baseline that was written.
    pub blessed: Option<PathBuf>,
}
