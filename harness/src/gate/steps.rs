//! The steps of the gate, and what they found.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::baseline::{self, Baseline};
use super::cause::{cause, folded};
use super::compare::{Change, Compared, Verdict, agree, compare, verdict};
use super::counting::{self, Counted, Source, cargo, count};
use super::platform::Platform;
use super::request::{Against, Kind, Report, Request};
use crate::flame::{Stacks, draw_difference};
use crate::paired::{self, Checkout, Fault};
use records::error::BadInput;
use records::runs::{self, Counts, Difference, Measured, Run, read_json};

/// For how many benchmarks a cause is looked for: the ones that rose most.
const CAUSES: usize = 3;

pub(super) fn unmeasured<T>(why: String) -> Result<T, Fault> {
    Err(Fault::Unmeasured(why))
}

/// Nothing is compared with the counts of a file if they are of another platform.
fn foreign(place: &Path, differences: impl Iterator<Item = String>) -> Result<(), Fault> {
    let differences: Vec<String> = differences.collect();
    if differences.is_empty() {
        return Ok(());
    }
    let (place, differences) = (place.display(), differences.join("; "));
    unmeasured(format!(
        "{place}: counted on a foreign platform: {differences}"
    ))
}

/// Does all that was asked, and says what it is doing. What cannot be read or built is in the report as not
/// measured, with the reason.
///
/// # Errors
///
/// There is no compiler, and so nothing to name the platform by.
pub fn run(request: &Request, say: fn(&str)) -> Result<Report, BadInput> {
    let mut gate = Gate {
        request,
        say,
        report: Report {
            verdict: Verdict::Pass,
            against: String::new(),
            platform: Platform::here()?,
            reasons: Vec::new(),
            counts: Vec::new(),
            pairs: Vec::new(),
            causes: Vec::new(),
            flamegraphs: Vec::new(),
            blessed: None,
        },
    };
    let _ = fs::remove_dir_all(counting::pictures()); // those of an earlier run
    if let Err(fault) = gate.steps() {
        gate.fail(&fault);
    }
    Ok(gate.report)
}

pub(super) struct Gate<'a> {
    pub(super) request: &'a Request,
    pub(super) say: fn(&str),
    pub(super) report: Report,
}

/// What the head is compared with.
enum Base {
    Baseline(Counts),
    /// A commit, built and counted here.
    Commit(Checkout, Counted),
}

