//! What was aimed for, and what the run found.

use super::record::{Contended, Shape};
use crate::page::Table;

/// A ratio that was aimed for.
struct Aim {
    words: &'static str,
    ratio_max: f64,
    threads: usize,
    batch: usize,
    tenants: u32,
    /// The contender above the line and the one below; the best scheduler where none is named.
    over: (Option<&'static str>, &'static str),
}

const AIMS: [Aim; 5] = [
    Aim {
        words: "best scheduler over seg_queue, 2 threads, 10,000 tenants",
        ratio_max: 3.0,
        threads: 2,
        batch: 1,
        tenants: 10_000,
        over: (None, "seg_queue"),
    },
    Aim {
        words: "the same, batch 32",
        ratio_max: 1.0,
        threads: 2,
        batch: 32,
        tenants: 10_000,
        over: (None, "seg_queue"),
    },
    Aim {
        words: "lock_free over locked active_list, 1 thread, 1,000 tenants",
        ratio_max: 1.2,
        threads: 1,
        batch: 1,
        tenants: 1_000,
        over: (Some("lock_free"), "locked active_list"),
    },
    Aim {
        words: "the same, 2 threads",
        ratio_max: 1.0,
        threads: 2,
        batch: 1,
        tenants: 1_000,
        over: (Some("lock_free"), "locked active_list"),
    },
    Aim {
        words: "keys over dense tenants, 2 threads, 10,000 tenants",
        ratio_max: 2.0,
        threads: 2,
        batch: 1,
        tenants: 10_000,
        over: (Some(KEYED), ""),
    },
];

/// Begins the name of a contender with keys; the one without has the rest of it.
const KEYED: &str = "keyed ";

/// One line for every aim that the run says something about.
pub(super) fn table(contended: &[Contended]) -> Option<Table> {
    let title = "what was aimed for on two pinned threads, as ratios of medians in this run";
    let headings = ["aim", "at most", "found", "by"].map(str::to_owned);
    let mut table = Table::of_figures(title, headings);
    for aim in &AIMS {
        if let Some((ratio, by)) = aim.found(contended) {
            let at_most = format!("{:.1}x", aim.ratio_max);
            let met = if ratio <= aim.ratio_max {
                ""
            } else {
                ": missed"
            };
            let found = format!("{ratio:.2}x{met}");
            table.row([aim.words.to_owned(), at_most, found, by.to_owned()]);
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

impl Aim {
    fn found<'a>(&self, contended: &'a [Contended]) -> Option<(f64, &'a str)> {
        let cells: Vec<&Contended> = contended.iter().filter(|one| self.is_about(one)).collect();
        let named = |name: &str| cells.iter().find(|one| one.contender == name).copied();
        let above = match self.over.0 {
            Some(KEYED) => least(cells.iter().filter(|one| one.contender.starts_with(KEYED))),
            Some(name) => named(name),
            None => least(cells.iter().filter(|one| !one.is_floor)),
        }?;
        let below = named(match self.over.0 {
            Some(KEYED) => above.contender.strip_prefix(KEYED)?,
            _ => self.over.1,
        })?;
        Some((above.ns()? / below.ns()?, &above.contender))
    }

    fn is_about(&self, one: &Contended) -> bool {
        let way = (one.threads, one.batch, one.tenants);
        one.shape == Shape::Cycle && way == (self.threads, self.batch, self.tenants)
    }
}

fn least<'a, 'b: 'a>(cells: impl Iterator<Item = &'a &'b Contended>) -> Option<&'b Contended> {
    let timed = cells.copied().filter(|one| one.ns().is_some());
    timed.min_by(|one, other| {
        one.ns()
            .unwrap_or(0.0)
            .total_cmp(&other.ns().unwrap_or(0.0))
    })
}
