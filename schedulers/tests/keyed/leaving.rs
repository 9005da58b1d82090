//! Tenants that come, go and are forgotten, and those that must not be.

use schedulers::discipline::{ActiveList, DeficitRoundRobin};
use schedulers::keyed::{Keyed, KeyedRefusal, TooManyTenants};
use schedulers::{Cost, Limits, Offer, Settings, TenantQueue};

use super::shared;

fn owned(tenants_max: u32) -> Keyed<String, TenantQueue<DeficitRoundRobin, u32>> {
    let settings = Settings {
        tenants_max,
        ..Settings::default()
    };
    Keyed::new(TenantQueue::new(&settings))
}

/// A job of this tenant, from the push to its end at `actual`.
fn serve(queue: &mut Keyed<String, TenantQueue<DeficitRoundRobin, u32>>, key: &str, actual: Cost) {
    queue.push(key, Cost::UNIT, 0).expect("no limits");
    let taken = queue.take().expect("a job waits");
    assert_eq!(taken.ticket.key(), key);
    queue.complete(taken.ticket, actual);
}

/// Everybody who is known comes once, and then others do.
fn one_shots(queue: &mut Keyed<String, TenantQueue<DeficitRoundRobin, u32>>, tenants: u32) {
    for tenant in 0..tenants {
        serve(queue, &format!("one-shot {tenant}"), Cost::UNIT);
    }
}

/// CASES 40 (kent8192/reinhardt-web/issues/2219, cyanheads/mcp-ts-core/issues/405).
#[test]
fn every_key_is_treated_alike_whatever_it_looks_like() {
    let long = "x".repeat(64 << 10);
    let keys = ["", " ", "\0", "\0\0", "Köln", "北京", "0", &long];
    let mut owned = owned(1 << 20);
    let shared = shared(&Settings::default());
    for (number, key) in (0..).zip(keys) {
        for pushed in 0..=number {
            owned.push(key, Cost::UNIT, pushed).expect("no limits");
            shared.push(key, Cost::UNIT, pushed).expect("no limits");
        }
    }
    for (number, key) in (1..).zip(keys) {
        assert_eq!((owned.backlog(key), shared.backlog(key)), (number, number));
    }
    while let (Some(one), Some(other)) = (owned.take(), shared.take()) {
        let key = one.ticket.key().clone();
        assert_eq!((&key, one.job), (other.ticket.key(), other.job));
        assert_eq!((owned.in_flight(&key), shared.in_flight(&key)), (1, 1));
        assert!(!owned.release(&key) && !shared.release(&key));
        owned.complete(one.ticket, Cost::UNIT);
        shared.complete(other.ticket, Cost::UNIT);
    }
    for key in keys {
        assert!(owned.release(key) && shared.release(key), "{key:?}");
    }
    assert_eq!(owned.keys().len(), 0);
    shared.for_each_key(|key| panic!("{key:?} is still known"));
}

/// CASES 40 again: what is reclaimed is never an account.
#[test]
fn a_tenant_in_debt_is_never_forgotten() {
    let mut queue = owned(1 << 20);
    serve(&mut queue, "in debt", Cost::new(100));
    one_shots(&mut queue, 100_000);
    assert!(queue.keys().len() < 1_000, "one-shots are reclaimed");
    assert!(!queue.release("in debt"));
    for job in 0..100 {
        queue.push("in debt", Cost::UNIT, job).expect("no limits");
        queue.push("free", Cost::UNIT, job).expect("no limits");
    }
    for _ in 0..99 {
        let taken = queue.take().expect("jobs wait");
        assert_eq!(taken.ticket.key(), "free");
        queue.complete(taken.ticket, Cost::UNIT);
    }
}

