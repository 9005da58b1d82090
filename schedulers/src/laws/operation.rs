//! Random operations: the alphabet, and how often each letter comes up.

use std::iter;
use std::ops::Range;

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any};
use proptest::prop_oneof;

use crate::{Cost, Limits, Quantum, Settings, Tenant, Weight};

/// A call of a queue. What exists only once the queue runs, its tickets and job ids, is told by a
/// number that is taken modulo how many there are: so a sequence stays one when parts are left out.
#[derive(Clone, Debug)]
pub(super) enum Operation {
    Push(Tenant, Cost),
    /// Many pushes of one tenant.
    Burst(Tenant, Cost, u16),
    PushBatch(Vec<(Tenant, Cost)>),
    Take,
    TakeBatch(usize),
    /// Completes a job in flight, at its charged cost if no other is given.
    Complete(usize, Option<Cost>),
    CompleteBatch(Vec<(usize, Option<Cost>)>),
    /// Cancels one of the jobs accepted last, whether or not it still waits.
    Cancel(usize),
    Configure(Tenant, Limits),
    Pause(Tenant),
    Resume(Tenant),
    Remove(Tenant),
    Close,
    CloseAndReclaim,
}

/// What a queue is built with, and what is then done to it.
#[derive(Clone, Debug)]
pub(super) struct Script {
    pub(super) settings: Settings,
    pub(super) operations: Vec<Operation>,
}

impl Operation {
    /// The operations that a batch stands for, if how many they are does not depend on the queue.
    pub(super) fn singles(&self) -> Vec<Self> {
        match self {
            Self::PushBatch(offers) => offers
                .iter()
                .map(|&(tenant, cost)| Self::Push(tenant, cost))
                .collect(),
            Self::CompleteBatch(done) => done
                .iter()
                .map(|&(which, actual)| Self::Complete(which, actual))
                .collect(),
            other => vec![other.clone()],
        }
    }
}

impl Script {
    /// The operations one by one: a burst is its pushes.
    pub(super) fn unfolded(&self) -> impl Iterator<Item = Operation> {
        self.operations
            .iter()
            .flat_map(|operation| match operation {
                Operation::Burst(tenant, cost, jobs) => {
                    iter::repeat_n(Operation::Push(*tenant, *cost), usize::from(*jobs))
                }
                other => iter::repeat_n(other.clone(), 1),
            })
    }
}

/// Handles at and beyond this one are refused.
const TENANTS_MAX: u32 = 320;

/// Scripts in which every job costs what was said, and not much, of a queue that stays open. One
/// huge job would loosen every lag bound from then on, and short windows show no drift: so in half of
/// the scripts nothing but an empty lane takes a tenant out of the order.
pub(super) fn honest_scripts() -> impl Strategy<Value = Script> {
    (scripts_of(1..1_500), any::<bool>()).prop_map(|(mut script, is_calm)| {
        script.operations.iter_mut().for_each(make_honest);
        if is_calm {
            script.settings.limits.in_flight_max = u32::MAX;
            script.settings.limits.backlog_max = u32::MAX;
            script.settings.backlog_max = u32::MAX;
            script.settings.quantum = Quantum::UNIT;
            let numbered = script.operations.iter_mut().enumerate();
            numbered.for_each(|(number, operation)| make_calm(number, operation));
        }
        script
    })
}

fn make_honest(operation: &mut Operation) {
    match operation {
        Operation::Push(_, cost) | Operation::Burst(_, cost, _) => {
            *cost = COST_HONEST_MAX.min(*cost);
        }
        Operation::PushBatch(offers) => {
            for (_, cost) in offers {
                *cost = COST_HONEST_MAX.min(*cost);
            }
        }
        Operation::Complete(_, actual) => *actual = None,
        Operation::CompleteBatch(done) => done.iter_mut().for_each(|(_, actual)| *actual = None),
        // Large batches would leave all lanes empty most of the time.
        Operation::TakeBatch(max) => *max %= 10,
        Operation::Close | Operation::CloseAndReclaim => *operation = Operation::Take,
        _ => {}
    }
}

