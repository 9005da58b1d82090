//! Small workloads, worked out by hand. A message takes 10 us.

use schedulers::Tenant;

use super::{Cluster, LeafOf, Outcome, Policy, Workload, settings};
use crate::scheduler::SCHEDULERS;
use crate::tail::random;

const MESSAGE_US: u64 = 10;
const ASKS: Tenant = Tenant::new(0);
const LOADS: Tenant = Tenant::new(1);

fn run(workload: &Workload, policy: Policy) -> Outcome {
    let cluster = Cluster {
        servers: 2,
        workers: 1,
        scheduler: SCHEDULERS[0],
        settings: settings(100),
        message_us: MESSAGE_US,
    };
    cluster.simulate(workload, policy, random(0))
}

/// Servers that are busy until these instants, and a request at 100 that takes 50 on the first and 70
/// on the second.
fn busy_until(first_us: u64, second_us: u64) -> Workload {
    let mut busy = Workload::default();
    for (server, until_us) in [(0, first_us), (1, second_us)] {
        if until_us > 0 {
            busy.load(0, LOADS, server, until_us - MESSAGE_US);
        }
    }
    let mut request = Workload::default();
    let leaf = LeafOf {
        servers: [0, 1],
        service_us: [50, 70],
    };
    request.ask(100, ASKS, [leaf]);
    busy.with(&request)
}

#[test]
fn on_idle_servers_the_twin_is_cancelled_before_it_arrives() {
    let outcome = run(&busy_until(0, 0), Policy::Tie);
    assert_eq!(outcome.took_us, [10 + 50 + 10]);
    assert_eq!(
        (
            outcome.tally.sent,
            outcome.tally.cancelled,
            outcome.tally.ran_twice
        ),
        (2, 1, 0)
    );
}

#[test]
fn the_queue_that_is_done_first_serves_and_the_other_copy_is_cancelled_in_its_lane() {
    // The second copy arrives at 130 and starts at 200; its twin waits until then, and to 210 at most.
    let outcome = run(&busy_until(1_000, 200), Policy::Tie);
    assert_eq!(outcome.took_us, [100 + 70 + 10]);
    assert_eq!((outcome.tally.cancelled, outcome.tally.ran_twice), (1, 0));
    assert_eq!(outcome.tally.jobs_on_a_server_max, 2);
}

#[test]
fn both_run_if_both_start_within_a_message() {
    let outcome = run(&busy_until(205, 200), Policy::Tie);
    assert_eq!(
        outcome.took_us,
        [205 + 50 + 10 - 100],
        "the first is quicker, though it started later"
    );
    assert_eq!((outcome.tally.cancelled, outcome.tally.ran_twice), (0, 1));
    let wasted = outcome.tally.wasted_share;
    assert!(
        (wasted - 50.0 / 120.0).abs() < 1e-12,
        "what started second: {wasted}"
    );
}

#[test]
fn a_hedge_is_sent_after_its_delay_and_not_if_the_answer_came() {
    let hedge = |delay_us| run(&busy_until(1_000, 0), Policy::Hedge { delay_us });
    let outcome = hedge(40);
    assert_eq!(outcome.took_us, [40 + 10 + 70 + 10]);
    // It still waits when the cancellation comes.
    assert_eq!((outcome.tally.sent, outcome.tally.cancelled), (2, 1));
    // The answer is there at 1,060: a client that waits as long sends nothing.
    assert_eq!(hedge(960).tally.sent, 1);
    assert_eq!(hedge(959).tally.sent, 2);
}

#[test]
fn the_shorter_queue_is_that_of_the_last_answer() {
    let policy = |stale_us| run(&busy_until(1_000, 0), Policy::ShorterOfTwo { stale_us }).took_us;
    assert_eq!(policy(0), [10 + 70 + 10], "it knows that the first is busy");
    // Asked at 0, when nothing had arrived, and next at 500.
    assert_eq!(policy(500), [1_000 + 50 + 10 - 100]);
    assert_eq!(policy(50), [10 + 70 + 10]);
    let all = run(&busy_until(1_000, 0), Policy::ShortestOfAll { stale_us: 0 });
    assert_eq!(
        all.took_us,
        [10 + 50 + 10],
        "the copy that is sent is the first, wherever it goes"
    );
}

#[test]
fn a_request_waits_for_its_slowest_leaf() {
    let mut workload = Workload::default();
    let on = |server, service_us| LeafOf {
        servers: [server, 1 - server],
        service_us: [service_us; 2],
    };
    workload.ask(0, ASKS, [on(0, 5), on(1, 300)]);
    workload.ask(0, ASKS, [on(0, 7)]);
    let outcome = run(&workload, Policy::First);
    assert_eq!(outcome.took_us, [10 + 5 + 7 + 10, 10 + 300 + 10]);
    assert_eq!(outcome.tally.leaves, 3);
}
