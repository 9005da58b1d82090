//! Two sets of counts, benchmark by benchmark, and the verdict.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

use records::number::real;
use records::runs::{Count, Counts};

/// By how much a count may rise: a soft limit, above what another layout of the program moves.
pub const RISE_MAX: f64 = 0.01;

/// A benchmark before and after.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Compared {
    /// As the counts call it.
    pub benchmark: String,
    /// What became of it.
    pub change: Change,
    /// What it took, where it was there.
    pub base: Option<Count>,
    /// What it takes, where it is there.
    pub head: Option<Count>,
}

/// What became of a benchmark.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Allocations rose at all, or instructions or bytes by more than one percent.
    Regressed,
    /// It is not there any more.
    Vanished,
    /// It was not there before.
    Appeared,
    /// It does other work than before, so its counts say nothing.
    OtherWork,
    /// As [`Vanished`](Self::Vanished), [`Appeared`](Self::Appeared) or [`OtherWork`](Self::OtherWork), and
    /// the commit says so itself.
    Agreed,
    /// Something fell by more than one percent, or there are fewer allocations, and nothing rose so much.
    Improved,
    /// Within the limit.
    Within,
    /// Every count is the same.
    Same,
}

/// How a comparison ends. The worst that happened decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Something was compared, and nothing rose.
    Pass,
    /// Nothing was compared, or not everything could be.
    Unmeasured,
    /// Something rose.
    Regression,
}

impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Regressed => "REGRESSED",
            Self::Vanished => "VANISHED",
            Self::Appeared => "APPEARED",
            Self::OtherWork => "OTHER WORK",
            Self::Agreed => "agreed",
            Self::Improved => "improved",
            Self::Within => "within 1 %",
            Self::Same => "same",
        })
    }
}

impl Change {
    fn of(base: &Count, head: &Count) -> Self {
        if (&base.work, base.operations) != (&head.work, head.operations) {
            return Self::OtherWork;
        }
        let rises = [
            (base.instructions, head.instructions),
            (base.bytes, head.bytes),
        ];
        let moved = |(before, after): (u64, u64)| real(after) - real(before);
        let beyond = |pair: (u64, u64)| moved(pair).abs() > real(pair.0) * RISE_MAX;
        let rose = |pair: &(u64, u64)| moved(*pair) > 0.0 && beyond(*pair);
        let fell = |pair: &(u64, u64)| moved(*pair) < 0.0 && beyond(*pair);
        if head.allocations > base.allocations || rises.iter().any(rose) {
            Self::Regressed
        } else if head.allocations < base.allocations || rises.iter().any(fell) {
            Self::Improved
        } else if base == head {
            Self::Same
        } else {
            Self::Within
        }
    }

    fn verdict(self) -> Verdict {
        match self {
            Self::Regressed => Verdict::Regression,
            Self::Vanished | Self::Appeared | Self::OtherWork => Verdict::Unmeasured,
            Self::Agreed | Self::Improved | Self::Within | Self::Same => Verdict::Pass,
        }
    }
}

impl Compared {
    /// By what part the instructions rose; nothing where there is nothing to compare.
    #[must_use]
    pub fn rise(&self) -> Option<f64> {
        let (base, head) = (self.base.as_ref()?, self.head.as_ref()?);
        let is_same_work = (&base.work, base.operations) == (&head.work, head.operations);
        is_same_work.then(|| real(head.instructions) / real(base.instructions.max(1)) - 1.0)
    }
}

/// Compares every benchmark of either side.
#[must_use]
pub fn compare(base: &Counts, head: &Counts) -> Vec<Compared> {
    let names: BTreeSet<&String> = base.keys().chain(head.keys()).collect();
    let compared = names.into_iter().map(|name| {
        let (base, head) = (base.get(name), head.get(name));
        let change = match (base, head) {
            (Some(base), Some(head)) => Change::of(base, head),
            (Some(_), None) => Change::Vanished,
            (None, _) => Change::Appeared,
        };
        Compared {
            benchmark: name.clone(),
            change,
            base: base.cloned(),
            head: head.cloned(),
        }
    });
    compared.collect()
}

/// Lets pass what the head's own baselines agree to, on whichever platform they were counted: that a
/// benchmark is there, or no more, or does the work that it does.
pub fn agree(compared: &mut [Compared], baselines: &[Counts]) {
    for one in compared {
        let listed = baselines.iter().map(|counts| counts.get(&one.benchmark));
        let work = one.head.as_ref().map(|head| &head.work);
        let mut same = listed.map(|count| count.map(|count| &count.work) == work);
        let agreed = !baselines.is_empty() && same.all(|same| same);
        if one.change.verdict() == Verdict::Unmeasured && agreed {
            one.change = Change::Agreed;
        }
    }
}

