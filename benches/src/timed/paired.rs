//! The sides of paired comparisons: contenders that are built, run and closed when they are told to.

use std::io::{BufRead, Write};
use std::time::Duration;

use harness::paired::{BLOCKS, Fault, Order, Ready, Reply, Same, Sample, Side, compare};
use records::runs::{FLOOR, Fingerprint, State};

use crate::costs::Costs;
use crate::failure::Failure;
use crate::tally::Tally;
use crate::timed::clock;
use crate::timed::contender::{Contender, Entry, Visitor, for_each_contender};
use crate::timed::driver::Driver;
use crate::timed::state::{Batch, Driven};
use crate::timed::trial::audit;
use crate::workload::Workload;

/// About how long a run takes: thousands of readings of the clock, and sixty blocks in a second.
const RUN: Duration = Duration::from_millis(2);

/// A side that has passed its audit.
#[allow(missing_debug_implementations)] // a side is whatever contender it is of
pub struct Audited {
    /// The side.
    pub side: Box<dyn Side>,
    /// How many batches make a run of it.
    pub batches: u64,
    /// The fingerprint of its workload.
    pub workload: String,
}

/// The contender of this name in this state.
///
/// # Errors
///
/// There is none, it does not take part in the state, or it failed its audit.
pub fn side(name: &str, state: State, tenants: u32) -> Result<Audited, Fault> {
    let mut search = Search {
        name,
        state,
        tenants,
        names: Vec::new(),
        found: None,
    };
    for_each_contender(&mut search);
    let names = search.names.join(", ");
    let none = || {
        let why = format!("no contender {name} in {}; there are {names}", state.name());
        Err(Fault::Unmeasured(why))
    };
    search.found.unwrap_or_else(none)
}

/// The noise floor of this session: by what fraction the plain queue seems to differ from itself, in the
/// steady cycle of 1,000 tenants. Nothing where it fails, which its benchmark says too.
#[must_use]
pub fn noise_floor(seed: u64) -> Option<f64> {
    let plain = || side(FLOOR, State::Steady, 1_000).ok();
    let (mut a, mut b) = (plain()?, plain()?);
    let batches = a.batches.min(b.batches);
    let sides = (&mut *a.side, &mut *b.side);
    let ratio = compare(sides, Same::Order, batches, BLOCKS, seed, || ());
    ratio.ok().map(|ratio| ratio.noise())
}

struct Search<'a> {
    name: &'a str,
    state: State,
    tenants: u32,
    names: Vec<String>,
    found: Option<Result<Audited, Fault>>,
}

impl Visitor for Search<'_> {
    fn visit<C: Contender + 'static>(
        &mut self,
        entry: &Entry,
        build: impl Fn(u32, Costs) -> C + 'static,
    ) {
        let (state, tenants) = (self.state, self.tenants);
        let Some(costs) = state.costs(entry.costs) else {
            return;
        };
        self.names.push(entry.name.clone());
        if entry.name == self.name {
            let side = Live::audited(state, tenants, costs, move || build(tenants, costs));
            self.found = Some(side.map_err(fault));
        }
    }
}

/// A contender in a state, alive for one block.
struct Live<C, B> {
    state: State,
    build: B,
    workload: Workload,
    /// What the first batch of a queue gave under audit.
    audited: Tally,
    driver: Option<Driver<C>>,
    /// How many batches the queue has seen.
    number: usize,
    /// How many batches a run is.
    batches: u64,
}

impl<C: Contender + 'static, B: Fn() -> C + 'static> Live<C, B> {
    fn audited(state: State, tenants: u32, costs: Costs, build: B) -> Result<Audited, Failure> {
        let workload = state.workload(tenants, costs);
        let audited = audit(state, &workload, &build)?.first;
        let fingerprint = workload.fingerprint().hex();
        let mut live = Self {
            state,
            build,
            workload,
            audited,
            driver: None,
            number: 0,
            batches: 1,
        };
        let batches = live.calibrate()?;
        Ok(Audited {
            side: Box::new(live),
            batches,
            workload: fingerprint,
        })
    }

    /// How many batches take about as long as a run should. The first one warms up.
    fn calibrate(&mut self) -> Result<u64, Failure> {
        self.batch()?;
        let batch_ns = self.batch()?.elapsed.as_nanos().max(1);
        self.end()?;
        Ok(u64::try_from(RUN.as_nanos() / batch_ns).unwrap_or(1).max(1))
    }

    fn start(&mut self) {
        self.driver = Some(self.state.start((self.build)(), &self.workload));
        self.number = 0;
    }

    fn end(&mut self) -> Result<(), Failure> {
        self.driver
            .take()
            .map_or(Ok(()), |driver| driver.close().map(|_| ()))
    }

    /// The next batch, of a new queue where the last one has come to its end.
    fn batch(&mut self) -> Result<Batch, Failure> {
        if self.number > 0 && self.state.ends_with_a_batch() {
            self.end()?;
        }
        if self.driver.is_none() {
            self.start();
        }
        let driver = self.driver.as_mut().expect("started above");
        let batch = self.state.batch(driver, &self.workload, self.number);
        if self.number == 0 && batch.tally != self.audited {
            let (found, audited) = (batch.tally, self.audited);
            return Failure::wrong(format!("first {found:?}, under audit {audited:?}"));
        }
        self.number += 1;
        Ok(batch)
    }
}

impl<C: Contender + 'static, B: Fn() -> C + 'static> Side for Live<C, B> {
    fn build(&mut self, batches: u64) -> Result<(), Fault> {
        self.batches = batches;
        self.start();
        Ok(())
    }

