use std::thread;
use std::time::Duration;

use schedulers::admission::{Budget, Budgets, Period, Spending};

use super::seconds;

/// 2028-02-29 12:00:00 UTC, a leap day.
const LEAP_DAY: u64 = 1_835_438_400;
const HOUR: u64 = 3_600;

fn budgets(period: Period) -> Budgets<String> {
    Budgets::new(Budget {
        units: 100,
        period,
        downgrade_above: 80,
    })
}

#[test]
fn spending_goes_from_within_to_downgrade_to_stopped() {
    let budgets = budgets(Period::Day);
    let noon = seconds(LEAP_DAY);
    assert_eq!(budgets.spend("a", 80, noon), Spending::Within { left: 20 });
    assert_eq!(
        budgets.spend("a", 15, noon),
        Spending::Downgrade { left: 5 }
    );
    let retry_after = seconds(12 * HOUR);
    assert_eq!(
        budgets.spend("a", 6, noon),
        Spending::Stopped { retry_after }
    );
    assert_eq!(
        budgets.spend("a", 101, noon),
        Spending::AboveBudget { units: 100 }
    );
    assert_eq!(budgets.spent("a", noon), 95);
    assert_eq!(
        budgets.spend("a", 6, noon + retry_after),
        Spending::Within { left: 94 }
    );
    assert_eq!(
        budgets.spend("b", 100, noon),
        Spending::Downgrade { left: 0 }
    );
}

#[test]
fn a_month_ends_with_its_last_day() {
    let budgets = budgets(Period::Month);
    let noon = seconds(LEAP_DAY);
    assert_eq!(
        budgets.spend("a", 100, noon),
        Spending::Downgrade { left: 0 }
    );
    let to_march = seconds(12 * HOUR);
    assert_eq!(
        budgets.spend("a", 1, noon),
        Spending::Stopped {
            retry_after: to_march
        }
    );
    let before = (noon + to_march).saturating_sub(Duration::from_nanos(1));
    let retry_after = Duration::from_nanos(1);
    assert_eq!(
        budgets.spend("a", 1, before),
        Spending::Stopped { retry_after }
    );
    assert_eq!(
        budgets.spend("a", 1, noon + to_march),
        Spending::Within { left: 99 }
    );
}

#[test]
fn a_clock_that_steps_back_over_the_turn_forgets_nothing_twice() {
    let budgets = budgets(Period::Day);
    let (today, tomorrow) = (seconds(LEAP_DAY), seconds(LEAP_DAY + 24 * HOUR));
    assert_eq!(
        budgets.spend("a", 60, tomorrow),
        Spending::Within { left: 40 }
    );
    for _ in 0..10 {
        let _ = budgets.spend("a", 1, today);
        let _ = budgets.spend("a", 1, tomorrow);
    }
    assert_eq!(budgets.spent("a", tomorrow), 80);
}

#[test]
fn a_settlement_corrects_this_period_and_no_other() {
    let budgets = budgets(Period::Day);
    let (today, tomorrow) = (seconds(LEAP_DAY), seconds(LEAP_DAY + 24 * HOUR));
    let _ = budgets.spend("a", 50, today);
    budgets.settle("a", 50, 70, today);
    assert_eq!(budgets.spent("a", today), 70);
    budgets.settle("a", 70, 0, tomorrow);
    assert_eq!(budgets.spent("a", tomorrow), 0);
    assert_eq!(
        budgets.spend("a", 100, tomorrow),
        Spending::Downgrade { left: 0 }
    );
    budgets.settle("nobody", 1, 1, today);
    assert_eq!(budgets.spent("nobody", today), 0);
}

#[test]
fn an_own_budget_holds_at_once_and_old_accounts_are_reclaimed() {
    let budgets = budgets(Period::Day);
    let today = seconds(LEAP_DAY);
    let _ = budgets.spend("a", 100, today);
    budgets.set(
        "a".to_owned(),
        Budget {
            units: 1_000,
            period: Period::Month,
            downgrade_above: u64::MAX,
        },
    );
    assert_eq!(budgets.spend("a", 900, today), Spending::Within { left: 0 });
    let _ = budgets.spend("b", 1, today);
    budgets.reclaim(today);
    assert_eq!(budgets.accounts(), 2);
    budgets.reclaim(seconds(LEAP_DAY + 24 * HOUR));
    assert_eq!(budgets.accounts(), 0); // the leap day ends the month too
}

#[test]
fn the_end_of_the_calendar_is_one_last_day() {
    let budgets = budgets(Period::Month);
    assert_eq!(
        budgets.spend("a", 100, Duration::MAX),
        Spending::Downgrade { left: 0 }
    );
    assert!(matches!(
        budgets.spend("a", 1, Duration::MAX),
        Spending::Stopped { .. }
    ));
}

#[test]
fn threads_together_spend_the_budget_and_no_unit_more() {
    let budgets = budgets(Period::Day);
    let spend = || {
        let pass = |_: &u32| {
            !matches!(
                budgets.spend("a", 1, seconds(LEAP_DAY)),
                Spending::Stopped { .. }
            )
        };
        (0..100).filter(pass).count()
    };
    let total: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(spend)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    assert_eq!(total, 100);
}
