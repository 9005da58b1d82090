//! Puts a property through random scripts, and shrinks one that breaks it.

use std::cell::Cell;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

use super::operation::Script;
use super::{Breach, Effort};

/// Scripts tried while shrinking. Each is run from the start, so this bounds the time it takes.
const SHRINKS_MAX: u32 = 1_000;

/// Checks scripts until they had as many operations as the effort asks for; `check` gives how many
/// it went through.
pub(super) fn for_each_script(
    effort: &Effort,
    scripts: impl Strategy<Value = Script>,
    check: impl Fn(&Script) -> Result<u64, Breach>,
) -> Result<u64, Breach> {
    let config = Config {
        failure_persistence: None,
        max_shrink_iters: SHRINKS_MAX,
        ..Config::default()
    };
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &effort.seed_bytes());
    let mut runner = TestRunner::new_with_rng(config, random);
    let operations = Cell::new(0);
    while operations.get() < effort.operations {
        let script = scripts
            .new_tree(&mut runner)
            .expect("no script is rejected");
        let verdict = runner.run_one(script, |script| match check(&script) {
            Ok(checked) => {
                operations.set(operations.get() + checked);
                Ok(())
            }
            Err(breach) => Err(TestCaseError::fail(breach.seen)),
        });
        match verdict {
            Ok(_) => {}
            Err(TestError::Fail(reason, script)) => {
                return Err(explain(&script, reason.message(), check));
            }
            Err(TestError::Abort(reason)) => {
                return Err(Breach::new("an answer", reason.message()));
            }
        }
    }
    Ok(operations.get())
}

/// What is wrong with a script that is known to break the property, by a panic perhaps.
fn explain(
    script: &Script,
    reason: &str,
    check: impl Fn(&Script) -> Result<u64, Breach>,
) -> Breach {
    let verdict = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(script)));
    let mut breach = match verdict {
        Ok(Err(breach)) => breach,
        _ => Breach::new("no panic", format!("a panic: {reason}")),
    };
    breach.operations = vec![format!("{:?}", script.settings)];
    let operations = script.operations.iter();
    breach
        .operations
        .extend(operations.map(|operation| format!("{operation:?}")));
    breach
}
