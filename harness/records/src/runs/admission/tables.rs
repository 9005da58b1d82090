//! The tables of admission.

use super::record::{AdmissionRun, Beside, Checked, Demand, LAYERS, LIMITER, PEER, Weighed};
use crate::cell::{NOTHING, count};
use crate::page::Table;
use crate::runs::distinct::distinct;
use crate::runs::tables::{Named, nanoseconds};

/// What was aimed for: a check costs at most so many times the peer's.
const RATIO_MAX: f64 = 1.0;

/// The names of the tables. A run from before there was this benchmark has none of them.
pub const ADMISSION_TABLES: [&str; 3] = ["admission", "admission_layers", "admission_memory"];

/// Every table that the run has something for.
#[must_use]
pub fn admission_tables(run: &AdmissionRun) -> Vec<Named> {
    let of = |contender: &str| {
        let checks = run.checks.iter();
        let checks = checks.filter(|check| check.contender == contender);
        checks.collect::<Vec<_>>()
    };
    let tables = [
        of_limiter(&of(LIMITER)),
        of_layers(&of(LAYERS)),
        of_memory(&run.weighed),
    ];
    let named = ADMISSION_TABLES.into_iter().zip(tables);
    named
        .filter(|(_, table)| !table.rows.is_empty())
        .map(|(name, table)| Named {
            name: name.to_owned(),
            table,
        })
        .collect()
}

fn of_limiter(checks: &[&Checked]) -> Table {
    let title = format!(
        "a check, ns: {LIMITER}, {PEER}, and the ratio of the two in paired blocks, at most {RATIO_MAX:.2}x, by tenants"
    );
    of_checks(title, "check", checks, |ratio| ratio > RATIO_MAX)
}

fn of_layers(checks: &[&Checked]) -> Table {
    let title = format!(
        "a request through the layers, ns: {LAYERS}, the bare {LIMITER}, and the ratio of the two in paired blocks, by tenants"
    );
    of_checks(title, "request", checks, |_| false)
}

/// Demands and threads down, tenants across.
fn of_checks(
    title: String,
    first: &str,
    checks: &[&Checked],
    is_missed: impl Fn(f64) -> bool,
) -> Table {
    let sizes = distinct(checks.iter().map(|check| check.tenants));
    let ways = distinct(checks.iter().map(|check| (check.demand, check.threads)));
    let name = |(demand, threads)| way(demand, threads);
    by_tenants(
        title,
        first,
        &sizes,
        ways,
        name,
        |(demand, threads), tenants| {
            let is_it = |check: &&&Checked| {
                (check.demand, check.threads, check.tenants) == (demand, threads, tenants)
            };
            let found = checks.iter().find(is_it);
            found.map_or_else(String::new, |check| entry(&check.outcome, &is_missed))
        },
    )
}

/// One row for each thing, one column for each number of tenants.
fn by_tenants<R: Copy>(
    title: String,
    first: &str,
    sizes: &[u32],
    rows: Vec<R>,
    name: impl Fn(R) -> String,
    entry: impl Fn(R, u32) -> String,
) -> Table {
    let sizes_text = sizes.iter().map(|&size| count(size.into()));
    let headings = [first.to_owned()].into_iter().chain(sizes_text);
    let mut table = Table::of_figures(title, headings);
    for row in rows {
        let entries = sizes.iter().map(|&tenants| entry(row, tenants));
        table.row([name(row)].into_iter().chain(entries));
    }
    table
}

fn way(demand: Demand, threads: usize) -> String {
    match threads {
        1 => demand.words().to_owned(),
        threads => format!("{}, {threads} threads", demand.words()),
    }
}

fn entry(outcome: &Beside, is_missed: impl Fn(f64) -> bool) -> String {
    match outcome {
        Beside::Timed {
            ns, peer_ns, ratio, ..
        } => {
            let missed = if is_missed(*ratio) { ": missed" } else { "" };
            let (ns, peer_ns) = (nanoseconds(*ns), nanoseconds(*peer_ns));
            format!("{ns}, {peer_ns} ({ratio:.2}x{missed})")
        }
        Beside::Failed(_) => "FAILED".to_owned(),
        Beside::Void(_) => "void".to_owned(),
    }
}

fn of_memory(weighed: &[Weighed]) -> Table {
    let title =
        "bytes a tenant, as the allocator counted them, keys of eight bytes among them, by tenants";
    let sizes = distinct(weighed.iter().map(|one| one.tenants));
    let contenders = distinct(weighed.iter().map(|one| one.contender.as_str()));
    by_tenants(
        title.to_owned(),
        "bytes",
        &sizes,
        contenders,
        str::to_owned,
        |contender, tenants| {
            let is_it =
                |one: &&Weighed| (one.contender.as_str(), one.tenants) == (contender, tenants);
            let found = weighed.iter().find(is_it);
            found.map_or_else(
                || NOTHING.to_owned(),
                |one| format!("{:.1}", one.bytes_per_tenant),
            )
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::Environment;

    fn check(
        (contender, peer): (&str, &str),
        threads: usize,
        tenants: u32,
        outcome: Beside,
    ) -> Checked {
        Checked {
            contender: contender.to_owned(),
            peer: peer.to_owned(),
            demand: Demand::Admitted,
            threads,
            tenants,
            workload: String::new(),
            admitted: Some(1.0),
            outcome,
        }
    }

    fn timed(ns: f64, peer_ns: f64) -> Beside {
        let ratio = ns / peer_ns;
        Beside::Timed {
            ns,
            peer_ns,
            ratio,
            interval: (ratio, ratio),
            blocks: 2,
        }
    }

    fn run() -> AdmissionRun {
        let beside = (LIMITER, PEER);
        AdmissionRun {
            environment: Environment::now("admission", 0, false),
            checks: vec![
                check(beside, 1, 100, timed(20.0, 25.0)),
                check(beside, 1, 10_000, timed(26.0, 25.0)),
                check(beside, 2, 10_000, Beside::Void("never together".into())),
                check((LAYERS, LIMITER), 1, 100, timed(50.0, 20.0)),
            ],
            weighed: vec![Weighed {
                contender: LIMITER.to_owned(),
                tenants: 1_000_000,
                bytes_per_tenant: 41.04,
            }],
        }
    }

    fn rows(name: &str) -> Vec<Vec<String>> {
        let mut tables = admission_tables(&run()).into_iter();
        let table = tables.find(|table| table.name == name);
        table.expect("a table of this name").table.rows
    }

    #[test]
    fn a_check_stands_beside_its_peer_and_above_it_the_aim_is_missed() {
        assert_eq!(
            rows("admission"),
            [
                [
                    "all admitted",
                    "20.0, 25.0 (0.80x)",
                    "26.0, 25.0 (1.04x: missed)"
                ],
                ["all admitted, 2 threads", "", "void"],
            ]
        );
        assert_eq!(
            rows("admission_layers"),
            [["all admitted", "50.0, 20.0 (2.50x)"]]
        );
        assert_eq!(rows("admission_memory"), [["limiter", "41.0"]]);
    }

    #[test]
    fn a_run_of_a_part_has_the_tables_of_that_part() {
        let mut part = run();
        part.checks.retain(|check| check.contender == LAYERS);
        part.weighed.clear();
        let tables = admission_tables(&part);
        let names: Vec<_> = tables.iter().map(|table| &table.name[..]).collect();
        assert_eq!(names, ["admission_layers"]);
    }
}
