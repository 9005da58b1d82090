//! Runs benchmarks under valgrind, by the runner that is built beside them, and reads what it counted.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use records::runs;
use serde_json::Value;

/// Set for a process that is to hand this scheduler's benchmarks to the runner.
pub(super) const SCHEDULER: &str = "COUNTED_SCHEDULER";

/// How long a path may be without moving a count.
const PATH_LENGTH: usize = 1_024;

/// What valgrind counted of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    pub(super) instructions: u64,
    pub(super) cycles: u64,
    pub(super) l1_hits: u64,
    pub(super) ll_hits: u64,
    pub(super) ram_hits: u64,
}

/// Whether valgrind is there.
pub(super) fn is_there() -> bool {
    let asked = Command::new("valgrind").arg("--version").output();
    asked.is_ok_and(|answer| answer.status.success())
}

/// Where the runner leaves what it counted.
pub(super) fn home() -> PathBuf {
    runs::target().join("counted")
}

/// Counts all benchmarks of a scheduler.
pub(super) fn count(scheduler: &str) -> Result<(), String> {
    let program = env::current_exe().map_err(|error| format!("this program: {error}"))?;
    // The program has its arguments on its heap: how long they are decides which blocks are free later.
    let mut command = Command::new(padding(program.as_os_str()) + &program.to_string_lossy());
    for (name, _) in env::vars_os() {
        let name_text = name.to_string_lossy();
        // Settings of the runner could change what is counted, unseen; and the loader's are the only ones
        // that it hands on: their length would move the stack.
        if name_text.starts_with("IAI_CALLGRIND_") || name_text.starts_with("LD_") {
            command.env_remove(&name);
        }
    }
    let ran = command
        .env(SCHEDULER, scheduler)
        .arg(format!("--home={}", home().display()))
        .args(["--save-summary=json", "--nosummary=true"])
        .output()
        .map_err(|error| format!("the runner: {error}"))?;
    if ran.status.success() {
        return Ok(());
    }
    let said = [&ran.stdout[..], &ran.stderr[..]].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    Err(format!("{scheduler}: {}\n{said}", ran.status))
}

/// As many slashes as make a path equally long in every folder, and, before it, the same path.
pub(super) fn padding(path: &OsStr) -> String {
    "/".repeat(PATH_LENGTH.saturating_sub(path.len()))
}

/// What was counted of a benchmark.
pub(super) fn read(scheduler: &str, operation: &str, tenants: u32) -> Result<Counted, String> {
    let folder = format!("{operation}.t{tenants}");
    let group = home().join(format!("benches/instructions/{scheduler}/{scheduler}"));
    let path = group.join(folder).join("summary.json");
    let summary = parse(&path)?;
    let metric = |name: &str| {
        let pointer =
            format!("/profiles/0/summaries/total/summary/Callgrind/{name}/metrics/Left/Int");
        let value = summary.pointer(&pointer).and_then(Value::as_u64);
        value.ok_or_else(|| format!("{}: no {name} in it", path.display()))
    };
    Ok(Counted {
        instructions: metric("Ir")?,
        cycles: metric("EstimatedCycles")?,
        l1_hits: metric("L1hits")?,
        ll_hits: metric("LLhits")?,
        ram_hits: metric("RamHits")?,
    })
}

fn parse(path: &Path) -> Result<Value, String> {
    let failed = |error: String| format!("{}: {error}", path.display());
    let text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| failed(error.to_string()))
}
