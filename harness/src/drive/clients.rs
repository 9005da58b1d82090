//! What clients do when a request of theirs is refused: give it up, or come back with it.

use std::collections::VecDeque;

use schedulers::Tenant;
use schedulers::admission::{Denied, whole_seconds};
use serde::Serialize;

use super::calendar::Calendar;
use crate::trace::{TIME_US_MAX, position};
use records::error::BadInput;

/// The most refusals of one run that clients come back from: some ten seconds.
const REFUSALS_MAX: u64 = 1 << 27;

/// What a client, which is a tenant, does with what was refused. Told that a request will never pass, it
/// gives that up in any case.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
#[serde(tag = "retry", rename_all = "snake_case")]
pub enum Retry {
    /// Gives it up.
    #[default]
    Never,
    /// Holds back all that it has to ask for as long as it was told, in whole seconds rounded up as
    /// `Retry-After` has them, then asks one after another, the oldest first, until it is refused again.
    Obey,
    /// Asks for all of it again and again, whatever it was told.
    Hammer {
        /// From one time to the next; at least 1.
        every_us: u64,
    },
}

/// The clients of a run, and what they hold.
pub(super) struct Clients {
    retry: Retry,
    /// By handle. Empty where nobody comes back.
    by_tenant: Vec<Client>,
    /// Which client comes back next. Each is in it at most once.
    returns: Calendar<Tenant>,
    /// Those of all clients.
    refusals: u64,
}

#[derive(Clone, Default)]
struct Client {
    /// What was refused, or is held back, the oldest first.
    held: VecDeque<u32>,
    /// Whether it is to come back.
    returns: bool,
    /// How often it was refused, and did not give up.
    refusals: u64,
}

impl Clients {
    pub(super) fn new(retry: Retry, tenants: usize) -> Self {
        let tenants = if retry == Retry::Never { 0 } else { tenants };
        Self {
            retry,
            by_tenant: vec![Client::default(); tenants],
            returns: Calendar::new(),
            refusals: 0,
        }
    }

    /// Whether a new request waits behind what its client holds.
    pub(super) fn holds_back(&self, tenant: Tenant) -> bool {
        self.retry == Retry::Obey && !self.by_tenant[position(tenant)].held.is_empty()
    }

    /// Whether a refused request will come back. If so, its client has to [`hold`](Self::hold) it.
    pub(super) fn returns(&mut self, tenant: Tenant, denied: &Denied, now_us: u64) -> bool {
        let Some(retry_after) = denied.retry_after else {
            return false;
        };
        let wait_us = match self.retry {
            Retry::Never => return false,
            Retry::Obey => whole_seconds(retry_after).saturating_mul(1_000_000),
            Retry::Hammer { every_us } => every_us,
        };
        let at_us = now_us.saturating_add(wait_us.max(1));
        if at_us > TIME_US_MAX {
            return false;
        }
        let client = &mut self.by_tenant[position(tenant)];
        client.refusals += 1;
        self.refusals += 1;
        if !client.returns {
            client.returns = true;
            self.returns.note(at_us, tenant);
        }
        true
    }

    pub(super) fn hold(&mut self, tenant: Tenant, job: u32) {
        self.by_tenant[position(tenant)].held.push_back(job);
    }

    /// When the next client comes back.
    pub(super) fn next_us(&self) -> Option<u64> {
        self.returns.next_us()
    }

    /// The next client that comes back, and with how many requests.
    pub(super) fn next(&mut self) -> Option<(u64, Tenant, usize)> {
        let (now_us, tenant) = self.returns.pop()?;
        let client = &mut self.by_tenant[position(tenant)];
        client.returns = false;
        Some((now_us, tenant, client.held.len()))
    }

    /// The oldest request that a client holds.
    pub(super) fn take(&mut self, tenant: Tenant) -> Option<u32> {
        self.by_tenant[position(tenant)].held.pop_front()
    }

    /// A request was refused once more; whether its client goes on to ask for the others.
    pub(super) fn hold_again(&mut self, tenant: Tenant, job: u32) -> bool {
        let held = &mut self.by_tenant[position(tenant)].held;
        if self.retry == Retry::Obey {
            held.push_front(job);
            return false;
        }
        held.push_back(job);
        true
    }

    /// Refuses to go on for ever.
    pub(super) fn check(&self) -> Result<(), BadInput> {
        if self.refusals <= REFUSALS_MAX {
            return Ok(());
        }
        Err(BadInput::new(format!(
            "clients were refused {REFUSALS_MAX} times and come back still: let them ask less often, as --retry hammer=MS, or let more through"
        )))
    }