/// No caps, no limits and no pauses, and no change of weight but at the start.
fn make_calm(number: usize, operation: &mut Operation) {
    match operation {
        Operation::Configure(..) if number >= 100 => *operation = Operation::Take,
        Operation::Configure(_, limits) => {
            limits.in_flight_max = u32::MAX;
            limits.backlog_max = u32::MAX;
        }
        Operation::Pause(tenant) | Operation::Remove(tenant) => {
            *operation = Operation::Burst(*tenant, COST_HONEST_MAX, 20);
        }
        _ => {}
    }
}

/// The largest cost in honest scripts.
const COST_HONEST_MAX: Cost = Cost::new(5);

/// Scripts with every kind of operation.
pub(super) fn scripts() -> impl Strategy<Value = Script> {
    scripts_of(1..500)
}

fn scripts_of(length: Range<usize>) -> impl Strategy<Value = Script> {
    let operation = prop_oneof![
        400 => (tenants(), costs()).prop_map(|(tenant, cost)| Operation::Push(tenant, cost)),
        12 => (tenants(), costs(), 1..200_u16)
            .prop_map(|(tenant, cost, jobs)| Operation::Burst(tenant, cost, jobs)),
        20 => vec((tenants(), costs()), 0..40).prop_map(Operation::PushBatch),
        500 => Just(Operation::Take),
        40 => prop_oneof![0..9_usize, 0..300_usize].prop_map(Operation::TakeBatch),
        500 => (any::<usize>(), any_actual())
            .prop_map(|(which, actual)| Operation::Complete(which, actual)),
        20 => vec((any::<usize>(), any_actual()), 0..40).prop_map(Operation::CompleteBatch),
        80 => any::<usize>().prop_map(Operation::Cancel),
        40 => (tenants(), limits())
            .prop_map(|(tenant, limits)| Operation::Configure(tenant, limits)),
        16 => tenants().prop_map(Operation::Pause),
        40 => tenants().prop_map(Operation::Resume),
        12 => tenants().prop_map(Operation::Remove),
        1 => Just(Operation::Close),
        1 => Just(Operation::CloseAndReclaim),
    ];
    (settings(), vec(operation, length)).prop_map(|(settings, operations)| Script {
        settings,
        operations,
    })
}

/// A few that meet often, some further off, and some that are refused.
fn tenants() -> impl Strategy<Value = Tenant> {
    let index = prop_oneof![
        40 => 0..6_u32,
        4 => 6..80_u32,
        1 => 250..TENANTS_MAX,
        1 => prop_oneof![Just(TENANTS_MAX), Just(u32::MAX)],
    ];
    index.prop_map(Tenant::new)
}

fn costs() -> impl Strategy<Value = Cost> {
    prop_oneof![
        4 => Just(Cost::ZERO),
        20 => Just(Cost::UNIT),
        20 => Just(Cost::new(5)),
        10 => Just(Cost::new(20)),
        2 => (0..5_000_u32).prop_map(Cost::new),
        1 => Just(Cost::MAX),
    ]
}

fn any_actual() -> impl Strategy<Value = Option<Cost>> {
    prop_oneof![2 => Just(None), 1 => costs().prop_map(Some)]
}

fn limits() -> impl Strategy<Value = Limits> {
    let weight = prop_oneof![
        4 => 1..6_u32,
        1 => Just(100_u32),
        1 => Just(Weight::MAX.get()),
    ];
    let in_flight_max = prop_oneof![4 => Just(u32::MAX), 4 => 1..6_u32, 1 => Just(0_u32)];
    let backlog_max = prop_oneof![6 => Just(u32::MAX), 3 => 1..40_u32, 1 => Just(0_u32)];
    (weight, in_flight_max, backlog_max).prop_map(|(weight, in_flight_max, backlog_max)| Limits {
        weight: Weight::new(weight).expect("from 1 to the maximum"),
        in_flight_max,
        backlog_max,
    })
}

fn settings() -> impl Strategy<Value = Settings> {
    let backlog_max = prop_oneof![3 => Just(u32::MAX), 1 => Just(60_u32)];
    let default_limits = prop_oneof![2 => Just(Limits::default()), 1 => limits()];
    let quantum = prop_oneof![2 => Just(1_u32), 2 => Just(7_u32), 1 => Just(500_u32)];
    (backlog_max, default_limits, quantum).prop_map(|(backlog_max, limits, quantum)| Settings {
        tenants_max: TENANTS_MAX,
        backlog_max,
        limits,
        quantum: Quantum::new(quantum).expect("not zero"),
    })
}
