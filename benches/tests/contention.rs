//! The checks of many threads, each seen to fail on a queue that breaks just what it is for.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use benches::failure::Failure;
use benches::tally::Tally;
use benches::timed::clock;
use benches::timed::contender::Entry;
use benches::timed::round::Sampled;
use benches::timed::shared::contender::{
    SharedContender, SharedVisitor, for_each_shared_contender,
};
use benches::timed::shared::floors::{ArrayFloor, MutexFloor};
use benches::timed::shared::plan::{Plan, plans};
use benches::timed::shared::signals::CHUNK;
use benches::timed::shared::stage::{Quota, Stage};
use benches::timed::shared::trial::{Rules, SharedTrial};
use benches::workload::Job;
use records::runs::{Shape, Timed};
use schedulers::{Offer, Tenant};

const TENANTS: u32 = 20;

/// So many jobs a sample: a thread counts them far beyond those of the audit.
const JOBS: u64 = 20_000;

/// What goes wrong with a queue, and only once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    Nothing,
    /// A push forgets its job.
    Loses,
    /// A take gives a job that was given before.
    Repeats,
    /// A take gives a job as another tenant's.
    Mistakes,
    /// Two jobs of one tenant change places.
    Swaps,
    /// A take says that nothing waits.
    Sleeps,
    /// A take holds its thread up, and the others go on.
    HoldsUp(Duration),
    /// A take panics.
    Panics,
}

/// A queue that is right but for one fault, at the take or push of this number.
#[derive(Debug)]
struct Broken {
    queue: MutexFloor,
    fault: Fault,
    at: u64,
    calls: AtomicU64,
}

impl Broken {
    fn is_due(&self) -> bool {
        self.calls.fetch_add(1, Ordering::Relaxed) == self.at
    }
}

impl SharedContender for Broken {
    type Ticket = ();
    type Hands = ();

    fn push(&self, offer: Offer<Job>) {
        if self.fault != Fault::Loses || !self.is_due() {
            self.queue.push(offer);
        }
    }

    fn take(&self) -> Option<(Offer<Job>, ())> {
        let (mut offer, ticket) = self.queue.take()?;
        if self.fault != Fault::Loses && self.is_due() {
            match self.fault {
                Fault::Nothing | Fault::Loses => {}
                Fault::Repeats => self.queue.push(offer),
                Fault::Mistakes => offer.tenant = Tenant::new(offer.tenant.index() ^ 1),
                Fault::Swaps => {
                    // The burst waits: the next job is the same tenant's.
                    let (next, ()) = self.queue.take()?;
                    let mut rest = self.queue.reclaim();
                    rest.insert(0, offer);
                    for offer in rest {
                        self.queue.push(offer);
                    }
                    return Some((next, ()));
                }
                Fault::Sleeps => {
                    self.queue.push(offer);
                    return None;
                }
                Fault::HoldsUp(time) => thread::sleep(time),
                Fault::Panics => panic!("as planted"),
            }
        }
        Some((offer, ticket))
    }

    fn complete(&self, (): ()) {}

    fn push_batch(&self, (): &mut (), offers: &mut Vec<Offer<Job>>) {
        offers.drain(..).for_each(|offer| self.push(offer));
    }

    fn take_batch(&self, (): &mut (), max: usize, taken: &mut Vec<Offer<Job>>) {
        let jobs = std::iter::from_fn(|| self.take()).take(max);
        taken.extend(jobs.map(|(offer, ())| offer));
    }

    fn reclaim(&self) -> Vec<Offer<Job>> {
        self.queue.reclaim()
    }
}

fn rules() -> Rules {
    Rules {
        cores: clock::cores(),
        overlap_min: 0.0,
        nothing_ns: 0.0,
        full_length: false,
    }
}

fn plan(shape: Shape, threads: usize, batch: usize) -> Plan {
    Plan {
        shape,
        threads,
        batch,
    }
}

/// Audits, takes a sample, and closes the books.
fn put_to_trial<C: SharedContender>(
    plan: Plan,
    rules: &Rules,
    build: impl Fn() -> C,
) -> Result<Option<Timed>, Failure> {
    let workload = plan.workload(TENANTS);
    let mut trial = SharedTrial::new(plan, &workload, build, rules)?;
    trial.prepare();
    trial.sample(JOBS)?;
    trial.outcome(1)
}