impl Gate<'_> {
    fn steps(&mut self) -> Result<(), Fault> {
        let own = self.own()?;
        self.check(own.as_ref())?;
        self.laws()?;
        if let (Against::Commit(revision), Some(Kind::Times)) =
            (&self.request.against, self.request.only)
        {
            let checkout = Checkout::of(revision)?;
            self.report.against = format!("commit {}", checkout.commit());
            return self.time(&checkout);
        }
        if self.request.bless && self.request.against == Against::Baseline {
            let head = self.head()?;
            return self.bless(own, head.counts);
        }
        let baseline = self.baseline(own)?;
        let head = self.head()?;
        let base = match baseline {
            Some(counts) => Base::Baseline(counts),
            None => self.commit()?,
        };
        self.compare(&base, &head)?;
        if self.request.measured.is_some() {
            return Ok(());
        }
        self.explain(&base, &head);
        match &base {
            Base::Commit(checkout, _) if self.request.only != Some(Kind::Counts) => {
                self.time(checkout)
            }
            _ => Ok(()),
        }
    }

    /// The baseline of this platform, if it is there. One that is to be replaced need not be one.
    fn own(&self) -> Result<Option<Baseline>, BadInput> {
        let Request {
            against,
            bless,
            benchmarks,
            ..
        } = self.request;
        if self.request.only == Some(Kind::Times) {
            return Ok(None); // times are those of a commit
        }
        let is_replaced = *bless && *against == Against::Baseline && benchmarks.is_none();
        match Baseline::read(&self.place()) {
            Err(_) if is_replaced => Ok(None),
            read => read,
        }
    }

    /// Whether what is asked can be done at all, before minutes are spent on it.
    fn check(&self, own: Option<&Baseline>) -> Result<(), Fault> {
        match (&self.request.against, own) {
            (Against::Commit(revision), _) | (Against::BaselineOr(revision), None) => {
                paired::commit_of(revision)?;
                if self.request.only != Some(Kind::Times) {
                    baseline::all(&self.request.baselines)?; // they say what was agreed to
                }
            }
            _ => {}
        }
        let is_commit = matches!(self.request.against, Against::Commit(_));
        if self.request.only == Some(Kind::Times) && !is_commit {
            return unmeasured(
                "times are compared with those of a commit, built here: give --base".to_owned(),
            );
        }
        Ok(())
    }

    /// Where the baseline of this platform is.
    fn place(&self) -> PathBuf {
        baseline::path_of(&self.request.baselines, &self.report.platform)
    }

    /// Notes what is wrong, or could not be measured; the worst verdict stays.
    pub(super) fn fail(&mut self, fault: &Fault) {
        let verdict = match fault {
            Fault::Wrong(_) => Verdict::Regression,
            Fault::Unmeasured(_) => Verdict::Unmeasured,
        };
        self.report.verdict = self.report.verdict.max(verdict);
        self.report.reasons.push(fault.to_string());
    }

    /// Whether every scheduler is right: the speed of a wrong one is of no interest.
    fn laws(&self) -> Result<(), Fault> {
        if self.request.skip_laws || self.request.measured.is_some() {
            return Ok(());
        }
        (self.say)("the laws");
        let laws = |more: &[&str]| {
            cargo()
                .current_dir(runs::root())
                .args(["test", "--quiet", "--locked", "-p", "schedulers"])
                .args(["--test", "laws"])
                .args(more)
                .stdout(Stdio::null())
                .status()
                .map_err(|error| Fault::Unmeasured(format!("cargo: {error}")))
        };
        let run = "cargo test -p schedulers --test laws";
        if !laws(&["--no-run"])?.success() {
            return Err(Fault::Unmeasured(format!("`{run}` does not compile")));
        }
        if laws(&[])?.success() {
            Ok(())
        } else {
            Err(Fault::Wrong(format!("a law is broken: see `{run}`")))
        }
    }

    /// The baseline that the head is held against; nothing where that is to be a commit.
    fn baseline(&mut self, own: Option<Baseline>) -> Result<Option<Counts>, Fault> {
        let place = self.place();
        let own = match (own, &self.request.against) {
            (_, Against::Commit(_)) | (None, Against::BaselineOr(_)) => return Ok(None),
            (Some(own), _) => own,
            (None, Against::Baseline) => return unmeasured(self.no_baseline()?),
        };
        let differences = self.report.platform.differences(&own.platform);
        foreign(&place, differences.into_iter())?;
        let place = place.display().to_string();
        let mut own = own;
        if let Some(text) = &self.request.benchmarks {
            own.counts.retain(|name, _| name.contains(text));
            if own.counts.is_empty() {
                return unmeasured(format!("{place}: no benchmark has `{text}` in its name"));
            }
        }
        if own.counts.is_empty() {
            return unmeasured(format!(
                "{place}: the baseline is empty, so nothing is compared"
            ));
        }
        self.report.against = place;
        Ok(Some(own.counts))
    }

    /// Why there is no baseline to compare with, and what can be done.
    fn no_baseline(&self) -> Result<String, BadInput> {
        let platform = &self.report.platform;
        let others = baseline::all(&self.request.baselines)?;
        let differences = others
            .iter()
            .map(|other| platform.differences(&other.platform));
        let nearest = differences.min_by_key(Vec::len).map_or_else(
            || "there is none of any other either".to_owned(),
            |differences| format!("the nearest differs in {}", differences.join("; ")),
        );
        Ok(format!(
            "there is no baseline of this platform at {}, and {nearest}; --base REVISION compares with a commit, --bless takes what is counted now for the baseline",
            self.place().display()
        ))
    }

    fn head(&self) -> Result<Counted, Fault> {
        if let Some(path) = &self.request.measured {
            return self.measured(path);
        }
        (self.say)("counting the working tree");
        count(&Source {
            fault: self.request.fault.as_deref(),
            ..self.source(&runs::root(), "head")
        })
    }

    /// Counts that were taken before, if they are of this source and this platform for all that they say.
    fn measured(&self, path: &Path) -> Result<Counted, Fault> {
        let Run {
            environment: there,
            mut counts,
            ..
        } = read_json(path)?;
        let here = counting::environment();
        let differences = here.differences(&there, Measured::Counts);
        foreign(path, differences.iter().map(Difference::to_string))?;
        let place = path.display();
        let untold = there.untold(Measured::Counts);
        if !untold.is_empty() {
            return unmeasured(format!(
                "{place}: does not say of what {} it is: count again",
                untold.join(", ")
            ));
        }
        if !here.has_commit() {
            return unmeasured(format!(
                "git does not say of what commit this is, so not whether {place} is of it"
            ));
        }
        if !here.is_of_source(&there) {
            let (then, now) = (there.source(), here.source());
            return unmeasured(format!(
                "{place}: counted of {then}, and this is {now}: count again"
            ));
        }
        if let Some(text) = &self.request.benchmarks {
            counts.retain(|name, _| name.contains(text));
        }
        if counts.is_empty() {
            return unmeasured(format!("{place}: nothing was counted that is asked for"));
        }
        Ok(Counted {
            counts,
            outputs: PathBuf::new(),
            source: PathBuf::new(),
        })
    }

    fn source<'s>(&'s self, folder: &'s Path, name: &'s str) -> Source<'s> {
        Source {
            folder,
            name,
            fault: None,
            only: self.request.benchmarks.as_deref(),
        }
    }

    /// Builds and counts the commit that the head is held against.
    fn commit(&mut self) -> Result<Base, Fault> {
        let (Against::Commit(revision) | Against::BaselineOr(revision)) = &self.request.against
        else {
            unreachable!("a baseline is no commit");
        };
        let checkout = Checkout::of(revision)?;
        self.report.against = format!("commit {}", checkout.commit());
        (self.say)(&format!("counting {}", self.report.against));
        let counted = count(&self.source(checkout.folder(), "base"))?;
        Ok(Base::Commit(checkout, counted))
    }

    fn compare(&mut self, base: &Base, head: &Counted) -> Result<(), BadInput> {
        let counts = match base {
            Base::Baseline(counts) => counts,
            Base::Commit(_, counted) => &counted.counts,
        };
        let mut compared = compare(counts, &head.counts);
        if let Base::Commit(..) = base {
            let agreed = if self.request.bless {
                vec![head.counts.clone()]
            } else {
                let all = baseline::all(&self.request.baselines)?;
                all.into_iter().map(|baseline| baseline.counts).collect()
            };
            agree(&mut compared, &agreed);
        }
        let verdict = verdict(&compared);
        if verdict == Verdict::Unmeasured {
            self.report.reasons.push(
                "not everything could be compared: benchmarks came, went, or do other work; where that is meant, --bless".to_owned(),
            );
        }
        self.report.verdict = self.report.verdict.max(verdict);
        self.report.counts = compared;
        Ok(())
    }

    /// Takes what was counted for the baseline.
    fn bless(&mut self, before: Option<Baseline>, counts: Counts) -> Result<(), Fault> {
        if counts.is_empty() {
            return unmeasured("nothing was counted, so there is nothing to bless".to_owned());
        }
        let before = before.map_or_else(Counts::new, |baseline| baseline.counts);
        if let Some(path) = &self.request.measured {
            let wanted = self.request.benchmarks.as_deref().unwrap_or_default();
            let is_missing = |name: &&String| name.contains(wanted) && !counts.contains_key(*name);
            let missing = before.keys().filter(is_missing).count();
            if missing > 0 {
                return unmeasured(format!(
                    "{}: {missing} of the baseline's benchmarks are not in it: count all, or bless a part by --benchmarks",
                    path.display()
                ));
            }
        }
        let place = self.place();
        let mut after = before.clone();
        match &self.request.benchmarks {
            Some(text) => after.retain(|name, _| !name.contains(text)),
            None => after.clear(),
        }
        after.extend(counts);
        self.report.against = place.display().to_string();
        self.report.counts = compare(&before, &after);
        let platform = self.report.platform.clone();
        let baseline = Baseline {
            platform,
            counts: after,
        };
        baseline.write(&place)?;
        self.report.blessed = Some(place);
        Ok(())
    }

    /// Finds the functions of the worst rises. Where no commit was built to compare with, it is the one
    /// that last changed the baseline. That no cause is found changes no verdict.
    fn explain(&mut self, base: &Base, head: &Counted) {
        let is_risen = |one: &&Compared| one.change == Change::Regressed;
        let mut risen: Vec<&Compared> = self.report.counts.iter().filter(is_risen).collect();
        if risen.is_empty() {
            return;
        }
        let rise = |one: &Compared| one.rise().unwrap_or_default();
        risen.sort_by(|one, other| rise(other).total_cmp(&rise(one)));
        let worst: Vec<Compared> = risen.into_iter().take(CAUSES).cloned().collect();
        let explained = match base {
            Base::Commit(_, before) => self.causes(&worst, before, head),
            Base::Baseline(_) => self
                .blessed_source()
                .and_then(|before| self.causes(&worst, &before, head)),
        };
        if let Err(why) = explained {
            self.report.reasons.push(format!("no cause to show: {why}"));
        }
    }

    /// The causes of these rises, in words and in pictures.
    fn causes(
        &mut self,
        risen: &[Compared],
        base: &Counted,
        head: &Counted,
    ) -> Result<(), BadInput> {
        for one in risen {
            let name = &one.benchmark;
            let operations = one.head.as_ref().map_or(1, |head| head.operations);
            self.report
                .causes
                .push(cause(name, operations, base, head)?);
            let stacks = |counted| Stacks::of_folded(name, &folded(name, counted)?);
            let file = format!("instructions-{}.svg", name.replace('/', "-"));
            let picture = counting::pictures().join(file);
            let title = format!("{name}: where instructions rose (a sample is an instruction)");
            draw_difference(&title, &stacks(base)?, &stacks(head)?, &picture)?;
            self.report.flamegraphs.push(picture);
        }
        Ok(())
    }

    /// What the baseline was counted from: the commit that last changed it, built and counted here.
    fn blessed_source(&self) -> Result<Counted, BadInput> {
        let revision = baseline::last_change(&self.place())?;
        let checkout = Checkout::of(&revision)?;
        (self.say)(&format!(
            "counting commit {revision}, which blessed the baseline"
        ));
        count(&self.source(checkout.folder(), "base"))
            .map_err(|fault| BadInput::new(fault.to_string()))
    }
}
