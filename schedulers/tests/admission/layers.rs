use std::time::Duration;

use schedulers::admission::{
    Admission, Budget, Budgets, Ceiling, Counters, Denied, Layer, Limiter, Period, Plan, Rate,
    Thresholds, Verdict, whole_seconds,
};
use schedulers::discipline::Rotation;
use schedulers::{Cost, Limits, Locked, Settings, SharedFairQueue, Tenant, TenantQueue};

use super::{limit, milliseconds, seconds};

const NOON: Duration = seconds(1_835_438_400);
const A: (&str, Tenant) = ("a", Tenant::new(0));

fn queue(backlog_max: u32) -> Locked<TenantQueue<Rotation, u32>> {
    let limits = Limits {
        backlog_max,
        ..Limits::default()
    };
    Locked::new(TenantQueue::new(&Settings {
        limits,
        ..Settings::default()
    }))
}

fn admission() -> Admission<String> {
    let limiter = Limiter::new(Plan::uniform(limit(10, 2)));
    let budget = Budget {
        units: 20,
        period: Period::Day,
        downgrade_above: 15,
    };
    Admission::new(limiter, Counters::new(10, Thresholds::default()))
        .with_budgets(Budgets::new(budget))
}

#[test]
fn each_layer_refuses_in_its_turn_and_gives_back_what_those_before_it_spent() {
    let (admission, queue) = (admission(), queue(3));
    let push = |cost: u32, now| {
        admission
            .push(&queue, A, Cost::new(cost), cost, now)
            .map_err(|(job, denied)| {
                assert_eq!(job, cost, "the job comes back");
                denied
            })
    };
    let left = || {
        let spent = admission.budgets().unwrap().spent("a", NOON);
        (spent, admission.limiter().remaining("a", NOON).0)
    };
    for _ in 0..3 {
        assert!(push(1, NOON).is_ok());
    }
    assert_eq!(left(), (3, 7));

    let backlog = Denied {
        layer: Layer::Backlog,
        retry_after: Some(seconds(1)),
    };
    assert_eq!(push(1, NOON), Err(backlog));
    assert_eq!(left(), (3, 7));

    let rate = Denied {
        layer: Layer::RateLimit,
        retry_after: Some(milliseconds(500)),
    };
    assert_eq!(push(8, NOON), Err(rate));
    assert_eq!(
        push(11, NOON),
        Err(Denied {
            retry_after: None,
            ..rate
        })
    );
    assert_eq!(left(), (3, 7));

    let budget = Denied {
        layer: Layer::Budget,
        retry_after: Some(seconds(12 * 3_600)),
    };
    assert_eq!(push(18, NOON), Err(budget));
    assert_eq!(
        push(21, NOON),
        Err(Denied {
            retry_after: None,
            ..budget
        })
    );
    assert_eq!(left(), (3, 7));

    queue.close();
    assert_eq!(
        push(1, NOON),
        Err(Denied {
            layer: Layer::Service,
            retry_after: None
        })
    );
    assert_eq!(left(), (3, 7));

    let counted = &admission.counters().report(NOON)[0];
    assert_eq!((counted.admitted, counted.refused), (3, [2, 2, 1, 1]));
}

#[test]
fn past_the_threshold_a_request_is_served_more_cheaply_and_settled_at_its_real_cost() {
    let admission = admission();
    let first = admission.admit("a", Cost::new(10), NOON).unwrap();
    assert!(!first.downgrade);
    let later = NOON + seconds(5);
    let second = admission.admit("a", Cost::new(6), later).unwrap();
    assert!(second.downgrade);
    admission.settle("a", &second, Cost::new(1), later);
    assert_eq!(admission.budgets().unwrap().spent("a", later), 11);
}

#[test]
fn a_ceiling_holds_all_workers_back_and_tells_promises_it_cannot_keep() {
    let ceiling = Ceiling::new(limit(2, 10), Duration::ZERO);
    assert!(ceiling.check(Cost::new(2), Duration::ZERO).is_admitted());
    let retry_after = milliseconds(100);
    assert_eq!(
        ceiling.check(Cost::UNIT, Duration::ZERO),
        Verdict::Refused { retry_after }
    );
    ceiling.give_back(Cost::UNIT);
    assert!(ceiling.check(Cost::UNIT, Duration::ZERO).is_admitted());

    let kept = ceiling.promised([5, 5].map(Rate::per_second));
    assert!(kept.can_be_kept());
    let broken = ceiling.promised([5, 20].map(Rate::per_second));
    assert!(!broken.can_be_kept());
    assert!((broken.times() - 2.5).abs() < 1e-9);
}

#[test]
fn a_denial_says_what_to_do_and_a_client_that_obeys_is_not_too_early() {
    let admission = admission();
    let _ = admission.admit("a", Cost::new(10), NOON);
    let denied = admission.admit("a", Cost::UNIT, NOON).unwrap_err();
    assert_eq!(
        denied.to_string(),
        "too many requests in a short time: try again in 1 s"
    );
    assert_eq!(whole_seconds(Duration::ZERO), 0);
    assert_eq!(whole_seconds(Duration::from_nanos(1)), 1);
    assert_eq!(whole_seconds(seconds(3)), 3);
    assert_eq!(whole_seconds(Duration::MAX), u64::MAX);
    let obeyed = NOON + seconds(whole_seconds(denied.retry_after.unwrap()));
    assert!(admission.admit("a", Cost::UNIT, obeyed).is_ok());
}
