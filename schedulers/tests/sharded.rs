//! Shards of very different sizes: each tenant has its share, wherever it was placed. And the laws for
//! disciplines that the registry does not shard.

use std::collections::BTreeMap;

use schedulers::discipline::{ActiveList, DeficitRoundRobin, InRounds, Rotation, Rounds, ScanAll};
use schedulers::laws::{Effort, Job, LAWS, Subject};
use schedulers::{
    Cost, FairQueue, LagMax, Limits, Lowered, Quantum, Settings, Sharded, Shards, Share,
    SharedFairQueue, Tenant, TenantQueue, Weight,
};

const TWO: usize = 2;

type Queue<D> = Sharded<TenantQueue<Rounds<D>, Job>>;

fn queue<D: InRounds>(quantum: u32) -> Queue<D> {
    let settings = Settings {
        quantum: Quantum::new(quantum).expect("not zero"),
        ..Settings::default()
    };
    Sharded::with_shards(&settings, two(), TenantQueue::new)
}

fn two() -> Shards {
    Shards::new(TWO).expect("a power of two")
}

/// The first tenants of each shard, so many.
fn placed(counts: [usize; TWO]) -> Vec<Tenant> {
    let of_shard = |shard| {
        let own = move |tenant: &Tenant| two().shard_of(*tenant) == shard;
        (0..).map(Tenant::new).filter(own).take(counts[shard])
    };
    (0..TWO).flat_map(of_shard).collect()
}

/// The tenants of one run, what each weighs, and what its jobs cost.
struct Pool {
    tenants: Vec<Tenant>,
    weight: fn(usize) -> u32,
    cost: fn(usize) -> u32,
    cost_max: u32,
}

fn equal(counts: [usize; TWO]) -> Pool {
    Pool {
        tenants: placed(counts),
        weight: |_| 1,
        cost: |_| 1,
        cost_max: 1,
    }
}

impl Pool {
    fn weight_of(&self, index: usize) -> Weight {
        Weight::new((self.weight)(index)).expect("in range")
    }

    /// Gives every tenant its weight, and work for two turns.
    fn set_up<D: InRounds>(&self, queue: &Queue<D>) {
        for (index, &tenant) in self.tenants.iter().enumerate() {
            let limits = Limits {
                weight: self.weight_of(index),
                ..Limits::default()
            };
            queue.configure(tenant, limits).expect("below the maximum");
            self.keep(queue, index);
        }
    }

    fn keep<D: InRounds>(&self, queue: &Queue<D>, index: usize) {
        let tenant = self.tenants[index];
        while queue.backlog(tenant) < 2 {
            let cost = Cost::new((self.cost)(index));
            queue.push(tenant, cost, 0).expect("no limits");
        }
    }

    /// So many takes of all tenants; gives the service of each after every `step` of them.
    fn serve<D: InRounds>(&self, queue: &Queue<D>, takes: usize, step: usize) -> Vec<Vec<u64>> {
        let share = queue.lag_max().expect("it promises one").share;
        let places: BTreeMap<Tenant, usize> = self.tenants.iter().copied().zip(0..).collect();
        let mut service = vec![0; self.tenants.len()];
        let mut history = vec![service.clone()];
        for take in 1..=takes {
            let ticket = queue.take().expect("everybody has work").ticket;
            let (place, cost) = (places[&ticket.tenant()], ticket.cost());
            service[place] += share.of(cost);
            queue.complete(ticket, cost);
            self.keep(queue, place);
            if take.is_multiple_of(step) {
                history.push(service.clone());
            }
        }
        history
    }

    /// The bound holds between any two tenants over every window of so many steps of the history. Of
    /// the tenants of one weight, those served most and least stand for all.
    fn check(&self, lag_max: LagMax, history: &[Vec<u64>], steps: usize) {
        let cost_max = Cost::new(self.cost_max);
        for (start, end) in history.iter().zip(&history[steps..]) {
            let mut extremes: BTreeMap<Weight, (u64, u64)> = BTreeMap::new();
            for place in 0..self.tenants.len() {
                let service = end[place] - start[place];
                let extreme = extremes.entry(self.weight_of(place));
                let (least, most) = extreme.or_insert((service, service));
                (*least, *most) = (service.min(*least), service.max(*most));
            }
            for (&ahead, &(_, most)) in &extremes {
                for (&behind, &(least, _)) in &extremes {
                    let (ahead, behind) = ((most, ahead), (least, behind));
                    assert!(
                        lag_max.allows(ahead, behind, cost_max),
                        "{ahead:?} and {behind:?} in {steps} steps are beyond {lag_max:?}"
                    );
                }
            }
        }
    }
}

