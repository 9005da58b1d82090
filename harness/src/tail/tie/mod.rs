//! Tied requests: two servers get the same job, and the copy that starts first cancels the other.
//!
//! Most of a long wait is waiting in a queue, and only the server knows when it is over. So let both
//! queues decide: the cancellation takes one message, in O(1), and the second copy is sent two
//! messages later, so that on idle servers it is cancelled before it arrives.

mod page;

use clap::Args;
use rand::{Rng, RngExt};
use schedulers::Tenant;
use serde::Serialize;

use super::cluster::{
    Cluster, LeafOf, Outcome, Workload, check_size, check_span, exponential, settings,
};
use super::{Model, Percentiles, Policy, Probability, Tally, open_share, random};
use crate::command::{SchedulerChoice, scheduler_choice};
use crate::scheduler::{SCHEDULERS, Scheduler};
use records::error::BadInput;
use records::number::{real, round};
use records::page::Page;

const EXAMPLES: &str = "\
Examples:
  cargo lab tail tie                                    every policy, idle and under a heavy load
  cargo lab tail tie --scheduler all --trials 20000     on the queues of every scheduler
  cargo lab tail tie --message-us 5000                  messages that take half of a service
  cargo lab tail tie --stale-us 0,50000 --json";

/// What sending a request to two queues does, against asking, guessing and hedging
#[derive(Args, Clone, Debug, Serialize)]
#[command(after_help = EXAMPLES)]
pub struct Tie {
    /// How many servers; 2 to 10,000
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(2..=10_000))]
    pub servers: u32,
    /// Jobs that one server can run at once
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub workers: u32,
    /// What a request takes on average, exponentially, on either of its two servers
    #[arg(long, value_name = "US", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub service_us: u64,
    /// Its service is the sum of so many exponential stages: the more, the more even
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub stages: u32,
    /// How busy the requests keep the servers, above 0 and below 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.3, value_parser = open_share)]
    pub load: f64,
    /// How busy another tenant keeps them besides, in the second half of the tables
    #[arg(long, value_name = "SHARE", default_value_t = 0.3, value_parser = open_share)]
    pub heavy_load: f64,
    /// What a job of that tenant takes on average, exponentially
    #[arg(long, value_name = "US", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub heavy_service_us: u64,
    /// How much of its size such a job has in common with the jobs of its wave on the other servers,
    /// from 0 to 1
    #[arg(long, value_name = "SHARE", default_value = "0.5")]
    pub heavy_alike: Probability,
    /// What a message takes: a job to its server, an answer, a cancellation
    #[arg(long, value_name = "US", default_value_t = 500, value_parser = clap::value_parser!(u64).range(0..=1_000_000_000))]
    pub message_us: u64,
    /// Ask all servers for their backlog at intervals of these
    #[arg(long, value_name = "US", value_delimiter = ',', default_values_t = [0, 1_000, 10_000, 100_000, 1_000_000], value_parser = clap::value_parser!(u64).range(0..=1_000_000_000_000))]
    pub stale_us: Vec<u64>,
    /// The queues of the servers: a scheduler, or all. Without it: the first of the registry
    #[arg(long, value_name = "NAME", value_parser = scheduler_choice())]
    #[serde(skip)]
    pub scheduler: Option<SchedulerChoice>,
    /// How many requests are simulated in each run
    #[arg(long, default_value_t = 300_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub trials: u64,
}

/// A row for each scheduler, load and policy.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TieRecord {
    /// In this order.
    pub rows: Vec<TieRow>,
}

/// One policy under one load.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct TieRow {
    /// The queues of the servers.
    pub scheduler: &'static str,
    /// Whether another tenant keeps the servers busy besides.
    pub heavy: bool,
    /// How a client chooses.
    #[serde(flatten)]
    pub policy: Policy,
    /// From sending a request to its answer.
    pub simulated: Percentiles,
    /// The median against that of the first server alone, minus 1.
    pub p50_change: f64,
    /// The 99.9th percentile, likewise.
    pub p999_change: f64,
    /// What it cost.
    #[serde(flatten)]
    pub tally: Tally,
}

/// Who asks, and who is the load.
const REQUESTS: Tenant = Tenant::new(0);
const HEAVY: Tenant = Tenant::new(1);

/// The most times that servers are asked in one run: some seconds.
const ANSWERS_MAX: f64 = 1e8;

impl Model for Tie {
    type Record = TieRecord;
    const VERB: &'static str = "tie";