    /// By tenant: how often it was refused and did not give up. Empty where nobody comes back.
    pub(super) fn refusals(&self) -> Vec<u64> {
        self.by_tenant
            .iter()
            .map(|client| client.refusals)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use schedulers::admission::{Rate, RateLimit};
    use schedulers::{Cost, Limits};

    use super::{Clients, REFUSALS_MAX, Retry};
    use crate::drive::{Pool, simulate_with_clients};
    use crate::log::EventKind;
    use crate::scheduler::SCHEDULERS;
    use crate::trace::{Job, Trace, TraceBuilder};

    /// So many jobs at 0, of a millisecond each, and one more at 5 ms.
    fn jobs(at_once: u32) -> Trace {
        let mut builder = TraceBuilder::new();
        let tenant = builder.tenant("one").expect("a tenant");
        let arrivals = std::iter::repeat_n(0, at_once as usize).chain([5_000]);
        for arrival_us in arrivals {
            let job = Job {
                arrival_us,
                service_us: 1_000,
                tenant,
                cost: Cost::UNIT,
            };
            builder.add(job).expect("a job");
        }
        builder.finish().expect("a trace")
    }

    fn pool(rate_limit: Option<RateLimit>, backlog_max: u32) -> Pool {
        let limits = Limits {
            backlog_max,
            ..Limits::default()
        };
        Pool {
            workers: 1,
            limits,
            rate_limit,
        }
    }

    /// When each job was let through, in trace order, and how often the tenant was refused.
    fn let_through(trace: &Trace, pool: &Pool, retry: Retry) -> (Vec<u64>, u64) {
        let mut queue = SCHEDULERS[0].build(&pool.settings(trace));
        let (log, refusals) =
            simulate_with_clients(trace, pool, &mut queue, retry).expect("it ends");
        let mut through: Vec<_> = log
            .events
            .iter()
            .filter(|event| event.kind == EventKind::Pushed)
            .map(|event| (event.job, event.at_us))
            .collect();
        through.sort_unstable();
        let times = through.into_iter().map(|(_, at_us)| at_us).collect();
        (times, refusals.iter().sum())
    }

    /// One token at first, and one each 10 ms.
    fn slow() -> RateLimit {
        let rate = Rate::per_second(100);
        RateLimit { burst: 1, rate }
    }

    #[test]
    fn who_obeys_comes_back_when_it_was_told_and_keeps_its_order() {
        let (times, refusals) = let_through(&jobs(3), &pool(Some(slow()), u32::MAX), Retry::Obey);
        assert_eq!(times, [0, 1_000_000, 2_000_000, 3_000_000]);
        assert_eq!(
            refusals, 3,
            "once for each time that it came back and was not done"
        );
    }

    #[test]
    fn who_hammers_is_refused_more_often_and_let_through_no_sooner() {
        let hammer = Retry::Hammer { every_us: 4_000 };
        let (times, refusals) = let_through(&jobs(3), &pool(Some(slow()), u32::MAX), hammer);
        // Each 4 ms, and a token is there 10 ms after the last one was taken.
        assert_eq!(times, [0, 12_000, 24_000, 36_000]);
        // At 0, 4, 5 (the new one), 8, 12, 16, 20, 24, 28 and 32 ms.
        assert_eq!(refusals, 2 + 2 + 1 + 3 + 2 + 2 + 2 + 1 + 1 + 1);
    }

    /// Of six, one runs, two wait, and three are refused.
    #[test]
    fn a_full_backlog_is_come_back_to_after_a_second() {
        let (times, refusals) = let_through(&jobs(6), &pool(None, 2), Retry::Obey);
        let second = 1_000_000;
        assert_eq!(times[..3], [0; 3]);
        assert_eq!(times[3..6], [second; 3]);
        assert_eq!((times[6], refusals), (2 * second, 2));
    }

    #[test]
    fn nobody_comes_back_for_ever() {
        let mut clients = Clients::new(Retry::Obey, 1);
        clients.refusals = REFUSALS_MAX;
        assert!(clients.check().is_ok());
        clients.refusals += 1;
        assert!(clients.check().is_err());
    }

    #[test]
    fn what_will_never_pass_is_given_up() {
        let nothing_back = Some(RateLimit {
            burst: 2,
            rate: Rate::ZERO,
        });
        for retry in [Retry::Never, Retry::Obey, Retry::Hammer { every_us: 1 }] {
            let trace = jobs(3);
            let pool = pool(nothing_back, u32::MAX);
            assert_eq!(
                let_through(&trace, &pool, retry),
                (vec![0, 0], 0),
                "{retry:?}"
            );
        }
    }
}
