//! Blocks: who is built first, who runs when, and that both did the same.

use super::interval::Ratio;
use super::side::{Fault, Sample, Side};

/// How many blocks a comparison takes, where nobody asks for another number.
pub const BLOCKS: u32 = 60;

/// What two sides must have in common for their times to be compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Same {
    /// As many operations and jobs: two schedulers serve in an order of their own.
    Count,
    /// The same jobs in the same order: two builds of one scheduler.
    Order,
}

/// How many pairs of blocks so many blocks are, rounded up.
pub(super) fn pairs(blocks: u32) -> u32 {
    blocks.div_ceil(2).max(1)
}

/// Compares `b` with `a` in so many blocks, rounded up to pairs of blocks. A [`Ratio`] above 1 says that
/// `b` takes longer. `block_done` is called after each block; the interval is drawn from `seed`.
///
/// # Errors
///
/// A side was wrong, did something else in one block than in another, or not as much as the other; or the
/// sides served in another order where it had to be the same, and cannot be compared.
pub fn compare<A: Side + ?Sized, B: Side + ?Sized>(
    (a, b): (&mut A, &mut B),
    same: Same,
    batches: u64,
    blocks: u32,
    seed: u64,
    mut block_done: impl FnMut(),
) -> Result<Ratio, Fault> {
    let mut observed = Observed::none(same);
    for _ in 0..pairs(blocks) {
        observed.pair((&mut *a, &mut *b), batches, &mut block_done)?;
    }
    Ok(observed.ratio(seed))
}

/// What pairs of blocks have shown so far.
pub(super) struct Observed {
    expected: Expected,
    /// The logarithm of the ratio, of each pair.
    logs: Vec<f64>,
    /// Nanoseconds of each block.
    a_ns: Vec<f64>,
    b_ns: Vec<f64>,
}

impl Observed {
    pub(super) const fn none(same: Same) -> Self {
        Self {
            expected: Expected { same, first: None },
            logs: Vec::new(),
            a_ns: Vec::new(),
            b_ns: Vec::new(),
        }
    }

    /// Runs a pair of blocks, in which each side is built first once.
    pub(super) fn pair<A: Side + ?Sized, B: Side + ?Sized>(
        &mut self,
        (a, b): (&mut A, &mut B),
        batches: u64,
        mut block_done: impl FnMut(),
    ) -> Result<(), Fault> {
        let (forth_a, forth_b) = block(a, b, batches)?;
        block_done();
        let (back_b, back_a) = block(b, a, batches)?;
        block_done();
        let mut logs = 0.0;
        for (of_a, of_b) in [(forth_a, forth_b), (back_a, back_b)] {
            self.expected.check(of_a, of_b)?;
            let (a_ns, b_ns) = (mean_ns(of_a), mean_ns(of_b));
            self.a_ns.push(a_ns);
            self.b_ns.push(b_ns);
            logs += (b_ns / a_ns).ln() / 2.0;
        }
        self.logs.push(logs);
        Ok(())
    }

    /// Of all pairs so far, one at least.
    pub(super) fn ratio(&self, seed: u64) -> Ratio {
        Ratio::of(&self.logs, &self.a_ns, &self.b_ns, seed)
    }
}

/// The two runs of a side in a block.
type Runs = [Sample; 2];

/// Builds both, runs first, second, second, first, and closes both.
fn block<F: Side + ?Sized, S: Side + ?Sized>(
    first: &mut F,
    second: &mut S,
    batches: u64,
) -> Result<(Runs, Runs), Fault> {
    first.build(batches)?;
    second.build(batches)?;
    let outer = first.run()?;
    let inner = [second.run()?, second.run()?];
    let outer = [outer, first.run()?];
    first.close()?;
    second.close()?;
    Ok((outer, inner))
}

fn mean_ns([one, two]: Runs) -> f64 {
    f64::midpoint(one.ns(), two.ns())
}

/// A real operation takes longer: below this, the compiler has removed the work.
const OPERATION_NS_MIN: f64 = 1.0;

/// What the first block did, and so every later one.
struct Expected {
    same: Same,
    first: Option<(Runs, Runs)>,
}

