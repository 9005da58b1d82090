//! The tables of contention.

use super::aims;
use super::record::{Contended, SHARED_FLOOR, Shape};
use crate::cell::count;
use crate::page::Table;
use crate::runs::distinct::distinct;
use crate::runs::results::Outcome;
use crate::runs::tables::{Named, nanoseconds};

/// Every table that there is something for.
pub(in crate::runs) fn tables(contended: &[Contended]) -> Vec<Named> {
    let mut tables = Vec::new();
    for shape in [Shape::Cycle, Shape::ProducersConsumers] {
        let ways = distinct(of(contended, shape).map(|one| (one.threads, one.batch)));
        for (threads, batch) in ways {
            let cells = of(contended, shape);
            let cells = cells.filter(|one| (one.threads, one.batch) == (threads, batch));
            tables.push(Named {
                name: shape.group(threads, batch),
                table: of_throughput(&cells.collect::<Vec<_>>()),
            });
        }
    }
    let waits: Vec<_> = of(contended, Shape::WaitUnderLoad).collect();
    if !waits.is_empty() {
        tables.push(Named {
            name: Shape::WaitUnderLoad.name().to_owned(),
            table: of_waits(&waits),
        });
    }
    let aims = aims::table(contended).map(|table| Named {
        name: "contention_aims".to_owned(),
        table,
    });
    tables.extend(aims);
    tables
}

fn of(contended: &[Contended], shape: Shape) -> impl Iterator<Item = &Contended> {
    contended.iter().filter(move |one| one.shape == shape)
}

/// One shape with so many threads and jobs a call: contenders down, tenants across. Where everybody
/// always waits, what the noisy tenant got over an equal share: speed is no use without fairness.
fn of_throughput(cells: &[&Contended]) -> Table {
    let one = cells[0];
    let shows_noise = one.shape == Shape::Cycle;
    let title = format!(
        "{}; {}; wall time over all jobs that went through, ns ± half the way from the first to the last tenth of the samples \
         (ratio to {SHARED_FLOOR}; * the best scheduler), by tenants{}",
        one.shape.operation(),
        way(one),
        if shows_noise {
            "; last, what the noisy tenant got over an equal share"
        } else {
            ""
        },
    );
    let sizes = distinct(cells.iter().map(|one| one.tenants));
    let mut headings = vec![one.shape.name().to_owned()];
    headings.extend(sizes.iter().map(|&size| count(size.into())));
    if shows_noise {
        headings.push(format!("noisy of {}", count(sizes[0].into())));
    }
    let mut table = Table::of_figures(title, headings);
    for contender in distinct(cells.iter().map(|one| one.contender.as_str())) {
        let mut row = vec![contender.to_owned()];
        row.extend(sizes.iter().map(|&size| {
            let is_it = |one: &&&Contended| one.contender == contender && one.tenants == size;
            let cell = cells.iter().find(is_it);
            cell.map_or_else(String::new, |cell| entry(cell, cells))
        }));
        if shows_noise {
            let mut noise = cells.iter().filter(|one| one.contender == contender);
            let noise = noise.find_map(|one| (one.tenants == sizes[0]).then_some(one.noise)?);
            row.push(noise.map_or_else(String::new, |noise| format!("{noise:.1}")));
        }
        table.row(row);
    }
    table
}

