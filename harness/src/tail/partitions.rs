//! Micro-partitions: many more partitions than machines, so that load moves in small steps and a lost
//! machine is taken over by many.

use clap::Args;
use rand::Rng;
use rand_distr::{Distribution, Exp1};
use serde::Serialize;

use super::{Model, check_draws, random};
use records::cell::percent;
use records::error::BadInput;
use records::number::{real, round};
use records::page::{Page, Table};
use records::rank::nearest_rank;

const EXAMPLES: &str = "\
Examples:
  cargo lab tail partitions                             1 to 20 partitions a machine, 100 machines
  cargo lab tail partitions --per-machine 100 --machines 30 --json";

/// How evenly load can be spread, and how a lost machine is taken over, by partitions a machine
#[derive(Args, Clone, Copy, Debug, Serialize)]
#[command(after_help = EXAMPLES)]
pub struct Partitions {
    /// How many machines; 2 to 10,000
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..=10_000))]
    pub machines: u32,
    /// Up to so many partitions a machine: each number that divides it is compared
    #[arg(long, value_name = "K", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub per_machine: u32,
    /// How many times the load is drawn
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub trials: u64,
}

/// A row for each number of partitions a machine.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PartitionsRecord {
    /// From 1 upwards.
    pub rows: Vec<PartitionsRow>,
}

/// One number of partitions a machine.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct PartitionsRow {
    /// How many partitions a machine has at first.
    pub per_machine: u32,
    /// The part of a machine's load that moves with one partition, on average: `1 / per_machine`, exactly.
    pub step_share: f64,
    /// How many machines take over a lost one: its partitions, or all others if those are fewer.
    pub recovery_fan_in: u32,
    /// How long that takes, against one machine that takes all: the most partitions of one heir over
    /// all of them, exactly. So much more load does the heir carry too.
    pub recovery_time_share: f64,
    /// The load of the busiest machine over the mean before any move; the median of the trials.
    pub busiest_before: f64,
    /// The same when no move helps any more.
    pub busiest_after: f64,
    /// The moves that took; the median.
    pub moves: u64,
}

/// What a load of 1 is in integer units: sums are exact, so balancing ends.
const UNIT: f64 = 1e6;

impl Model for Partitions {
    type Record = PartitionsRecord;
    const VERB: &'static str = "partitions";

    fn play(&self, seed: u64) -> Result<PartitionsRecord, BadInput> {
        let divisors: Vec<u32> = (1..=self.per_machine)
            .filter(|k| self.per_machine.is_multiple_of(*k))
            .collect();
        // A move looks at every machine and at one machine's partitions.
        let steps =
            u64::from(self.machines) * (u64::from(self.machines) + u64::from(self.per_machine));
        check_draws(self.trials, steps * divisors.len() as u64)?;
        let rows = divisors
            .into_iter()
            .map(|per_machine| self.row(per_machine, seed));
        Ok(PartitionsRecord {
            rows: rows.collect(),
        })
    }

    fn page(&self, record: &PartitionsRecord) -> Page {
        let mut table = Table::new(
            format!("Partitions a machine, {} machines", self.machines),
            &[
                "partitions",
                "one move is",
                "busiest before",
                "after",
                "moves",
                "a lost machine is taken over by",
                "in",
            ],
        );
        for row in &record.rows {
            table.row([
                row.per_machine.to_string(),
                percent(row.step_share),
                format!("{:.2} x", row.busiest_before),
                format!("{:.2} x", row.busiest_after),
                row.moves.to_string(),
                row.recovery_fan_in.to_string(),
                format!("{} of the time", percent(row.recovery_time_share)),
            ]);
        }
        table.note("The load is the same in every row, drawn in the finest partitions; only what can be moved differs. Busiest: the busiest machine over the mean, when each machine has as many partitions, and when no move makes a busiest machine less busy.");
        table.into()
    }
}

impl Partitions {
    fn row(&self, per_machine: u32, seed: u64) -> PartitionsRow {
        let mut random = random(seed);
        let (mut before, mut after, mut moves) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..self.trials {
            let mut machines = self.draw(per_machine, &mut random);
            before.push(busiest(&machines));
            moves.push(balance(&mut machines));
            after.push(busiest(&machines));
        }
        let median = |mut values: Vec<u64>| {
            values.sort_unstable();
            nearest_rank(&values, 50).unwrap_or(0)
        };
        let mean = UNIT; // of what is drawn; one trial's own mean differs little
        let others = self.machines - 1;
        PartitionsRow {
            per_machine,
            step_share: 1.0 / f64::from(per_machine),
            recovery_fan_in: per_machine.min(others),
            recovery_time_share: f64::from(per_machine.div_ceil(others)) / f64::from(per_machine),
            busiest_before: real(median(before)) / mean,
            busiest_after: real(median(after)) / mean,
            moves: median(moves),
        }
    }

    /// The load of every partition by machine. The finest partitions are drawn, and glued together:
    /// the same load for every number of partitions.
    fn draw(&self, per_machine: u32, random: &mut impl Rng) -> Vec<Vec<u64>> {
        let glued = self.per_machine / per_machine;
        let mean = UNIT / f64::from(self.per_machine);
        let mut finest = || {
            let load: f64 = Exp1.sample(random);
            round(load * mean)
        };
        let mut partition = || (0..glued).map(|_| finest()).sum();
        let mut machine = || (0..per_machine).map(|_| partition()).collect();
        (0..self.machines).map(|_| machine()).collect()
    }
}

fn busiest(machines: &[Vec<u64>]) -> u64 {
    machines
        .iter()
        .map(|loads| loads.iter().sum())
        .max()
        .unwrap_or(0)
}

/// Moves partitions from the busiest machine to the least busy until none helps, and says how many.
/// Each move leaves both machines below the busiest, so it ends.
fn balance(machines: &mut [Vec<u64>]) -> u64 {
    let mut totals: Vec<u64> = machines.iter().map(|loads| loads.iter().sum()).collect();
    let mut moves = 0;
    loop {
        let at = |(index, _): (usize, &u64)| index;
        let Some(from) = totals
            .iter()
            .enumerate()
            .max_by_key(|(_, load)| **load)
            .map(at)
        else {
            return moves;
        };
        let to = totals
            .iter()
            .enumerate()
            .min_by_key(|(_, load)| **load)
            .map_or(from, at);
        let gap = totals[from] - totals[to];
        // The best step is half of the gap; a step of the whole gap or more helps nobody.
        let best = machines[from]
            .iter()
            .enumerate()
            .filter(|(_, load)| **load > 0 && **load < gap)
            .min_by_key(|(_, load)| load.abs_diff(gap / 2));
        let Some((index, _)) = best else {
            return moves;
        };
        let load = machines[from].swap_remove(index);
        machines[to].push(load);
        totals[from] -= load;
        totals[to] += load;
        moves += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{balance, busiest};

    #[test]
    fn balancing_stops_where_no_move_helps() {
        let mut whole = vec![vec![9], vec![1]];
        assert_eq!((balance(&mut whole), busiest(&whole)), (0, 9));
        let mut cut = vec![vec![3, 3, 3], vec![1]];
        assert_eq!((balance(&mut cut), busiest(&cut)), (1, 6));
        let mut even = vec![vec![1; 10], vec![]];
        assert_eq!((balance(&mut even), busiest(&even)), (5, 5));
        assert_eq!(balance(&mut [vec![], vec![0, 0]]), 0);
    }
}
