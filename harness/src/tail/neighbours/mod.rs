//! Where fairness and the tail meet: requests that need many servers, some of which a noisy tenant
//! keeps busy.
//!
//! A scheduler decides what one leaf waits on a noisy server; the width decides how likely a request
//! meets one; a tie lets a leaf leave by its other server.

mod demand;

use clap::Args;
use serde::Serialize;

use super::cluster::{Cluster, Workload, check_size, settings};
use super::{LEAVES_MAX, Model, Percentiles, Policy, open_share, random};
use crate::command::{SchedulerChoice, scheduler_choice};
use crate::scheduler::Scheduler;
use records::cell::{count, percent, tenths_ms};
use records::error::BadInput;
use records::number::real;
use records::page::{Page, Table};

const EXAMPLES: &str = "\
Examples:
  cargo lab tail neighbours                             every scheduler, four widths, with and without ties
  cargo lab tail neighbours --scheduler rotation --widths 1,10,50 --json
  cargo lab tail neighbours --noisy-servers 20 --burst-jobs 400
  cargo lab tail neighbours --servers 20 --workers 4 --duration-us 10000000";

/// What neighbours of a noisy tenant wait for whole requests, by scheduler and fan-out width
#[derive(Args, Clone, Debug, Serialize)]
#[command(after_help = EXAMPLES)]
pub struct Neighbours {
    /// How many servers; 2 or more
    #[arg(long, value_name = "S", default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..=10_000))]
    pub servers: u32,
    /// Jobs that one server can run at once
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub workers: u32,
    /// How long any job takes
    #[arg(long, value_name = "US", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub service_us: u64,
    /// How many tenants ask for a little
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub neighbours: u32,
    /// How busy they keep the servers, above 0 and below 1; the same for every width
    #[arg(long, value_name = "SHARE", default_value_t = 0.4, value_parser = open_share)]
    pub load: f64,
    /// How many servers a request needs: one figure for each. Without it: 1, 5, 20 and all
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=LEAVES_MAX))]
    pub widths: Vec<u32>,
    /// On how many servers the noisy tenant bursts
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub noisy_servers: u32,
    /// How many jobs it dumps on each of them at once
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub burst_jobs: u32,
    /// How busy it keeps those servers, above 0 and below 1: so often does it burst
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = open_share)]
    pub noisy_load: f64,
    /// What a message takes: a job to its server, an answer, a cancellation
    #[arg(long, value_name = "US", default_value_t = 500, value_parser = clap::value_parser!(u64).range(0..=1_000_000_000))]
    pub message_us: u64,
    /// Requests arrive for so long
    #[arg(long, value_name = "US", default_value_t = 30_000_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub duration_us: u64,
    /// One scheduler, or all
    #[arg(long, value_name = "NAME", value_parser = scheduler_choice())]
    #[serde(skip)]
    pub scheduler: Option<SchedulerChoice>,
}

/// A row for each width, scheduler, and with or without ties.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NeighboursRecord {
    /// Requests of all runs together.
    pub trials: u64,
    /// In the order of the page, line by line.
    pub rows: Vec<NeighboursRow>,
}

/// One run.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct NeighboursRow {
    /// What every server runs.
    pub scheduler: &'static str,
    /// Whether the noisy tenant was there.
    pub noisy: bool,
    /// Whether each leaf was sent to two servers, and cancelled on one.
    pub tied: bool,
    /// How many servers a request needs.
    pub width: u32,
    /// The chance that a noisy one is among the first choices, exactly.
    pub p_meets_noisy: f64,
    /// How many requests were measured.
    pub trials: u64,
    /// The neighbours' whole requests, from arrival to the last answer.
    pub simulated: Percentiles,
}

impl Model for Neighbours {
    type Record = NeighboursRecord;
    const VERB: &'static str = "neighbours";

    fn play(&self, seed: u64) -> Result<NeighboursRecord, BadInput> {
        let widths = self.checked_widths()?;
        let mut other = random(seed);
        other.jump();
        let bursts = self.noise(&mut other);
        // By width: the neighbours alone, and with the noisy tenant.
        let mut workloads = Vec::new();
        for &width in &widths {
            let alone = self.requests(&mut random(seed), width);
            let both = alone.with(&bursts);
            workloads.push((width, [alone, both]));
        }
        let schedulers = self.scheduler.unwrap_or(SchedulerChoice::All).schedulers();
        let quiet = schedulers.first().map(|&scheduler| (scheduler, false));
        let lines = quiet
            .into_iter()
            .chain(schedulers.iter().map(|&scheduler| (scheduler, true)));
        let mut rows = Vec::new();
        for (scheduler, noisy) in lines {
            for tied in [false, true] {
                for (width, workloads) in &workloads {
                    let workload = &workloads[usize::from(noisy)];
                    rows.push(self.row(scheduler, noisy, tied, *width, workload, seed));
                }
            }
        }
        Ok(NeighboursRecord {
            trials: rows.iter().map(|row| row.trials).sum(),
            rows,
        })
    }