impl Expected {
    fn check(&mut self, a: Runs, b: Runs) -> Result<(), Fault> {
        let wrong = |what: String| Err(Fault::Wrong(what));
        let first = *self.first.get_or_insert((a, b));
        for (name, now, then) in [("a", a, first.0), ("b", b, first.1)] {
            for (now, then) in now.into_iter().zip(then) {
                if did(now) != did(then) {
                    let (now, then) = (did(now), did(then));
                    return wrong(format!(
                        "side {name} did {now:?}, and {then:?} in the first block"
                    ));
                }
                if now.ns() < OPERATION_NS_MIN {
                    let ns = now.ns();
                    return wrong(format!(
                        "side {name}: {ns:.2} ns an operation: optimised away"
                    ));
                }
            }
        }
        for (a, b) in a.into_iter().zip(b) {
            if (a.operations, a.jobs) != (b.operations, b.jobs) {
                let (a, b) = (did(a), did(b));
                return wrong(format!("the sides did not do as much: {a:?} and {b:?}"));
            }
            if self.same == Same::Order && a.checksum != b.checksum {
                // Each has closed its own books: neither is wrong for serving in another order.
                return Err(Fault::Unmeasured(
                    "the sides served different jobs, or in another order".to_owned(),
                ));
            }
        }
        Ok(())
    }
}

/// Everything about a run but its time: operations, jobs, checksum.
fn did(sample: Sample) -> (u64, u64, u64) {
    (sample.operations, sample.jobs, sample.checksum)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// A side that takes a given time, and writes down what is asked of it.
    struct Told<'a> {
        name: char,
        log: &'a RefCell<String>,
        ns: f64,
        checksum: u64,
    }

    impl Side for Told<'_> {
        fn build(&mut self, _: u64) -> Result<(), Fault> {
            self.log.borrow_mut().push(self.name.to_ascii_uppercase());
            Ok(())
        }

        fn run(&mut self) -> Result<Sample, Fault> {
            self.log.borrow_mut().push(self.name);
            Ok(Sample {
                elapsed_ns: self.ns * 1_000.0,
                operations: 1_000,
                jobs: 1_000,
                checksum: self.checksum,
            })
        }

        fn close(&mut self) -> Result<(), Fault> {
            Ok(())
        }
    }

    fn told(log: &RefCell<String>, name: char, ns: f64, checksum: u64) -> Told<'_> {
        Told {
            name,
            log,
            ns,
            checksum,
        }
    }

    #[test]
    fn sides_are_built_in_alternating_order_and_run_first_second_second_first() {
        let log = RefCell::default();
        let (mut a, mut b) = (told(&log, 'a', 10.0, 1), told(&log, 'b', 12.0, 2));
        let ratio = compare((&mut a, &mut b), Same::Count, 1, 3, 0, || ()).unwrap();
        assert_eq!(*log.borrow(), "ABabbaBAbaabABabbaBAbaab");
        assert!((ratio.estimate - 1.2).abs() < 1e-9, "{ratio:?}");
        assert!((ratio.low - 1.2).abs() < 1e-9 && (ratio.high - 1.2).abs() < 1e-9);
    }

    /// Public reports: a checksum off by a few under a throughput that was published all the same.
    #[test]
    fn a_mismatch_gives_no_number() {
        let log = RefCell::default();
        let compare = |a: &mut Told<'_>, b: &mut Told<'_>, same| {
            compare((a, b), same, 1, 2, 0, || ()).map(|_| ())
        };
        let (mut a, mut b) = (told(&log, 'a', 10.0, 1), told(&log, 'b', 12.0, 2));
        assert_eq!(compare(&mut a, &mut b, Same::Count), Ok(()));
        let fault = compare(&mut a, &mut b, Same::Order).unwrap_err();
        assert!(matches!(fault, Fault::Unmeasured(_)), "{fault}");
    }

    /// Public reports: 200 ps a call, because the work was optimised away.
    #[test]
    fn less_than_a_nanosecond_an_operation_gives_no_number() {
        let log = RefCell::default();
        let (mut a, mut b) = (told(&log, 'a', 0.2, 1), told(&log, 'b', 12.0, 1));
        let fault = compare((&mut a, &mut b), Same::Order, 1, 2, 0, || ()).unwrap_err();
        assert!(fault.to_string().contains("optimised away"), "{fault}");
    }
}