fn check_any_window<D: InRounds>(pool: &Pool, quantum: u32, takes: usize) {
    let queue = queue::<D>(quantum);
    let lag_max = queue.lag_max().expect("it promises one");
    pool.set_up(&queue);
    let history = pool.serve(&queue, 2 * takes, takes / 100);
    for steps in [1, 2, 10, 100] {
        pool.check(lag_max, &history, steps);
    }
}

/// Nine and one: by shard, each of the nine would have a ninth of what the one has.
#[test]
fn ten_equal_tenants_placed_nine_and_one_are_served_equally() {
    let pool = equal([9, 1]);
    check_any_window::<ActiveList>(&pool, 1, 1_000);
    check_any_window::<Rotation>(&pool, 1, 1_000);
    check_any_window::<ScanAll>(&pool, 1, 1_000);
    check_any_window::<DeficitRoundRobin>(&pool, 1, 1_000);
    // Nobody comes or goes: then each is within one turn of its tenth.
    let queue = queue::<ActiveList>(1);
    pool.set_up(&queue);
    let history = pool.serve(&queue, 3_000, 1);
    for (start, end) in history.iter().zip(&history[1_000..]) {
        for (start, end) in start.iter().zip(end) {
            assert!((end - start).abs_diff(100) <= 1, "{} of 1,000", end - start);
        }
    }
}

#[test]
fn a_thousand_tenants_in_one_shard_do_not_slow_the_one_in_the_other() {
    check_any_window::<ActiveList>(&equal([1, 1_000]), 1, 2_002);
    check_any_window::<ActiveList>(&equal([1_000, 1]), 1, 2_002);
}

#[test]
fn weights_hold_across_shards() {
    for quantum in [1, 7, 100] {
        for counts in [[9, 1], [1, 9], [3, 3]] {
            let pool = Pool {
                weight: |index| [1, 3, 10][index % 3],
                cost: |index| [1, 20, 5, 7][index % 4],
                cost_max: 20,
                ..equal(counts)
            };
            check_any_window::<DeficitRoundRobin>(&pool, quantum, 2_000);
        }
    }
}

/// Makes a tenant leave, or come back.
type Leave = fn(&Queue<ActiveList>, Tenant, bool);

/// A shard that is empty, or has all its tenants at their caps or paused, earns nothing meanwhile, and
/// pays nothing when it comes back.
#[test]
fn a_shard_that_comes_back_has_its_share_from_then_on() {
    let pool = equal([9, 1]);
    let lone = pool.tenants[9];
    let takes = 1_000;
    let ways: [Leave; 3] = [
        |queue, lone, leaves| {
            if leaves {
                queue.remove(lone);
            } else {
                queue.push(lone, Cost::UNIT, 0).expect("no limits");
                queue.push(lone, Cost::UNIT, 0).expect("no limits");
            }
        },
        |queue, lone, leaves| {
            let changed = if leaves {
                queue.pause(lone)
            } else {
                queue.resume(lone)
            };
            changed.expect("known");
        },
        |queue, lone, leaves| {
            let limits = Limits {
                in_flight_max: if leaves { 0 } else { u32::MAX },
                ..Limits::default()
            };
            queue.configure(lone, limits).expect("known");
        },
    ];
    for leave in ways {
        let queue = queue::<ActiveList>(1);
        let lag_max = queue.lag_max().expect("it promises one");
        pool.set_up(&queue);
        for _ in 0..5 {
            leave(&queue, lone, true);
            let alone = Pool {
                tenants: pool.tenants[..9].to_vec(),
                ..equal([0, 0])
            };
            let history = alone.serve(&queue, 2 * takes, 10);
            alone.check(lag_max, &history, takes / 10);
            leave(&queue, lone, false);
            let history = pool.serve(&queue, 2 * takes, 10);
            pool.check(lag_max, &history, 2);
            pool.check(lag_max, &history, takes / 10);
        }
    }
}