#[test]
fn limits_and_pauses_survive_until_their_tenant_is_removed() {
    let mut queue = owned(1 << 20);
    let limits = Limits {
        backlog_max: 1,
        ..Limits::default()
    };
    queue.configure("limited", limits).expect("there is room");
    queue.pause("paused").expect("there is room");
    one_shots(&mut queue, 10_000);
    for key in ["limited", "paused"] {
        assert!(!queue.release(key));
        queue.push(key, Cost::UNIT, 0).expect("one fits");
    }
    let refused = queue.push("limited", Cost::UNIT, 1).expect_err("one fits");
    assert_eq!(
        (refused.job, refused.refusal),
        (1, KeyedRefusal::TenantFull { backlog_max: 1 })
    );
    let taken = queue.take().expect("a job waits");
    assert_eq!(taken.ticket.key(), "limited");
    assert!(queue.take().is_none(), "the other is paused");
    queue.complete(taken.ticket, Cost::UNIT);
    for (key, jobs) in [("limited", 0), ("paused", 1)] {
        assert_eq!(queue.remove(key).len(), jobs);
        for job in 0..2 {
            queue
                .push(key, Cost::UNIT, job)
                .expect("no limits any more");
        }
        assert!(queue.take().is_some_and(|taken| taken.ticket.key() == key));
        assert_eq!(queue.remove(key).len(), 1);
    }
}

#[test]
fn a_newcomer_too_many_is_refused_until_somebody_is_idle() {
    const TENANTS: u32 = 300;
    let settings = Settings {
        tenants_max: TENANTS,
        ..Settings::default()
    };
    let mut owned = owned(TENANTS);
    let shared = shared(&settings);
    for tenant in 0..TENANTS {
        let key = tenant.to_string();
        owned.push(&key, Cost::UNIT, tenant).expect("there is room");
        shared
            .push(&key, Cost::UNIT, tenant)
            .expect("there is room");
    }
    let too_many = TooManyTenants {
        tenants_max: TENANTS,
    };
    for attempt in 0..2 {
        let refusals = [
            owned.push("one more", Cost::UNIT, 7).expect_err("no room"),
            shared.push("one more", Cost::UNIT, 7).expect_err("no room"),
        ];
        for refused in refusals {
            let expected = (7, KeyedRefusal::TooManyTenants(too_many));
            assert_eq!((refused.job, refused.refusal), expected, "{attempt}");
        }
        assert_eq!(owned.pause("one more"), Err(too_many));
        assert_eq!(
            shared.configure("one more", Limits::default()),
            Err(too_many)
        );
        owned
            .push("7", Cost::UNIT, 0)
            .expect("who is known may push");
        shared
            .push("7", Cost::UNIT, 0)
            .expect("who is known may push");
    }
    let (one, other) = (owned.take(), shared.take());
    owned
        .push("one more", Cost::UNIT, 7)
        .expect_err("a job in flight holds its tenant");
    shared
        .push("one more", Cost::UNIT, 7)
        .expect_err("a job in flight holds its tenant");
    owned.complete(one.expect("jobs wait").ticket, Cost::UNIT);
    shared.complete(other.expect("jobs wait").ticket, Cost::UNIT);
    owned.push("one more", Cost::UNIT, 7).expect("one was idle");
    shared
        .push("one more", Cost::UNIT, 7)
        .expect("one was idle");
    owned
        .push("and another", Cost::UNIT, 7)
        .expect_err("no room");
    owned.close();
    shared.close();
    let closed = owned
        .push("and another", Cost::UNIT, 7)
        .expect_err("closed");
    assert_eq!(closed.refusal, KeyedRefusal::Closed);
    let closed = shared
        .push("and another", Cost::UNIT, 7)
        .expect_err("closed");
    assert_eq!(closed.refusal, KeyedRefusal::Closed);
}

