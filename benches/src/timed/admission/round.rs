//! Every demand, once round.

use harness::paired::{Fault, Same, compare};
use records::runs::{Beside, Checked, Demand, LAYERS};
use schedulers::admission::{Admission, Limiter};

use super::contender::{Contender, Governor, Key};
use super::side::{Asked, PARTS};
use super::workload::Workload;
use crate::selection::Selection;
use crate::timed::shared::trial::Rules;
use crate::timed::trial::float;
use crate::workload::SEED;

/// With these numbers of tenants the limiter stands beside its peer.
const TENANTS: [u32; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];

/// With these numbers of tenants the layers stand beside the bare limiter: all have a name in the
/// counters, or few of them have.
const TENANTS_OF_LAYERS: [u32; 2] = [100, 10_000];

/// Demands at which it makes no difference who of several threads is first.
const OF_THREADS: [Demand; 2] = [Demand::Admitted, Demand::Refused];

/// Compares the limiter with its peer, and the layers with the limiter, wherever the name of the
/// benchmark, `admission/contender/demand/threads/tenants`, is selected.
#[must_use]
pub fn measure(selection: &Selection, rules: &Rules) -> Vec<Checked> {
    let mut round = Round {
        selection,
        rules,
        checks: Vec::new(),
    };
    let is_short = !rules.full_length;
    let tenants = if is_short { &TENANTS[..1] } else { &TENANTS };
    for &tenants in tenants {
        for demand in Demand::ALL {
            round.compare::<Governor, Limiter<Key>>(demand, 1, tenants);
        }
    }
    let tenants_of_threads = if is_short { 100 } else { 10_000 };
    for demand in OF_THREADS {
        round.compare::<Governor, Limiter<Key>>(demand, 2, tenants_of_threads);
    }
    for threads in [1, 2] {
        for tenants in TENANTS_OF_LAYERS {
            for demand in OF_THREADS {
                round.compare::<Limiter<Key>, Admission<Key>>(demand, threads, tenants);
            }
        }
    }
    round.checks
}

struct Round<'a> {
    selection: &'a Selection,
    rules: &'a Rules,
    checks: Vec<Checked>,
}

impl Round<'_> {
    /// Compares `C` with the peer `P`, and says so.
    fn compare<P: Contender, C: Contender>(
        &mut self,
        demand: Demand,
        threads: usize,
        tenants: u32,
    ) {
        let contender = C::NAME;
        let name = Checked::name_of(contender, demand, threads, tenants);
        if !self.selection.has(&name) {
            return;
        }
        let (part, blocks) = length(contender, tenants, self.rules);
        let workload = Workload::new(demand, threads, tenants, (part, PARTS));
        let mut peer = Asked::<P>::new(&workload, self.rules);
        let mut own = Asked::<C>::new(&workload, self.rules);
        let admitted = admitted(&mut own);
        let ratio = compare((&mut peer, &mut own), Same::Order, 1, blocks, SEED, || ());
        let outcome = match ratio {
            Ok(ratio) => Beside::Timed {
                ns: ratio.b_ns,
                peer_ns: ratio.a_ns,
                ratio: ratio.estimate,
                interval: (ratio.low, ratio.high),
                blocks,
            },
            Err(Fault::Wrong(reason)) => Beside::Failed(reason),
            Err(Fault::Unmeasured(reason)) => Beside::Void(reason),
        };
        println!("{name:<46} {}", said(P::NAME, &outcome));
        self.checks.push(Checked {
            contender: contender.to_owned(),
            peer: P::NAME.to_owned(),
            demand,
            threads,
            tenants,
            workload: workload.fingerprint(),
            admitted,
            outcome,
        });
    }
}

/// How many requests of a thread are one part, and how many blocks are run: as many as a ratio of some
/// percent needs, where it is cheap to make a limiter, and fewer where that takes longer than to ask it.
fn length(contender: &str, tenants: u32, rules: &Rules) -> (usize, u32) {
    if !rules.full_length {
        return (1 << 11, 2);
    }
    match tenants {
        _ if contender == LAYERS => (1 << 14, 10), // a ratio of many times, that some percent do not change
        ..=10_000 => (1 << 15, 40),
        10_001..=100_000 => (1 << 16, 20),
        _ => (1 << 17, 8),
    }
}

/// The part of the requests that is admitted, seen once before anything is timed.
fn admitted<C: Contender>(own: &mut Asked<'_, C>) -> Option<f64> {
    use harness::paired::Side;
    own.build(1).ok()?;
    let sample = own.run().ok()?;
    own.close().ok()?;
    Some(float(sample.jobs) / float(sample.operations))
}

fn said(peer: &str, outcome: &Beside) -> String {
    match outcome {
        Beside::Timed {
            ns,
            peer_ns,
            ratio,
            interval: (low, high),
            ..
        } => format!("{ns:7.1} ns, {peer} {peer_ns:7.1} ns: {ratio:.2}x ({low:.2} to {high:.2})"),
        Beside::Failed(reason) => format!("FAILED: {reason}"),
        Beside::Void(reason) => format!("void: {reason}"),
    }
}