/// CASES 42 (cameron314/concurrentqueue/issues/103): within two turns of each of the others.
#[test]
fn a_quiet_shard_is_reached_within_two_rounds() {
    let pool = equal([10, 1]);
    let (busy, quiet) = pool.tenants.split_at(10);
    for turns_before in 0..25 {
        let queue = queue::<ActiveList>(1);
        for tenant in busy {
            for job in 0..20 {
                queue.push(*tenant, Cost::UNIT, job).expect("no limits");
            }
        }
        for _ in 0..turns_before {
            let _ = queue.take();
        }
        queue.push(quiet[0], Cost::UNIT, 0).expect("no limits");
        let wait = (0..200).find(|_| {
            let taken = queue.take().expect("everybody has work");
            taken.ticket.tenant() == quiet[0]
        });
        assert!(
            wait.is_some_and(|wait| wait <= 2 * busy.len()),
            "after {turns_before}: {wait:?}"
        );
    }
}

/// The whole queue is full when all shards together hold so many jobs, and one batch may fill it.
#[test]
fn the_limit_of_the_whole_queue_counts_all_shards() {
    let settings = Settings {
        backlog_max: 10,
        ..Settings::default()
    };
    let queue: Queue<ActiveList> = Sharded::with_shards(&settings, two(), TenantQueue::new);
    let offer = |index| schedulers::Offer {
        tenant: Tenant::new(index),
        cost: Cost::UNIT,
        job: u64::from(index),
    };
    let mut offers: Vec<_> = (0..25).map(offer).collect();
    let mut pushed = Vec::new();
    queue.push_batch(&mut offers, &mut pushed);
    assert!(offers.is_empty());
    assert_eq!(pushed.iter().filter(|answer| answer.is_ok()).count(), 10);
    assert!(
        pushed[..10].iter().all(Result::is_ok),
        "in the order of the offers"
    );
    assert_eq!(queue.len(), 10);
    let first = pushed[3].as_ref().copied().expect("accepted");
    assert_eq!(queue.cancel(first), Some(3));
    assert!(queue.push(Tenant::new(99), Cost::UNIT, 99).is_ok());
    assert!(queue.push(Tenant::new(99), Cost::UNIT, 99).is_err());
}

/// All laws for a sharded discipline that the registry has only with one owner.
fn hold(name: &'static str, new: fn(&Settings) -> Box<dyn FairQueue<Job>>) {
    let subject = Subject { name, new };
    let Effort {
        operations, seed, ..
    } = Effort::from_environment();
    for law in LAWS {
        if let Err(violation) = law.check(&subject, &Effort::new(operations.min(5_000), seed)) {
            panic!("{violation}");
        }
    }
}

fn lowered<D: InRounds + 'static>(settings: &Settings, shards: usize) -> Box<dyn FairQueue<Job>> {
    let shards = Shards::new(shards).expect("a power of two");
    let queue: Queue<D> = Sharded::with_shards(settings, shards, TenantQueue::new);
    Box::new(Lowered(queue))
}

#[test]
fn sharded_deficits_hold_the_laws() {
    hold("sharded deficit_round_robin", |settings| {
        lowered::<DeficitRoundRobin>(settings, 4)
    });
}

#[test]
fn sharded_rotation_holds_the_laws() {
    hold("sharded rotation", |settings| {
        lowered::<Rotation>(settings, 2)
    });
}

#[test]
fn one_shard_holds_the_laws_and_the_bound_of_its_discipline() {
    hold("one shard", |settings| lowered::<ActiveList>(settings, 1));
    let queue = lowered::<ActiveList>(&Settings::default(), 1);
    assert_eq!(queue.lag_max(), Some(LagMax::ONE_TURN));
    let many = lowered::<DeficitRoundRobin>(&Settings::default(), 2);
    assert_eq!(
        many.lag_max().map(|lag_max| lag_max.share),
        Some(Share::Cost)
    );
}