/// What is said of a queue whose fault comes with this call of its push or take.
fn verdict(plan: Plan, rules: &Rules, fault: Fault, at: u64) -> String {
    let build = || Broken {
        queue: MutexFloor::default(),
        fault,
        at,
        calls: AtomicU64::new(0),
    };
    match put_to_trial(plan, rules, build) {
        Ok(timed) => format!("timed: {}", timed.is_some()),
        Err(failure) => failure.to_string(),
    }
}

const SHAPES: [(Shape, usize, usize); 5] = [
    (Shape::Cycle, 1, 1),
    (Shape::Cycle, 2, 32),
    (Shape::ProducersConsumers, 2, 1),
    (Shape::ProducersConsumers, 4, 32),
    (Shape::WaitUnderLoad, 2, 1),
];

#[test]
fn a_queue_that_is_right_is_timed() {
    for (shape, threads, batch) in SHAPES {
        let verdict = verdict(plan(shape, threads, batch), &rules(), Fault::Nothing, 0);
        assert_eq!(verdict, "timed: true", "{shape:?}");
    }
}

#[test]
fn a_lost_job_is_found_by_the_audit() {
    for (shape, threads, batch) in SHAPES {
        let verdict = verdict(plan(shape, threads, batch), &rules(), Fault::Loses, 30);
        assert!(verdict.contains("was lost"), "{shape:?}: {verdict}");
    }
}

#[test]
fn a_job_that_comes_twice_is_found_by_the_audit() {
    // So early that a thread that takes beside a burst comes to it, however little of a core it has.
    const EARLY: u64 = 2;
    for (shape, threads, batch) in SHAPES {
        let verdict = verdict(plan(shape, threads, batch), &rules(), Fault::Repeats, EARLY);
        assert!(verdict.contains("came twice"), "{shape:?}: {verdict}");
    }
}

#[test]
fn a_job_of_another_tenant_is_found_by_the_audit() {
    let verdict = verdict(plan(Shape::Cycle, 2, 1), &rules(), Fault::Mistakes, 30);
    assert!(verdict.contains("which is of"), "{verdict}");
}

#[test]
fn the_wrong_order_within_a_tenant_is_found_by_the_audit() {
    // With one thread, which is sure to see both jobs.
    let verdict = verdict(plan(Shape::Cycle, 1, 1), &rules(), Fault::Swaps, 30);
    assert!(verdict.contains("came after"), "{verdict}");
}

#[test]
fn a_take_that_gets_nothing_while_jobs_wait_voids_the_run() {
    for (threads, batch) in [(1, 1), (2, 1)] {
        let plan = plan(Shape::Cycle, threads, batch);
        let verdict = verdict(plan, &rules(), Fault::Sleeps, 30);
        assert!(verdict.contains("1 takes got nothing"), "{verdict}");
    }
}

#[test]
fn faults_that_come_after_the_audit_void_the_timing() {
    // Each queue counts its own calls, and that of the audit sees some 4,000 of either kind at most.
    const AFTER_THE_AUDIT: u64 = 6_000;
    for (shape, threads, batch) in SHAPES {
        if shape == Shape::WaitUnderLoad {
            continue; // its audit is as long as a sample
        }
        for fault in [Fault::Loses, Fault::Repeats] {
            let verdict = verdict(
                plan(shape, threads, batch),
                &rules(),
                fault,
                AFTER_THE_AUDIT,
            );
            let is_found = verdict.contains("came out with sum");
            assert!(is_found, "{shape:?} {fault:?}: {verdict}");
        }
    }
}

#[test]
fn threads_that_were_not_there_together_void_the_sample() {
    let strict = Rules {
        overlap_min: 0.9,
        ..rules()
    };
    // One thread is held up in a take, while the other does its part in a fraction of that time.
    let build = || Broken {
        queue: MutexFloor::default(),
        fault: Fault::HoldsUp(Duration::from_millis(300)),
        at: 5,
        calls: AtomicU64::new(0),
    };
    let plan = plan(Shape::Cycle, 2, 1);
    let workload = plan.workload(TENANTS);
    let mut trial = SharedTrial::new(plan, &workload, build, &strict).unwrap();
    trial.prepare();
    trial.sample(1).unwrap();
    assert!(
        trial.void_samples(1) > 0,
        "the run that was held up counted"
    );
}

#[test]
fn where_every_sample_is_void_there_is_no_number() {
    let unmet = Rules {
        overlap_min: 1.1,
        ..rules()
    };
    let verdict = verdict(plan(Shape::Cycle, 2, 1), &unmet, Fault::Nothing, 0);
    assert!(verdict.starts_with("void: in 1 of 1 samples"), "{verdict}");
}