    fn run(&mut self) -> Result<Sample, Fault> {
        let (mut elapsed, mut operations, mut jobs) = (Duration::ZERO, 0, 0);
        let mut checksum = Fingerprint::default();
        for _ in 0..self.batches {
            let batch = self.batch().map_err(fault)?;
            elapsed += batch.elapsed;
            operations += batch.operations as u64;
            jobs += batch.tally.count;
            checksum = checksum.and(&batch.tally.order.to_le_bytes());
        }
        Ok(Sample {
            elapsed_ns: elapsed.as_secs_f64() * 1e9,
            operations,
            jobs,
            checksum: checksum.bits(),
        })
    }

    fn close(&mut self) -> Result<(), Fault> {
        self.end().map_err(fault)
    }
}

fn fault(failure: Failure) -> Fault {
    match failure {
        Failure::Wrong(reason) => Fault::Wrong(reason),
        Failure::Slow(reason) | Failure::Void(reason) => Fault::Unmeasured(reason),
    }
}

/// Serves these contenders as sides: audits them, and does as it is told, line by line, until there are
/// no more orders. A side that fails is told to whoever gives orders, and is the end.
///
/// # Errors
///
/// Nobody reads the replies.
///
/// # Panics
///
/// Never: replies are JSON.
pub fn serve(
    contenders: &[String],
    (state, tenants): (State, u32),
    orders: impl BufRead,
    mut replies: impl Write,
) -> std::io::Result<()> {
    let affinity = clock::pin().map_or("not available".to_owned(), |core| format!("core {core}"));
    let audited: Result<Vec<Audited>, Fault> = contenders
        .iter()
        .map(|name| side(name, state, tenants))
        .collect();
    let mut say = |reply: &Reply| {
        let line = serde_json::to_string(reply).expect("a reply is JSON");
        writeln!(replies, "{line}")?;
        replies.flush()
    };
    let audited = match audited {
        Ok(audited) => audited,
        Err(fault) => return say(&Reply::Fault(fault)),
    };
    say(&Reply::Ready(Ready {
        affinity,
        batches: audited.iter().map(|audited| audited.batches).collect(),
        workloads: audited
            .iter()
            .map(|audited| audited.workload.clone())
            .collect(),
    }))?;
    let mut sides: Vec<_> = audited.into_iter().map(|audited| audited.side).collect();
    for line in orders.lines() {
        let reply = obey(&mut sides, &line?).unwrap_or_else(Reply::Fault);
        say(&reply)?;
    }
    Ok(())
}

fn obey(sides: &mut [Box<dyn Side>], line: &str) -> Result<Reply, Fault> {
    let unknown = |why: String| Fault::Unmeasured(format!("no such order: {why}"));
    let order: Order = serde_json::from_str(line).map_err(|error| unknown(error.to_string()))?;
    let (Order::Build(index, _) | Order::Run(index) | Order::Close(index)) = order;
    let side = sides
        .get_mut(index)
        .ok_or_else(|| unknown(format!("side {index}")))?;
    Ok(match order {
        Order::Build(_, batches) => {
            side.build(batches)?;
            Reply::Done
        }
        Order::Run(_) => Reply::Ran(side.run()?),
        Order::Close(_) => {
            side.close()?;
            Reply::Done
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every contender, in a state that goes on and in one that ends with a batch, passes through the whole protocol, in both roles.
    #[test]
    fn every_contender_can_be_a_side() {
        struct Names(Vec<(String, Costs)>);
        impl Visitor for Names {
            fn visit<C: Contender + 'static>(
                &mut self,
                entry: &Entry,
                _: impl Fn(u32, Costs) -> C + 'static,
            ) {
                self.0.push((entry.name.clone(), entry.costs));
            }
        }
        let mut names = Names(Vec::new());
        for_each_contender(&mut names);
        for state in [State::Steady, State::Drain] {
            for (name, costs) in &names.0 {
                if state.costs(*costs).is_none() {
                    continue;
                }
                let [mut a, mut b] = [(); 2].map(|()| side(name, state, 10).unwrap());
                let sides = (&mut *a.side, &mut *b.side);
                let ratio = compare(sides, Same::Order, 1, 2, 0, || ());
                assert!(ratio.is_ok(), "{name} in {}: {ratio:?}", state.name());
            }
        }
    }

    #[test]
    fn a_worker_does_as_it_is_told_and_says_what_it_cannot() {
        let told = |orders: &str, contender: &str| {
            let mut replies = Vec::new();
            let names = [contender.to_owned()];
            serve(&names, (State::Steady, 10), orders.as_bytes(), &mut replies).unwrap();
            let text = String::from_utf8(replies).unwrap();
            let replies = text.lines().map(|line| serde_json::from_str(line).unwrap());
            replies.collect::<Vec<Reply>>()
        };
        let replies = told("{\"build\":[0,1]}\n{\"run\":0}\n{\"close\":0}\n", "fifo");
        let [
            Reply::Ready(_),
            Reply::Done,
            Reply::Ran(sample),
            Reply::Done,
        ] = &replies[..]
        else {
            panic!("{replies:?}");
        };
        assert_eq!((sample.operations, sample.jobs), (2_048, 2_048));
        let replies = told("{\"run\":1}\nnonsense\n", "fifo");
        assert!(matches!(
            &replies[..],
            [Reply::Ready(_), Reply::Fault(_), Reply::Fault(_)]
        ));
        let replies = told("", "no_such_scheduler");
        assert!(
            matches!(&replies[..], [Reply::Fault(Fault::Unmeasured(_))]),
            "{replies:?}"
        );
    }
}
