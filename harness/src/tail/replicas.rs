//! Selective replication: more copies of what is hot, and of nothing else.

use clap::Args;
use rand::{Rng, RngExt};
use serde::Serialize;

use super::{Model, check_draws, open_share, random};
use records::cell::{NOTHING, count, percent};
use records::error::BadInput;
use records::number::{real, round};
use records::page::{Page, Table};
use records::rank::nearest_rank;

const EXAMPLES: &str = "\
Examples:
  cargo lab tail replicas                               2,000 partitions by Zipf on 100 machines
  cargo lab tail replicas --load 0.8 --copy-share 0.1
  cargo lab tail replicas --partitions 10000 --machines 20 --json";

/// What more copies of the hottest partitions do to the busiest machine, and what they cost
#[derive(Args, Clone, Copy, Debug, Serialize)]
#[command(after_help = EXAMPLES)]
pub struct Replicas {
    /// How many machines; 2 to 10,000
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..=10_000))]
    pub machines: u32,
    /// How many partitions; the k-th is asked for 1/k as often as the first
    #[arg(long, value_name = "P", default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub partitions: u32,
    /// How busy the machines are on average, above 0 and below 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.4, value_parser = open_share)]
    pub load: f64,
    /// A partition is hot if one copy would carry more than this part of a mean machine's load; it gets
    /// as many copies as keep each below. Above 0 and below 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.25, value_parser = open_share)]
    pub copy_share: f64,
    /// How many times the partitions are placed
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
    pub trials: u64,
}

/// A row for each way to replicate.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ReplicasRecord {
    /// One copy of each; three of each; more of the hot ones.
    pub rows: Vec<ReplicasRow>,
}

/// One way to replicate.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ReplicasRow {
    /// Which partitions have more than one copy.
    pub replicated: &'static str,
    /// Copies beyond one of each, over the partitions.
    pub extra_copies_share: f64,
    /// The load of the busiest machine over the mean: the median of the placements.
    pub busiest: f64,
    /// How busy that machine is: 1 and more is too much.
    pub busiest_utilisation: f64,
    /// The 99th percentile of what a request takes there, in mean service times, if both gaps and
    /// services are exponential (M/M/1): `ln 100 / (1 - utilisation)`. `null` if it is too busy.
    pub busiest_p99_services: Option<f64>,
}

impl Model for Replicas {
    type Record = ReplicasRecord;
    const VERB: &'static str = "replicas";

    fn play(&self, seed: u64) -> Result<ReplicasRecord, BadInput> {
        let shares = self.shares();
        let hot: Vec<u32> = shares.iter().map(|&share| self.copies(share)).collect();
        let each = |copies: u32| vec![copies.min(self.machines); shares.len()];
        let ways = [
            ("nothing", each(1)),
            ("everything, 3 copies", each(3)),
            ("what is hot", hot),
        ];
        let draws: u64 = ways
            .iter()
            .flat_map(|(_, copies)| copies)
            .map(|&copies| u64::from(copies))
            .sum();
        check_draws(self.trials, draws)?;
        let rows = ways.map(|(replicated, copies)| self.row(replicated, &shares, &copies, seed));
        Ok(ReplicasRecord {
            rows: rows.to_vec(),
        })
    }

    fn page(&self, record: &ReplicasRecord) -> Page {
        let mut table = Table::new(
            format!(
                "{} partitions by Zipf on {} machines, {} busy on average",
                count(u64::from(self.partitions)),
                self.machines,
                percent(self.load)
            ),
            &[
                "replicated",
                "more copies",
                "busiest machine",
                "it is busy",
                "its p99, in services",
            ],
        );
        for row in &record.rows {
            table.row([
                row.replicated.to_owned(),
                percent(row.extra_copies_share),
                format!("{:.2} x the mean", row.busiest),
                percent(row.busiest_utilisation),
                row.busiest_p99_services
                    .map_or_else(|| NOTHING.to_owned(), |p99| format!("{p99:.1}")),
            ]);
        }
        table.note(format!("Hot: one copy would carry more than {} of a mean machine's load. Requests go to the copies in turn, and copies to machines at random; no p99 where a machine is asked for more than it can do.", percent(self.copy_share)));
        table.into()
    }
}

impl Replicas {
    /// The share of all requests that each partition gets.
    fn shares(&self) -> Vec<f64> {
        let weights: Vec<f64> = (1..=self.partitions)
            .map(|rank| 1.0 / f64::from(rank))
            .collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / sum).collect()
    }

    /// As many copies as keep each at or below the allowed share, and no more than machines.
    fn copies(&self, share: f64) -> u32 {
        let allowed = self.copy_share / f64::from(self.machines);
        let wanted = (share / allowed).ceil();
        if wanted >= f64::from(self.machines) {
            return self.machines;
        }
        u32::try_from(round(wanted)).map_or(self.machines, |copies| copies.max(1))
    }

    fn row(
        &self,
        replicated: &'static str,
        shares: &[f64],
        copies: &[u32],
        seed: u64,
    ) -> ReplicasRow {
        let mut random = random(seed);
        // In millionths of the mean, so that placements can be ranked exactly.
        let mut busiest: Vec<u64> = (0..self.trials)
            .map(|_| round(self.place(shares, copies, &mut random) * 1e6))
            .collect();
        busiest.sort_unstable();
        let busiest = real(nearest_rank(&busiest, 50).unwrap_or(0)) / 1e6;
        let utilisation = busiest * self.load;
        let partitions = real(u64::from(self.partitions));
        let all_copies: u64 = copies.iter().map(|&copies| u64::from(copies)).sum();
        ReplicasRow {
            replicated,
            extra_copies_share: real(all_copies) / partitions - 1.0,
            busiest,
            busiest_utilisation: utilisation,
            busiest_p99_services: (utilisation < 1.0).then(|| 100_f64.ln() / (1.0 - utilisation)),
        }
    }

    /// Places every copy on a machine of its own, from a random one on, and says how much more than
    /// the mean the busiest carries.
    fn place(&self, shares: &[f64], copies: &[u32], random: &mut impl Rng) -> f64 {
        let mut loads = vec![0.0; self.machines as usize];
        for (&share, &copies) in shares.iter().zip(copies) {
            let first = random.random_range(0..self.machines);
            // Copies lie apart, so that two hot partitions do not share all their machines.
            let stride = self.machines / copies;
            for copy in 0..copies {
                loads[((first + copy * stride) % self.machines) as usize] +=
                    share / f64::from(copies);
            }
        }
        loads.into_iter().fold(0.0, f64::max) * f64::from(self.machines)
    }
}