#[test]
fn a_thread_that_panics_ends_the_run_and_is_heard() {
    for (shape, threads, batch) in SHAPES {
        let panics = || {
            std::panic::catch_unwind(|| {
                verdict(plan(shape, threads, batch), &rules(), Fault::Panics, 0)
            })
        };
        // On a busy machine a thread beside a burst may not take once before that is over: again then.
        let is_heard = (0..100).any(|_| panics().is_err());
        assert!(is_heard, "{shape:?}");
    }
}

#[test]
fn takes_that_get_nothing_are_counted_and_are_no_throughput() {
    const QUOTA: u64 = 2_048;
    let plan = plan(Shape::ProducersConsumers, 2, 1);
    let workload = plan.workload(TENANTS);
    let queue = Stutters(MutexFloor::default(), AtomicU64::new(0));
    let mut stage: Stage<_, Tally> = Stage::new(queue, plan, &workload);
    let ran = stage.run(&workload, &clock::cores(), Quota::Timed(QUOTA));
    let ran = ran.unwrap();
    assert!(ran.failed_takes + 1 >= ran.jobs, "{ran:?}");
    // It was not over before so many jobs were taken, however many takes that needed.
    assert!((QUOTA..QUOTA + CHUNK as u64).contains(&ran.jobs), "{ran:?}");
    stage.close().unwrap();
}

#[test]
fn what_a_sample_leaves_in_the_queue_does_not_pile_up() {
    for (threads, batch) in [(2, 1), (4, 32)] {
        let (plan, rules) = (plan(Shape::ProducersConsumers, threads, batch), rules());
        let workload = plan.workload(TENANTS);
        let jobs_max = plan.jobs_max(&workload);
        // A queue that refuses what it has no room for.
        let build = || ArrayFloor::new(jobs_max);
        let mut trial = SharedTrial::new(plan, &workload, build, &rules).unwrap();
        for _ in 0..10 {
            trial.prepare();
            trial.sample(JOBS).unwrap();
        }
        assert!(trial.outcome(10).unwrap().is_some());
    }
}

/// A queue of which every second take gets nothing.
#[derive(Debug)]
struct Stutters(MutexFloor, AtomicU64);

impl SharedContender for Stutters {
    type Ticket = ();
    type Hands = ();

    fn push(&self, offer: Offer<Job>) {
        self.0.push(offer);
    }

    fn take(&self) -> Option<(Offer<Job>, ())> {
        let is_odd = self.1.fetch_add(1, Ordering::Relaxed) % 2 == 1;
        is_odd.then(|| self.0.take()).flatten()
    }

    fn complete(&self, (): ()) {}

    fn push_batch(&self, (): &mut (), offers: &mut Vec<Offer<Job>>) {
        self.0.push_batch(&mut (), offers);
    }

    fn take_batch(&self, (): &mut (), max: usize, taken: &mut Vec<Offer<Job>>) {
        self.0.take_batch(&mut (), max, taken);
    }

    fn reclaim(&self) -> Vec<Offer<Job>> {
        self.0.reclaim()
    }
}

#[test]
fn in_the_audit_a_fair_queue_serves_the_burst_as_one_of_many_and_a_plain_one_does_not() {
    struct Noises(Vec<(String, f64)>);
    impl SharedVisitor for Noises {
        fn visit<C: SharedContender>(&mut self, entry: &Entry, build: impl Fn(u32, usize) -> C) {
            let (plan, rules) = (plan(Shape::Cycle, 2, 1), rules());
            let workload = plan.workload(100);
            let jobs_max = plan.jobs_max(&workload);
            let build = || build(100, jobs_max);
            let trial = SharedTrial::new(plan, &workload, build, &rules).unwrap();
            self.0.push((entry.name.clone(), trial.noise().unwrap()));
        }
    }
    let mut noises = Noises(Vec::new());
    for_each_shared_contender(&mut noises);
    let noise_of = |name: &str| noises.0.iter().find(|(of, _)| of == name).unwrap().1;
    assert!(noise_of("seg_queue") > 10.0);
    assert!((0.5..2.0).contains(&noise_of("locked active_list")));
}

#[test]
fn every_plan_has_a_name_of_its_own() {
    let mut names: Vec<String> = plans(true).iter().map(|(plan, _)| plan.name()).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}