#[test]
fn a_job_id_does_not_reach_the_next_tenant_of_its_handle() {
    let mut owned = owned(1);
    let settings = Settings {
        tenants_max: 1,
        ..Settings::default()
    };
    let shared = shared(&settings);
    let ids = [
        owned.push("before", Cost::UNIT, 1).expect("there is room"),
        shared.push("before", Cost::UNIT, 1).expect("there is room"),
    ];
    assert_eq!(
        (owned.remove("before"), shared.remove("before")),
        (vec![1], vec![1])
    );
    // Eight times, so that whatever names jobs comes round to the same place.
    for job in 0..8 {
        // The place in turn of a tenant that left outlives it for a take.
        assert!(owned.take().is_none() && shared.take().is_none());
        owned.push("after", Cost::UNIT, job).expect("one was idle");
        shared.push("after", Cost::UNIT, job).expect("one was idle");
        assert_eq!((owned.cancel(ids[0]), shared.cancel(ids[1])), (None, None));
        assert_eq!(
            (owned.remove("after"), shared.remove("after")),
            (vec![job], vec![job])
        );
    }
}

#[test]
fn what_is_reclaimed_comes_back_with_its_key() {
    let mut owned = owned(10);
    let shared = shared(&Settings::default());
    for (key, job) in [("a", 1), ("b", 2), ("a", 3)] {
        owned.push(key, Cost::UNIT, job).expect("there is room");
        shared.push(key, Cost::UNIT, job).expect("there is room");
    }
    owned.pause("a").expect("known");
    let in_flight = owned.take().expect("b's job waits");
    let expected = [("a".to_owned(), 1), ("a".to_owned(), 3)];
    assert_eq!(owned.close_and_reclaim(), expected);
    assert_eq!(owned.keys().collect::<Vec<_>>(), ["b"]);
    owned.complete(in_flight.ticket, Cost::UNIT);
    let mut reclaimed = shared.close_and_reclaim();
    reclaimed.sort();
    let expected = [
        ("a".to_owned(), 1),
        ("a".to_owned(), 3),
        ("b".to_owned(), 2),
    ];
    assert_eq!(reclaimed, expected);
    shared.for_each_key(|key| panic!("{key:?} is still known"));
}

#[test]
fn a_batch_is_answered_as_single_calls_are() {
    let settings = Settings {
        tenants_max: 2,
        ..Settings::default()
    };
    let mut owned: Keyed<String, TenantQueue<ActiveList, u32>> =
        Keyed::new(TenantQueue::new(&settings));
    let shared = shared(&settings);
    let offers = |_| {
        let offer = |(job, key): (u32, &str)| Offer {
            tenant: key.to_owned(),
            cost: Cost::UNIT,
            job,
        };
        (0..)
            .zip(["a", "b", "c", "a"])
            .map(offer)
            .collect::<Vec<_>>()
    };
    let mut batches = [(); 2].map(offers);
    let mut pushed = [(); 2].map(|()| Vec::new());
    owned.push_batch(&mut batches[0], &mut pushed[0]);
    shared.push_batch(&mut batches[1], &mut pushed[1]);
    for (batch, pushed) in batches.iter().zip(&pushed) {
        assert!(batch.is_empty());
        let refused = pushed
            .iter()
            .map(|push| push.as_ref().err().map(|refused| refused.job));
        assert_eq!(refused.collect::<Vec<_>>(), [None, None, Some(2), None]);
    }
    let (mut one, mut other) = (Vec::new(), Vec::new());
    assert_eq!(
        (
            owned.take_batch(9, &mut one),
            shared.take_batch(9, &mut other)
        ),
        (3, 3)
    );
    let keys = |key: &String| key.clone();
    let one_keys: Vec<_> = one.iter().map(|taken| keys(taken.ticket.key())).collect();
    let other_keys: Vec<_> = other.iter().map(|taken| keys(taken.ticket.key())).collect();
    assert_eq!(
        (&one_keys, &one_keys),
        (&other_keys, &["a", "b", "a"].map(str::to_owned).to_vec())
    );
    owned.complete_batch(
        &mut one
            .into_iter()
            .map(|taken| (taken.ticket, Cost::UNIT))
            .collect(),
    );
    shared.complete_batch(
        &mut other
            .into_iter()
            .map(|taken| (taken.ticket, Cost::UNIT))
            .collect(),
    );
    for key in ["a", "b"] {
        assert_eq!((owned.in_flight(key), shared.in_flight(key)), (0, 0));
        assert!(owned.release(key) && shared.release(key));
    }
}
