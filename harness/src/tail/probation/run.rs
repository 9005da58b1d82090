//! One run of servers that are watched, and taken out and put back.

use std::collections::VecDeque;

use rand::{Rng, RngExt};

use super::{Probation, ProbationRow, Spell};
use crate::tail::Percentiles;
use crate::tail::cluster::{exponential, exponential_us};
use records::number::{real, round, share};
use records::rank::nearest_rank;

/// Fewer answers than this in an interval judge nobody.
const ANSWERS_MIN: usize = 5;
/// At most one server of so many is out at a time.
const OUT_OF: usize = 4;

/// One run: the servers, and what is known of each.
pub(super) struct Run<'a> {
    given: &'a Probation,
    probation: bool,
    servers: Vec<Server>,
    /// Those in service, for the pick of the next request.
    in_service: Vec<u32>,
    /// The slow third of the run.
    slow_us: std::ops::Range<u64>,
    shadow_requests: u64,
    spells: Vec<Spell>,
}

/// One server: first come, first served.
#[derive(Clone, Default)]
struct Server {
    /// When it will have served all that it was sent.
    free_us: u64,
    /// When each answer came that was not yet judged, and how long it took.
    answers: VecDeque<(u64, u64)>,
}

impl<'a> Run<'a> {
    pub(super) fn new(given: &'a Probation, probation: bool) -> Self {
        let span_us = round(given.gap_us() * real(given.trials));
        Self {
            given,
            probation,
            servers: vec![Server::default(); given.servers as usize],
            in_service: (0..given.servers).collect(),
            slow_us: span_us / 3..span_us / 3 * 2,
            shadow_requests: 0,
            spells: Vec::new(),
        }
    }

    /// Both runs draw the same arrivals and services.
    pub(super) fn play(mut self, mut random: impl Rng) -> ProbationRow {
        let (mut arrival, mut judged_us) = (0.0, 0);
        let mut took = Vec::new();
        for number in 1..=self.given.trials {
            arrival += exponential(&mut random) * self.given.gap_us();
            let now_us = round(arrival);
            while self.probation && judged_us + self.given.interval_us <= now_us {
                judged_us += self.given.interval_us;
                self.judge(judged_us);
            }
            let service_us = exponential_us(&mut random, self.given.service_us);
            let place = random.random_range(0..self.in_service.len());
            took.push(self.serve(self.in_service[place], now_us, service_us));
            if number.is_multiple_of(self.given.shadow_of) {
                let out: Vec<u32> = self.out().collect();
                for server in out {
                    self.serve(server, now_us, service_us);
                    self.shadow_requests += 1;
                }
            }
        }
        let end_us = round(arrival);
        let removed_us: u64 = self
            .spells
            .iter()
            .map(|spell| spell.back_us.unwrap_or(end_us) - spell.out_us)
            .sum();
        ProbationRow {
            probation: self.probation,
            simulated: Percentiles::observed(&mut took),
            capacity_removed_share: share(removed_us, end_us) / f64::from(self.given.servers),
            shadow_requests: self.shadow_requests,
            spells: self.spells,
        }
    }

    /// Sends a request, and says how long its answer takes.
    fn serve(&mut self, number: u32, now_us: u64, service_us: u64) -> u64 {
        let server = &mut self.servers[number as usize];
        let start_us = server.free_us.max(now_us);
        let is_slow = number == 0 && self.slow_us.contains(&start_us);
        server.free_us = start_us + service_us * if is_slow { self.given.slowdown } else { 1 };
        let took_us = server.free_us - now_us;
        server.answers.push_back((server.free_us, took_us));
        took_us
    }

    /// Takes out who is much slower than the others, and puts back who no longer is.
    fn judge(&mut self, now_us: u64) {
        let medians: Vec<Option<u64>> = self
            .servers
            .iter_mut()
            .map(|server| server.median(now_us))
            .collect();
        let mut peers: Vec<u64> = self
            .in_service
            .iter()
            .filter_map(|&server| medians[server as usize])
            .collect();
        peers.sort_unstable();
        let Some(usual_us) = nearest_rank(&peers, 50) else {
            return;
        };
        let suspect_us = usual_us.saturating_mul(self.given.suspect_factor);
        for (number, median_us) in (0..).zip(medians) {
            let Some(median_us) = median_us else { continue };
            let is_full = self.out().count() >= (self.servers.len() / OUT_OF).max(1);
            let is_out = |spell: &&mut Spell| spell.server == number && spell.back_us.is_none();
            match self.spells.iter_mut().find(is_out) {
                Some(spell) if median_us <= suspect_us / 2 => {
                    spell.back_us = Some(now_us);
                    self.in_service.push(number);
                }
                None if median_us > suspect_us && !is_full => {
                    self.in_service.retain(|&server| server != number);
                    self.spells.push(Spell {
                        server: number,
                        out_us: now_us,
                        back_us: None,
                    });
                }
                _ => {}
            }
        }
        self.in_service.sort_unstable();
    }

    fn out(&self) -> impl Iterator<Item = u32> + '_ {
        self.spells
            .iter()
            .filter(|spell| spell.back_us.is_none())
            .map(|spell| spell.server)
    }
}

impl Server {
    /// The median of the answers that came since it was last judged; `None` if they are too few.
    fn median(&mut self, now_us: u64) -> Option<u64> {
        let came = self
            .answers
            .iter()
            .take_while(|(at_us, _)| *at_us <= now_us)
            .count();
        if came < ANSWERS_MIN {
            return None;
        }
        let mut took: Vec<u64> = self
            .answers
            .drain(..came)
            .map(|(_, took_us)| took_us)
            .collect();
        took.sort_unstable();
        nearest_rank(&took, 50)
    }
}
