use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use schedulers::Cost;
use schedulers::admission::{Limiter, Plan, Verdict};

use super::{limit, milliseconds, seconds};

fn plan() -> Plan {
    let json = r#"{
        "default": "starter",
        "tiers": {
            "starter":    { "burst": 25,  "per_second": 5 },
            "pro":        { "burst": 100, "per_second": 20 },
            "enterprise": { "burst": 500, "per_second": 100 }
        },
        "endpoints": { "read": 1, "search": 5, "export": 20 }
    }"#;
    serde_json::from_str(json).expect("a plan")
}

#[test]
fn each_tenant_is_held_to_its_tier() {
    let limiter = Limiter::<String>::new(plan());
    limiter.assign("big", "enterprise", Duration::ZERO).unwrap();
    let burst = |tenant: &str| {
        let pass = |_: &u32| {
            limiter
                .check(tenant, Cost::UNIT, Duration::ZERO)
                .is_admitted()
        };
        (0..1_000).take_while(pass).count()
    };
    // The move left the tenant the tokens of the tier it came from; they grow to the new burst.
    assert_eq!(burst("big"), 25);
    assert_eq!(burst("small"), 25);
    assert_eq!(limiter.remaining("big", seconds(60)).0, 500);
    assert_eq!(limiter.remaining("small", seconds(60)).0, 25);

    let unknown = limiter.assign("big", "gold", Duration::ZERO).unwrap_err();
    assert_eq!(
        unknown.to_string(),
        r#"no tier is called "gold": the plan has enterprise, pro, starter"#
    );
}

#[test]
fn a_changed_tier_mints_no_token_for_anybody() {
    let limiter = Limiter::<u32>::new(plan());
    assert!(
        limiter
            .check(&0, Cost::new(20), Duration::ZERO)
            .is_admitted()
    );
    limiter
        .change("starter", limit(1_000, 1), Duration::ZERO)
        .unwrap();
    assert_eq!(limiter.remaining(&0, Duration::ZERO).0, 5);
    assert_eq!(limiter.remaining(&0, seconds(10)).0, 15);
    // Nor for one that nobody has seen.
    assert_eq!(limiter.remaining(&1, Duration::ZERO).0, 25);
    assert_eq!(
        limiter.check(&1, Cost::new(25), Duration::ZERO),
        Verdict::Admitted { remaining: 0 }
    );
    assert_eq!(limiter.remaining(&2, seconds(10_000)).0, 1_000);
    assert_eq!(limiter.plan().tier("starter"), Some(limit(1_000, 1)));
}

#[test]
fn a_bucket_is_forgotten_only_when_that_changes_nothing() {
    let limiter = Limiter::<u32>::new(plan());
    for tenant in 0..10 {
        assert!(
            limiter
                .check(&tenant, Cost::new(tenant), Duration::ZERO)
                .is_admitted()
        );
    }
    limiter.reclaim(seconds(1)); // five tokens are back: those of tenants 0 to 5
    assert_eq!(limiter.buckets(), 4);
    for tenant in 0..10_u32 {
        let missing = tenant.saturating_sub(5);
        assert_eq!(limiter.remaining(&tenant, seconds(1)).0, 25 - missing);
    }
    limiter.reclaim(seconds(60));
    assert_eq!(limiter.buckets(), 0);
}

#[test]
fn tenants_that_come_once_are_not_kept() {
    let limiter = Limiter::<u32>::new(plan());
    let mut most = 0;
    for tenant in 0..300_000 {
        // A thousand a second; each bucket is full again after a fifth of a second.
        let now = milliseconds(tenant.into());
        assert!(limiter.check(&tenant, Cost::UNIT, now).is_admitted());
        if tenant % 100 == 0 {
            most = most.max(limiter.buckets());
        }
    }
    assert!(most <= 3_000, "{most} buckets");
}

#[test]
fn what_was_given_back_can_be_spent_again_and_no_more() {
    let limiter = Limiter::<u32>::new(plan());
    assert!(
        limiter
            .check(&0, Cost::new(25), Duration::ZERO)
            .is_admitted()
    );
    limiter.give_back(&0, Cost::new(5));
    assert!(
        limiter
            .check(&0, Cost::new(5), Duration::ZERO)
            .is_admitted()
    );
    assert!(!limiter.check(&0, Cost::UNIT, Duration::ZERO).is_admitted());
    limiter.give_back(&0, Cost::MAX);
    assert_eq!(limiter.remaining(&0, Duration::ZERO).0, 25);
    limiter.give_back(&1, Cost::MAX); // never seen: it has all its tokens
    assert_eq!(limiter.remaining(&1, Duration::ZERO).0, 25);
}

/// Many threads at few buckets, with tiers changed and buckets reclaimed under them: not one token too many.
#[test]
fn threads_together_get_the_burst_and_no_token_more() {
    let limiter = Limiter::<u32>::new(plan());
    let admitted: [AtomicU32; 3] = Default::default();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for request in 0..3_000_u32 {
                    let tenant = request % 3;
                    if limiter
                        .check(&tenant, Cost::UNIT, Duration::ZERO)
                        .is_admitted()
                    {
                        admitted[tenant as usize].fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..200 {
                limiter.reclaim(Duration::ZERO);
                limiter
                    .change("starter", limit(25, 7), Duration::ZERO)
                    .unwrap();
                limiter.assign(&1, "pro", Duration::ZERO).unwrap();
                limiter.assign(&1, "starter", Duration::ZERO).unwrap();
            }
        });
    });
    assert_eq!(admitted.map(AtomicU32::into_inner), [25; 3]);
}

#[test]
fn a_plan_is_checked_as_it_is_read() {
    let read = |json: &str| serde_json::from_str::<Plan>(json).unwrap_err().to_string();
    let no_default = read(r#"{"default": "gold", "tiers": {}}"#);
    assert!(
        no_default.contains(r#"default tier "gold""#),
        "{no_default}"
    );
    let bad_rate = read(r#"{"default": "a", "tiers": {"a": {"burst": 1, "per_second": -1}}}"#);
    assert!(
        bad_rate.contains("a rate of -1 tokens a second is out of range"),
        "{bad_rate}"
    );
    let bad_cost = read(r#"{"default": "a", "tiers": {}, "endpoints": {"read": -1}}"#);
    assert!(bad_cost.contains("-1"), "{bad_cost}");
    let typing_error = read(r#"{"default": "a", "tiers": {}, "endpoint": {}}"#);
    assert!(typing_error.contains("endpoint"), "{typing_error}");

    let plan = plan();
    let written = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&written).unwrap(), plan);
    assert_eq!(plan.out_of_reach().count(), 0);
}
