//! What the neighbours ask for, and what the noisy tenant dumps.

use rand::{Rng, RngExt};
use schedulers::Tenant;

use super::Neighbours;
use crate::tail::cluster::{LeafOf, Workload, exponential};
use records::number::{real, round};

impl Neighbours {
    /// What the neighbours ask for: each request of servers drawn at random, each leaf with a second
    /// server that could do it too.
    pub(super) fn requests(&self, random: &mut impl Rng, width: u32) -> Workload {
        let mut workload = Workload::default();
        let busy = self.load * f64::from(self.servers) * f64::from(self.workers);
        let gap_us = real(self.service_us) * f64::from(width) / busy;
        let mut servers: Vec<u32> = (0..self.servers).collect();
        let mut at = exponential(random) * gap_us;
        while at < real(self.duration_us) {
            for place in 0..width as usize {
                let other = random.random_range(place..servers.len());
                servers.swap(place, other);
            }
            let leaves: Vec<LeafOf> = servers[..width as usize]
                .iter()
                .map(|&first| LeafOf {
                    servers: [
                        first,
                        (first + random.random_range(1..self.servers)) % self.servers,
                    ],
                    service_us: [self.service_us; 2],
                })
                .collect();
            let tenant = Tenant::new(random.random_range(0..self.neighbours));
            workload.ask(round(at), tenant, leaves);
            at += exponential(random) * gap_us;
        }
        workload
    }

    /// The bursts of the noisy tenant: on each of its servers at intervals, from an instant of its own.
    pub(super) fn noise(&self, random: &mut impl Rng) -> Workload {
        let burst_us = real(self.service_us) * f64::from(self.burst_jobs)
            / (f64::from(self.workers) * self.noisy_load);
        let mut bursts = Vec::new();
        for server in 0..self.noisy_servers {
            let mut at = random.random::<f64>() * burst_us;
            while at < real(self.duration_us) {
                bursts.push((round(at), server));
                at += burst_us;
            }
        }
        bursts.sort_unstable();
        let noisy = Tenant::new(self.neighbours);
        let mut workload = Workload::default();
        for (at_us, server) in bursts {
            for _ in 0..self.burst_jobs {
                workload.load(at_us, noisy, server, self.service_us);
            }
        }
        workload
    }
}
