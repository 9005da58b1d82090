//! The step that compares times, with those of a commit.

use super::compare::{Change, Verdict};
use super::request::Kind;
use super::steps::{Gate, unmeasured};
use crate::paired::{self, BLOCKS, Checkout, Contest, Fault, PairRecord, Program, contest};
use crate::scheduler::SCHEDULERS;
use records::error::BadInput;
use records::runs::State;

/// In which states, and with how many tenants, time is compared.
const TIMED: [(State, u32); 2] = [(State::Steady, 1_000), (State::Churn, 1_000)];

impl Gate<'_> {
    /// Compares times with those of a commit, scheduler by scheduler.
    pub(super) fn time(&mut self, checkout: &Checkout) -> Result<(), Fault> {
        (self.say)("comparing times");
        let base = Program::of_commit(checkout)?;
        let head = self.program()?;
        let mut timed = 0;
        for (state, tenants) in TIMED {
            for scheduler in SCHEDULERS {
                let name = format!("{}/{}/{tenants}", state.name(), scheduler.name);
                let wanted = self.request.benchmarks.as_deref().unwrap_or_default();
                if !name.contains(wanted) {
                    continue;
                }
                timed += 1;
                let contested = contest(
                    &Contest {
                        a: (&base, scheduler.name),
                        b: (&head, scheduler.name),
                        state,
                        tenants,
                        blocks: BLOCKS,
                        seed: self.request.seed,
                    },
                    || (),
                );
                match contested {
                    Ok(pair) => self.pair(pair),
                    Err(Fault::Unmeasured(why)) if self.is_agreed(scheduler.name) => {
                        self.report.reasons.push(format!(
                            "{}: time is not compared, as the commit agrees to: {why}",
                            scheduler.name
                        ));
                    }
                    Err(fault) => self.fail(&fault),
                }
            }
        }
        if timed == 0 && self.request.only == Some(Kind::Times) {
            return unmeasured("no benchmark whose time is compared has such a name".to_owned());
        }
        Ok(())
    }

    /// Whether the commit says that a benchmark of this scheduler came, went, or does other work.
    fn is_agreed(&self, scheduler: &str) -> bool {
        let mut agreed = self
            .report
            .counts
            .iter()
            .filter(|one| one.change == Change::Agreed);
        agreed.any(|one| one.benchmark.split('/').nth(1) == Some(scheduler))
    }

    fn program(&self) -> Result<Program, BadInput> {
        match &self.request.fault {
            Some(fault) => Program::at_fault(fault),
            None => Program::of_working_tree(),
        }
    }

    fn pair(&mut self, pair: PairRecord) {
        if pair.verdict == paired::Verdict::Slower {
            self.report.verdict = self.report.verdict.max(Verdict::Regression);
        }
        self.report.pairs.push(pair);
    }
}