/// The verdict on all. Where nothing could be compared, nothing passes.
#[must_use]
pub fn verdict(compared: &[Compared]) -> Verdict {
    let worst = compared.iter().map(|one| one.change.verdict()).max();
    let is_compared = |one: &Compared| one.rise().is_some();
    match worst {
        Some(Verdict::Pass) if !compared.iter().any(is_compared) => Verdict::Unmeasured,
        worst => worst.unwrap_or(Verdict::Unmeasured),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A batch of a hundred that took so much.
    pub(in crate::gate) fn count(instructions: u64, allocations: u64) -> Count {
        Count {
            allocations,
            bytes: 64 * allocations,
            cycles: 2 * instructions,
            instructions,
            l1_hits: instructions,
            ll_hits: 0,
            operations: 100,
            ram_hits: 0,
            work: "0123456789abcdef".into(),
        }
    }

    fn counts(entries: &[(&str, Count)]) -> Counts {
        let named = |(name, count): &(&str, Count)| ((*name).to_owned(), count.clone());
        entries.iter().map(named).collect()
    }

    fn ends(base: &[(&str, Count)], head: &[(&str, Count)]) -> (Vec<Change>, Verdict) {
        let compared = compare(&counts(base), &counts(head));
        let changes = compared.iter().map(|one| one.change).collect();
        (changes, verdict(&compared))
    }

    #[test]
    fn a_rise_beyond_the_limit_is_a_regression() {
        use Change::{Improved, Regressed, Same, Within};
        let change = |base, head| ends(&[("a", base)], &[("a", head)]);
        let before = || count(10_000, 3);
        for (after, expected) in [
            (count(10_000, 3), Same),
            (count(10_100, 3), Within),
            (count(10_101, 3), Regressed),
            (count(9_900, 3), Within),
            (count(9_899, 3), Improved),
            (count(10_000, 4), Regressed),
            (count(10_000, 2), Improved),
            (count(9_000, 4), Regressed),
        ] {
            let is_bad = expected == Regressed;
            let (changes, verdict) = change(before(), after.clone());
            assert_eq!(changes, [expected], "{after:?}");
            assert_eq!(verdict == Verdict::Regression, is_bad, "{after:?}");
        }
        let mut bytes = before();
        bytes.bytes += 2;
        assert_eq!(change(before(), bytes.clone()).0, [Regressed]);
        assert_eq!(change(count(10_000, 0), count(10_000, 1)).0, [Regressed]);
        assert_eq!(change(count(0, 0), count(0, 0)).0, [Same]);
    }

    /// Public reports: a benchmark missing from the baseline broke the comparison, or passed it.
    #[test]
    fn a_comparison_tells_compared_removed_and_new() {
        let one = || count(100, 0);
        let (changes, verdict) = ends(&[("a", one()), ("b", one())], &[("a", one()), ("c", one())]);
        assert_eq!(changes, [Change::Same, Change::Vanished, Change::Appeared]);
        assert_eq!(verdict, Verdict::Unmeasured);
        assert_eq!(ends(&[], &[("a", one())]).1, Verdict::Unmeasured);
        assert_eq!(ends(&[("a", one())], &[]).1, Verdict::Unmeasured);
        assert_eq!(ends(&[], &[]).1, Verdict::Unmeasured);
        let worse = [("a", count(200, 0))];
        assert_eq!(
            ends(&[("a", one()), ("b", one())], &worse).1,
            Verdict::Regression
        );
    }

    #[test]
    fn counts_of_other_work_are_not_compared() {
        let mut other = count(100, 0);
        other.work = "fedcba9876543210".into();
        let (changes, verdict) = ends(&[("a", count(100, 0))], &[("a", other)]);
        assert_eq!(
            (changes, verdict),
            (vec![Change::OtherWork], Verdict::Unmeasured)
        );
    }

    #[test]
    fn what_the_head_agrees_to_may_appear_vanish_and_change_its_work() {
        let one = || count(100, 0);
        let mut other = one();
        other.work = "fedcba9876543210".into();
        let base = counts(&[("a", one()), ("b", one()), ("c", one())]);
        let head = counts(&[("a", one()), ("c", other), ("d", one())]);
        let mut agreed = compare(&base, &head);
        agree(&mut agreed, std::slice::from_ref(&head));
        assert_eq!(verdict(&agreed), Verdict::Pass);
        for baselines in [vec![], vec![base.clone()], vec![head.clone(), base.clone()]] {
            let mut not = compare(&base, &head);
            agree(&mut not, &baselines);
            assert_eq!(verdict(&not), Verdict::Unmeasured);
        }
        let mut nothing_left = compare(&base, &counts(&[("d", one())]));
        agree(&mut nothing_left, &[counts(&[("d", one())])]);
        assert_eq!(
            verdict(&nothing_left),
            Verdict::Unmeasured,
            "nothing was compared"
        );
    }
}