    fn play(&self, seed: u64) -> Result<TieRecord, BadInput> {
        let span_us = real(self.trials) * self.gap_us(self.load, self.service_us);
        let heavy_jobs = span_us / self.gap_us(self.heavy_load, self.heavy_service_us);
        check_span(span_us)?;
        check_size(real(self.trials) + heavy_jobs)?;
        let asked_most = self.stale_us.iter().filter(|&&stale_us| stale_us > 0).min();
        if asked_most.is_some_and(|&us| span_us / real(us) * f64::from(self.servers) > ANSWERS_MAX)
        {
            return Err(BadInput::new(
                "the servers would be asked more than a hundred million times: give larger --stale-us",
            ));
        }
        let idle = self.requests(&mut random(seed), span_us);
        let mut other = random(seed);
        other.jump();
        let heavy = idle.with(&self.heavy(&mut other, span_us));
        let first = SchedulerChoice::One(SCHEDULERS[0]);
        let mut rows = Vec::new();
        for scheduler in self.scheduler.unwrap_or(first).schedulers() {
            for (heavy, workload) in [(false, &idle), (true, &heavy)] {
                rows.extend(self.policies(scheduler, heavy, workload, seed));
            }
        }
        Ok(TieRecord { rows })
    }

    fn page(&self, record: &TieRecord) -> Page {
        page::page(self, record)
    }
}

impl Tie {
    /// From one job to the next, over all servers, so that they are that busy.
    fn gap_us(&self, load: f64, service_us: u64) -> f64 {
        real(service_us) / (load * f64::from(self.servers) * f64::from(self.workers))
    }

    fn service(&self, random: &mut impl Rng) -> u64 {
        let stages = f64::from(self.stages);
        let sum: f64 = (0..self.stages).map(|_| exponential(random)).sum();
        round(sum / stages * real(self.service_us)).max(1)
    }

    fn requests(&self, random: &mut impl Rng, span_us: f64) -> Workload {
        let mut workload = Workload::default();
        let mut at = 0.0;
        let gap_us = span_us / real(self.trials);
        for _ in 0..self.trials {
            at += exponential(random) * gap_us;
            let first = random.random_range(0..self.servers);
            let second = (first + random.random_range(1..self.servers)) % self.servers;
            let leaf = LeafOf {
                servers: [first, second],
                service_us: [(); 2].map(|()| self.service(random)),
            };
            workload.ask(round(at), REQUESTS, [leaf]);
        }
        workload
    }

    /// Waves: every server gets a job at once, as from a batch that runs on all machines.
    fn heavy(&self, random: &mut impl Rng, span_us: f64) -> Workload {
        let mut workload = Workload::default();
        let gap_us = self.gap_us(self.heavy_load, self.heavy_service_us) * f64::from(self.servers);
        let mut at = exponential(random) * gap_us;
        while at < span_us {
            let (alike, common) = (self.heavy_alike.get(), exponential(random));
            for server in 0..self.servers {
                let size = alike * common + (1.0 - alike) * exponential(random);
                let service_us = round(size * real(self.heavy_service_us)).max(1);
                workload.load(round(at), HEAVY, server, service_us);
            }
            at += exponential(random) * gap_us;
        }
        workload
    }

    /// Every policy on one workload. The first server alone is what the others are compared with.
    fn policies(
        &self,
        scheduler: Scheduler,
        heavy: bool,
        workload: &Workload,
        seed: u64,
    ) -> Vec<TieRow> {
        let cluster = Cluster {
            servers: self.servers,
            workers: self.workers,
            scheduler,
            settings: settings(self.service_us),
            message_us: self.message_us,
        };
        let play = |policy| {
            let Outcome { mut took_us, tally } = cluster.simulate(workload, policy, random(seed));
            (policy, Percentiles::observed(&mut took_us), tally)
        };
        let first = play(Policy::First);
        let delay_us = first.1.p95_us.unwrap_or(0);
        let others = [Policy::Random, Policy::Hedge { delay_us }, Policy::Tie];
        let two = self
            .stale_us
            .iter()
            .map(|&stale_us| Policy::ShorterOfTwo { stale_us });
        let all = self
            .stale_us
            .iter()
            .map(|&stale_us| Policy::ShortestOfAll { stale_us });
        let runs = std::iter::once(first).chain(others.into_iter().chain(two).chain(all).map(play));
        let change = |before: Option<u64>, after: Option<u64>| {
            before
                .zip(after)
                .map_or(0.0, |(before, after)| real(after) / real(before) - 1.0)
        };
        runs.map(|(policy, simulated, tally)| TieRow {
            scheduler: scheduler.name,
            heavy,
            policy,
            simulated,
            p50_change: change(first.1.p50_us, simulated.p50_us),
            p999_change: change(first.1.p999_us, simulated.p999_us),
            tally,
        })
        .collect()
    }
}
