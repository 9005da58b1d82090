//! Hedging: if an answer does not come within a delay, ask again elsewhere, and take the first.

use clap::Args;
use serde::Serialize;

use super::{
    LEAVES_MAX, Leaf, LeafKind, Model, Percentiles, Probability, all, check_draws, random,
};
use records::cell::{fixed, tenths_ms};
use records::error::BadInput;
use records::number::{real, share};
use records::page::{Page, Table};

const EXAMPLES: &str = "\
Examples:
  cargo lab tail hedge                                  never, at once, after the observed p95, after 10 ms
  cargo lab tail hedge --delay-us 20000 --slow-probability 0.01
  cargo lab tail hedge --leaves 100 --trials 100000     each leaf of a wide request hedged by itself
  cargo lab tail hedge --leaf fitted --json";

/// What a second request after a delay does to the tail, and how many it adds
#[derive(Args, Clone, Copy, Debug, Serialize)]
#[command(after_help = EXAMPLES)]
pub struct Hedge {
    /// Ask again if there is no answer after this
    #[arg(long, value_name = "US", default_value_t = 10_000)]
    pub delay_us: u64,
    /// The distribution of a leaf
    #[arg(long, value_enum, default_value_t = LeafKind::Stall)]
    pub leaf: LeafKind,
    /// The chance that one leaf stalls, from 0 to 1; not of the fitted leaf
    #[arg(
        long,
        value_name = "P",
        allow_negative_numbers = true,
        default_value = "0.005"
    )]
    pub slow_probability: Probability,
    /// How many leaves a request needs; each is hedged by itself
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=LEAVES_MAX))]
    pub leaves: u32,
    /// How many requests are simulated; 0 gives exact figures alone
    #[arg(long, default_value_t = 1_000_000)]
    pub trials: u64,
}

/// A row for each delay.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HedgeRecord {
    /// Never; at once; after the observed p95 of one leaf; after the delay that was asked for.
    pub rows: Vec<HedgeRow>,
}

/// One delay.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct HedgeRow {
    /// Why this delay.
    pub when: &'static str,
    /// The delay; `null` for no hedge.
    pub delay_us: Option<u64>,
    /// Requests sent beyond one for each leaf, as a share of those; `null` without trials.
    pub extra_requests_share: Option<f64>,
    /// The same by arithmetic: the chance that a leaf takes longer than the delay.
    pub extra_requests_share_exact: f64,
    /// In the simulation.
    pub simulated: Percentiles,
    /// By arithmetic.
    pub exact: Percentiles,
    /// How many times shorter the 99.9th percentile is than without a hedge, exactly.
    pub p999_cut: Option<f64>,
}

impl Model for Hedge {
    type Record = HedgeRecord;
    const VERB: &'static str = "hedge";

    fn play(&self, seed: u64) -> Result<HedgeRecord, BadInput> {
        check_draws(self.trials, 8 * u64::from(self.leaves))?;
        let leaf = Leaf::new(self.leaf, self.slow_probability);
        let never = self.row(&leaf, "never", None, seed);
        // What a client would do: watch one leaf, and take its 95th percentile.
        let mut random = random(seed);
        let mut watched: Vec<u64> = (0..self.trials.min(10_000))
            .map(|_| leaf.draw(&mut random))
            .collect();
        let observed_us = Percentiles::observed(&mut watched).p95_us;
        let mut rows = vec![never, self.row(&leaf, "at once", Some(0), seed)];
        if observed_us.is_some() {
            rows.push(self.row(&leaf, "observed p95", observed_us, seed));
        }
        rows.push(self.row(&leaf, "asked for", Some(self.delay_us), seed));
        for row in &mut rows {
            let pair = never.exact.p999_us.zip(row.exact.p999_us);
            row.p999_cut = pair.map(|(before, after)| real(before) / real(after));
        }
        Ok(HedgeRecord { rows })
    }

    fn page(&self, record: &HedgeRecord) -> Page {
        let mut table = Table::new(
            format!(
                "Hedged requests, each of {} {}, in milliseconds",
                self.leaves,
                if self.leaves == 1 { "leaf" } else { "leaves" },
            ),
            &[
                "second request",
                "after",
                "p50",
                "p99",
                "p99.9",
                "exact p99.9",
                "p99.9 cut",
                "extra requests",
            ],
        );
        for row in &record.rows {
            table.row([
                row.when.to_owned(),
                tenths_ms(row.delay_us),
                tenths_ms(row.simulated.p50_us),
                tenths_ms(row.simulated.p99_us),
                tenths_ms(row.simulated.p999_us),
                tenths_ms(row.exact.p999_us),
                format!("{} x", fixed(row.p999_cut, 1)),
                format!(
                    "{:.2} %",
                    100.0
                        * row
                            .extra_requests_share
                            .unwrap_or(row.extra_requests_share_exact)
                ),
            ]);
        }
        table.note("Published: 1,800 -> 74 ms at p99.9, 24 x, for 2 % more requests (a thousand reads from 100 servers, hedged after 10 ms). The model's second draw is independent of the first, and a real server that is slow is often slow because of load that its replica shares; so the model cuts more.");
        table.note("Hedged after the observed p95, 5 in 100 requests are sent twice, whatever the service: nobody has to know its tail to choose the delay.");
        table.into()
    }
}

impl Hedge {
    fn row(&self, leaf: &Leaf, when: &'static str, delay_us: Option<u64>, seed: u64) -> HedgeRow {
        let (mut first, mut second) = (random(seed), random(seed));
        second.jump();
        let mut extra = 0;
        let mut one_leaf = || {
            let first_us = leaf.draw(&mut first);
            match delay_us {
                Some(delay_us) if first_us > delay_us => {
                    extra += 1;
                    first_us.min(delay_us.saturating_add(leaf.draw(&mut second)))
                }
                _ => first_us,
            }
        };
        let mut took: Vec<u64> = (0..self.trials)
            .map(|_| (0..self.leaves).map(|_| one_leaf()).max().unwrap_or(0))
            .collect();
        let sent = self.trials * u64::from(self.leaves);
        HedgeRow {
            when,
            delay_us,
            extra_requests_share: (sent > 0).then(|| share(extra, sent)),
            extra_requests_share_exact: delay_us
                .map_or(0.0, |delay_us| 1.0 - leaf.share_within(delay_us)),
            simulated: Percentiles::observed(&mut took),
            exact: Percentiles::exact(leaf.slowest_us(), |us| {
                all(share_within(leaf, delay_us, us), u64::from(self.leaves))
            }),
            p999_cut: None,
        }
    }
}

/// The share of leaves that answer within a time: not the ones whose first answer takes longer and
/// whose second, begun after the delay, does too.
fn share_within(leaf: &Leaf, delay_us: Option<u64>, us: u64) -> f64 {
    let first = leaf.share_within(us);
    match delay_us.and_then(|delay_us| us.checked_sub(delay_us)) {
        Some(left_us) => 1.0 - (1.0 - first) * (1.0 - leaf.share_within(left_us)),
        None => first,
    }
}
