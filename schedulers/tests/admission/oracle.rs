//! governor decides as we do, request by request, wherever it can express the limit: it counts whole
//! nanoseconds a token, so the rates here are those that divide a second.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock, FakeRelativeClock};
use governor::{Quota, RateLimiter};
use rand::RngExt;
use schedulers::Cost;
use schedulers::admission::{Limiter, Plan, Rate, RateLimit, Verdict};

use super::{SEED, random};

const TENANTS: u32 = 7;
const REQUESTS: u32 = 40_000;

#[test]
fn governor_decides_the_same() {
    let mut random = random();
    for per_second in [1_u32, 4, 5, 20, 100, 1_000] {
        let burst = random.random_range(1..50_u32);
        let period = Duration::from_secs(1) / per_second;
        let quota = Quota::with_period(period).expect("not zero");
        let quota = quota.allow_burst(NonZeroU32::new(burst).expect("not zero"));
        let clock = FakeRelativeClock::default();
        let theirs = RateLimiter::dashmap_with_clock(quota, clock.clone());
        let rate = Rate::per_second(per_second);
        let ours = Limiter::<u32>::new(Plan::uniform(RateLimit { burst, rate }));

        let mut now = Duration::ZERO;
        let mut admitted = 0;
        for request in 0..REQUESTS {
            // About as fast as seven tenants may ask, in steps that divide nothing.
            let step = Duration::from_nanos(
                random.random_range(0..1_000_000_000 / u64::from(per_second) / 2),
            );
            clock.advance(step);
            now += step;
            let tenant = random.random_range(0..TENANTS);
            let cost = random.random_range(1..=burst + 1);
            let cells = NonZeroU32::new(cost).expect("not zero");
            let expected = match theirs.check_key_n(&tenant, cells) {
                Ok(Ok(())) => None,
                Ok(Err(not_until)) => Some(Some(not_until.wait_time_from(clock.now()))),
                Err(_insufficient_capacity) => Some(None),
            };
            let verdict = ours.check(&tenant, Cost::new(cost), now);
            let seen = (!verdict.is_admitted()).then(|| verdict.retry_after());
            assert_eq!(
                seen, expected,
                "seed {SEED}, {burst} at {per_second}/s, request {request}"
            );
            assert_eq!(
                verdict == Verdict::AboveBurst { burst },
                expected == Some(None)
            );
            admitted += u32::from(verdict.is_admitted());
        }
        assert!(
            (REQUESTS / 50..REQUESTS).contains(&admitted),
            "both outcomes were tried: {admitted}"
        );
    }
}
