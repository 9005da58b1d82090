//! The books: what each tenant asked for, got and waited.

use schedulers::Tenant;

use super::Waits;
use crate::log::{EventKind, Log};
use crate::trace::{Trace, position};
use records::number::share;

/// One tenant's account.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Jobs accepted.
    pub accepted: u64,
    /// Jobs refused, by the queue or the rate limit.
    pub refused: u64,
    /// Those of them that the rate limit refused.
    pub rate_limited: u64,
    /// Jobs started: as many waits were observed.
    pub started: u64,
    /// Jobs finished.
    pub done: u64,
    /// Service that the accepted jobs ask for.
    pub work_us: u64,
    /// When its last job ended.
    pub last_end_us: u64,
}

/// All accounts of one run, and the sums.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ledger {
    /// By handle.
    tallies: Vec<Tally>,
    /// All waits, grouped by tenant, sorted within each group.
    waits: Vec<u64>,
    /// By handle: where its group begins; one more entry at the end.
    groups: Vec<usize>,
    /// The sum of all tallies.
    pub total: Tally,
}

impl Ledger {
    /// Reads the books out of a log.
    #[must_use]
    pub fn new(trace: &Trace, log: &Log) -> Self {
        let tallies = tally(trace, log);
        let mut groups = vec![0];
        for tally in &tallies {
            let start = *groups.last().expect("it begins with one entry");
            groups.push(start + usize::try_from(tally.started).expect("JOBS_MAX fits"));
        }
        let waits = group_waits(trace, log, &groups);
        let total = tallies
            .iter()
            .fold(Tally::default(), |sum, tally| sum.plus(tally));
        Self {
            tallies,
            waits,
            groups,
            total,
        }
    }

    /// All tenants, by handle.
    pub fn tenants(&self) -> impl Iterator<Item = Tenant> + use<> {
        (0..u32::try_from(self.tallies.len()).expect("TENANTS_MAX is below 2^32")).map(Tenant::new)
    }

    /// One tenant's account.
    #[must_use]
    pub fn tally(&self, tenant: Tenant) -> &Tally {
        &self.tallies[position(tenant)]
    }

    /// One tenant's waits, sorted.
    #[must_use]
    pub fn waits(&self, tenant: Tenant) -> &[u64] {
        let place = position(tenant);
        &self.waits[self.groups[place]..self.groups[place + 1]]
    }

    /// The waits of several tenants together.
    #[must_use]
    pub fn waits_of(&self, tenants: impl IntoIterator<Item = Tenant>) -> Waits {
        let mut waits: Vec<u64> = tenants
            .into_iter()
            .flat_map(|tenant| self.waits(tenant))
            .copied()
            .collect();
        waits.sort_unstable();
        Waits::of_sorted(&waits)
    }

    /// Several tenants as one.
    #[must_use]
    pub fn tally_of(&self, tenants: impl IntoIterator<Item = Tenant>) -> Tally {
        tenants
            .into_iter()
            .fold(Tally::default(), |sum, tenant| sum.plus(self.tally(tenant)))
    }

    /// Its share of all accepted jobs.
    #[must_use]
    pub fn request_share(&self, tally: &Tally) -> f64 {
        share(tally.accepted, self.total.accepted)
    }

    /// Its share of all work.
    #[must_use]
    pub fn work_share(&self, tally: &Tally) -> f64 {
        share(tally.work_us, self.total.work_us)
    }

    /// Tenants by work, the largest first; ties by handle.
    #[must_use]
    pub fn by_work(&self) -> Vec<Tenant> {
        let mut tenants: Vec<Tenant> = self.tenants().collect();
        tenants.sort_by_key(|&tenant| (std::cmp::Reverse(self.tally(tenant).work_us), tenant));
        tenants
    }
}

impl Tally {
    /// Two accounts as one.
    fn plus(&self, other: &Self) -> Self {
        Self {
            accepted: self.accepted + other.accepted,
            refused: self.refused + other.refused,
            rate_limited: self.rate_limited + other.rate_limited,
            started: self.started + other.started,
            done: self.done + other.done,
            work_us: self.work_us + other.work_us,
            last_end_us: self.last_end_us.max(other.last_end_us),
        }
    }
}

fn tally(trace: &Trace, log: &Log) -> Vec<Tally> {
    let mut tallies = vec![Tally::default(); trace.tenants()];
    for event in &log.events {
        let job = &trace.jobs()[event.job as usize];
        let tally = &mut tallies[position(job.tenant)];
        match event.kind {
            EventKind::Pushed => {
                tally.accepted += 1;
                tally.work_us += job.service_us;
            }
            EventKind::Refused => tally.refused += 1,
            EventKind::RateLimited => {
                tally.refused += 1;
                tally.rate_limited += 1;
            }
            EventKind::Started => tally.started += 1,
            EventKind::Finished => {
                tally.done += 1;
                tally.last_end_us = event.at_us;
            }
        }
    }
    tallies
}

/// Waits are counted from the intended arrival: a stall of whoever pushes is charged to the run.
fn group_waits(trace: &Trace, log: &Log, groups: &[usize]) -> Vec<u64> {
    let mut waits = vec![0; *groups.last().expect("one entry more than tenants")];
    let mut next = groups.to_vec();
    for event in log
        .events
        .iter()
        .filter(|event| event.kind == EventKind::Started)
    {
        let job = &trace.jobs()[event.job as usize];
        let place = &mut next[position(job.tenant)];
        waits[*place] = event.at_us.saturating_sub(job.arrival_us);
        *place += 1;
    }
    for group in groups.windows(2) {
        waits[group[0]..group[1]].sort_unstable();
    }
    waits
}