/// How many threads and jobs a call, in words.
fn way(one: &Contended) -> String {
    let threads = match one.threads {
        1 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    let oversubscribed = if one.oversubscribed {
        " (oversubscribed: more than there are cores)"
    } else {
        ""
    };
    let batch = match one.batch {
        1 => String::new(),
        batch => format!(", {batch} jobs a call"),
    };
    format!("{threads}{oversubscribed}{batch}")
}

fn entry(cell: &Contended, rivals: &[&Contended]) -> String {
    let timed = match &cell.outcome {
        Outcome::Timed(timed) => timed,
        other => return other.word().to_owned(),
    };
    let rivals = rivals
        .iter()
        .filter(|rival| rival.is_alike(cell) && !rival.is_floor);
    let least = rivals.filter_map(|rival| rival.ns()).min_by(f64::total_cmp);
    let is_best = !cell.is_floor && cell.ns() == least;
    let mark = if is_best { "* " } else { "" };
    let spread = timed.spread() / 2.0 * 100.0;
    let ratio = cell.floor_ratio.map(|ratio| format!(" ({ratio:.2}x)"));
    let ns = nanoseconds(timed.ns_median);
    format!("{mark}{ns} ±{spread:.0}%{}", ratio.unwrap_or_default())
}

/// Takes timed one by one.
fn of_waits(cells: &[&Contended]) -> Table {
    let title = format!(
        "{}: ns, {} tenants, {}",
        Shape::WaitUnderLoad.operation(),
        distinct(cells.iter().map(|one| count(one.tenants.into()))).join(" and "),
        way(cells[0]),
    );
    let headings = ["wait_under_load", "p50", "p99", "p99.9", "takes timed"];
    let mut table = Table::of_figures(title, headings.map(str::to_owned));
    for one in cells {
        let figures = match &one.wait {
            Some(wait) => [wait.ns_p50, wait.ns_p99, wait.ns_p99_9].map(nanoseconds),
            None => [one.outcome.word(), "", ""].map(str::to_owned),
        };
        let takes = one.wait.map_or(0, |wait| wait.takes);
        let mut row = vec![one.contender.clone()];
        row.extend(figures);
        row.push(count(takes as u64));
        table.row(row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::contention::compare_with_shared_floor;
    use crate::runs::results::Timed;

    fn timed(contender: &str, batch: usize, tenants: u32, ns: f64) -> Contended {
        let outcome = Outcome::Timed(Timed {
            ns_median: ns,
            ns_p10: ns * 0.9,
            ns_p90: ns * 1.1,
            samples: 10,
        });
        Contended {
            shape: Shape::Cycle,
            contender: contender.to_owned(),
            is_floor: contender == SHARED_FLOOR,
            threads: 2,
            oversubscribed: false,
            batch,
            tenants,
            workload: String::new(),
            noise: Some(1.0),
            floor_ratio: None,
            failed_takes: 0.0,
            void_samples: 0,
            outcome,
            wait: None,
        }
    }

    fn run() -> Vec<Contended> {
        let mut run = vec![
            timed(SHARED_FLOOR, 1, 10_000, 50.0),
            timed("locked fifo", 1, 10_000, 200.0),
            timed("lock_free", 1, 10_000, 100.0),
            timed("keyed lock_free", 1, 10_000, 250.0),
            timed(SHARED_FLOOR, 32, 10_000, 50.0),
            timed("lock_free", 32, 10_000, 25.0),
            timed("locked fifo", 32, 10_000, 20.0),
        ];
        run[6].outcome = Outcome::Void("never together".to_owned());
        compare_with_shared_floor(&mut run);
        run
    }

    fn rows(name: &str) -> Vec<Vec<String>> {
        let mut tables = tables(&run()).into_iter();
        let table = tables.find(|table| table.name == name);
        table.expect("a table of this name").table.rows
    }

    #[test]
    fn a_time_stands_beside_its_spread_its_ratio_and_whether_it_is_the_best() {
        assert_eq!(
            rows("contention_2_threads_batch_1"),
            [
                [SHARED_FLOOR, "50.0 ±10% (1.00x)", "1.0"],
                ["locked fifo", "200 ±10% (4.00x)", "1.0"],
                ["lock_free", "* 100 ±10% (2.00x)", "1.0"],
                ["keyed lock_free", "250 ±10% (5.00x)", "1.0"],
            ]
        );
        let batched = rows("contention_2_threads_batch_32");
        assert_eq!(batched[1][1], "* 25.0 ±10% (0.50x)");
        assert_eq!(batched[2][1], "void");
    }

    #[test]
    fn aims_are_met_or_missed_by_the_run_itself() {
        let rows = rows("contention_aims");
        let found: Vec<_> = rows.iter().map(|row| (&row[1][..], &row[2][..])).collect();
        assert_eq!(
            found,
            [
                ("3.0x", "2.00x"),
                ("1.0x", "0.50x"),
                ("2.0x", "2.50x: missed")
            ]
        );
    }

    #[test]
    fn more_threads_than_cores_are_said_to_be_oversubscribed() {
        let mut one = timed("lock_free", 1, 100, 10.0);
        (one.threads, one.oversubscribed) = (8, true);
        let title = &tables(&[one])[0].table.title;
        assert!(title.contains("8 threads (oversubscribed"), "{title}");
    }
}