    fn page(&self, record: &NeighboursRecord) -> Page {
        let mut table = Table::new(
            "Neighbours of a noisy tenant: whole requests, p50 / p99 in milliseconds",
            &[],
        );
        let Some(first) = record.rows.first() else {
            return table.into();
        };
        let line = |row: &NeighboursRow| (row.scheduler, row.noisy, row.tied);
        let widths = || {
            record
                .rows
                .iter()
                .take_while(|row| line(row) == line(first))
        };
        table.headings = ["scheduler", "sent to"].map(str::to_owned).to_vec();
        table
            .headings
            .extend(widths().map(|row| format!("{} of {}", row.width, self.servers)));
        let mut meets = vec!["(meets a noisy server)".to_owned(), "one".to_owned()];
        meets.extend(widths().map(|row| percent(row.p_meets_noisy)));
        table.row(meets);
        for cells in record.rows.chunk_by(|a, b| line(a) == line(b)) {
            let row = &cells[0];
            let quiet = if row.noisy { "" } else { ", nobody noisy" };
            let sent = if row.tied { "two, tied" } else { "one" };
            let mut texts = vec![format!("{}{quiet}", row.scheduler), sent.to_owned()];
            texts.extend(cells.iter().map(|row| {
                format!(
                    "{} / {}",
                    tenths_ms(row.simulated.p50_us),
                    tenths_ms(row.simulated.p99_us)
                )
            }));
            table.row(texts);
        }
        let fewest = widths().map(|row| row.trials).min().unwrap_or(0);
        let most = widths().map(|row| row.trials).max().unwrap_or(0);
        table.note(format!(
            "Servers: {}, workers of each: {}, {} busy with the requests of {} neighbours. On {} servers a noisy tenant dumps {} jobs at a time, and keeps them {} busy besides. A job takes {} ms, a message {} ms. From {} to {} requests a cell.",
            self.servers,
            self.workers,
            percent(self.load),
            self.neighbours,
            self.noisy_servers,
            self.burst_jobs,
            percent(self.noisy_load),
            tenths_ms(Some(self.service_us)),
            tenths_ms(Some(self.message_us)),
            count(fewest),
            count(most),
        ));
        table.into()
    }
}

impl Neighbours {
    fn checked_widths(&self) -> Result<Vec<u32>, BadInput> {
        if self.noisy_servers > self.servers {
            return Err(BadInput::new(format!(
                "noisy on {} of {} servers: give --noisy-servers 0 to {1}",
                self.noisy_servers, self.servers
            )));
        }
        if let Some(wide) = self.widths.iter().find(|&&width| width > self.servers) {
            return Err(BadInput::new(format!(
                "a width of {wide}, but there are {} servers: give --widths 1 to {0}",
                self.servers
            )));
        }
        let per_us = f64::from(self.workers) / real(self.service_us);
        let jobs =
            self.load * f64::from(self.servers) + self.noisy_load * f64::from(self.noisy_servers);
        let widths = if self.widths.is_empty() {
            let narrow = [1, 5, 20].into_iter().filter(|&width| width < self.servers);
            narrow.chain([self.servers]).collect()
        } else {
            self.widths.clone()
        };
        let bursts = f64::from(self.burst_jobs) * f64::from(self.noisy_servers);
        check_size((jobs * per_us * real(self.duration_us) + bursts) * real(widths.len() as u64))?;
        Ok(widths)
    }

    fn row(
        &self,
        scheduler: Scheduler,
        noisy: bool,
        tied: bool,
        width: u32,
        workload: &Workload,
        seed: u64,
    ) -> NeighboursRow {
        let cluster = Cluster {
            servers: self.servers,
            workers: self.workers,
            scheduler,
            settings: settings(self.service_us),
            message_us: self.message_us,
        };
        let policy = if tied { Policy::Tie } else { Policy::First };
        let mut took_us = cluster.simulate(workload, policy, random(seed)).took_us;
        NeighboursRow {
            scheduler: scheduler.name,
            noisy,
            tied,
            width,
            p_meets_noisy: self.p_meets_noisy(width),
            trials: took_us.len() as u64,
            simulated: Percentiles::observed(&mut took_us),
        }
    }

    /// The chance that `width` different servers are not all quiet.
    fn p_meets_noisy(&self, width: u32) -> f64 {
        let quiet = self.servers - self.noisy_servers;
        let all_quiet: f64 = (0..width)
            .map(|drawn| f64::from(quiet.saturating_sub(drawn)) / f64::from(self.servers - drawn))
            .product();
        1.0 - all_quiet
    }
}
