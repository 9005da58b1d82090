//! Deficit round-robin: turns of equal cost by weight, tenants in the order of their handles.
//!
//! As [`DeficitRoundRobin`](crate::discipline::DeficitRoundRobin), with the cursor in place of the
//! ring: a turn begins when the cursor is moved to a tenant, by whoever credits it then, and goes on
//! while the tenant can pay for its first job. An account is one atomic number, changed by additions.
//! So two takes that serve one tenant at once may each find it able to pay: it is overdrawn by a job
//! for each take in progress, and makes up for it in the rounds to come.

use super::lane::Lane;
use super::policy::{Left, Policy};
use super::{LockFree, Served};
use crate::sync::epoch::Guard;
use crate::sync::sequential::{AtomicI64, Ordering};
use crate::{Cost, LagMax, Settings, Share, Taken, Tenant, Ticket};

/// Turns of equal cost over weight.
#[derive(Debug)]
pub struct Deficits {
    /// Cost earned by weight 1 in a turn; at least 1.
    quantum: i64,
    /// The balance of the tenant at its turn, as it would be without what the turn earned.
    before_turn: AtomicI64,
}

/// What serving a job of this cost takes from the account: at least 1, so that every turn ends.
#[inline]
fn charge(cost: Cost) -> i64 {
    i64::from(cost.units().max(1))
}

/// A lap of the tenants with work that found nobody able to pay.
#[derive(Default)]
struct Lap {
    first: Option<u32>,
    last: u32,
    is_round: bool,
}

impl Lap {
    /// Whether, with this tenant, all have been visited in vain.
    fn visit(&mut self, position: u32) -> bool {
        let Some(first) = self.first else {
            (self.first, self.last) = (Some(position), position);
            return false;
        };
        self.is_round |= position <= self.last;
        self.last = position;
        self.is_round && position >= first
    }
}

impl Deficits {
    /// What a turn earns: below 2^52.
    #[inline]
    fn earned(&self, lane: &Lane) -> i64 {
        self.quantum * i64::from(lane.weight().get())
    }

    fn is_at_turn<J>(queue: &LockFree<Self, J>, tenant: Tenant) -> bool {
        let turn = queue.turn();
        turn.is_begun && turn.position == tenant.index()
    }

    /// Nobody can pay after one more turn: gives everybody the turns that would change nothing.
    #[cold]
    #[inline(never)]
    fn skip_rounds<J>(&self, queue: &LockFree<Self, J>, guard: &Guard) {
        let mut eligible = Vec::new();
        let mut from = 0;
        while let Some(position) = queue.eligible.find(from) {
            if position < from {
                break;
            }
            eligible.push(Tenant::at(position));
            from = position + 1;
        }
        let lanes = eligible
            .into_iter()
            .filter_map(|tenant| Some((tenant, queue.table.lane(tenant, guard)?)));
        let lanes: Vec<(Tenant, &Lane)> = lanes.collect();
        let turns_to_pay = |&(tenant, lane): &(Tenant, &Lane)| {
            let cost = charge(lane.first_cost(&queue.pool, tenant, guard)?);
            let balance = lane.account.load(Ordering::Relaxed);
            let (short, earned) = (cost.saturating_sub(balance).max(0), self.earned(lane));
            Some(short / earned + i64::from(short % earned > 0))
        };
        let turns = lanes.iter().filter_map(turns_to_pay).min();
        let idle_turns = turns.map_or(0, |turns| (turns - 1).max(0));
        for (_, lane) in lanes {
            let credit = self.earned(lane).saturating_mul(idle_turns);
            lane.account.fetch_add(credit, Ordering::Relaxed);
        }
    }

    /// A turn that a cap or a pause cuts short leaves what the tenant had before it, or less than
    /// its first job costs.
    #[cold]
    fn cut_turn<J>(&self, queue: &LockFree<Self, J>, tenant: Tenant, lane: &Lane, guard: &Guard) {
        if let Some(cost) = lane.first_cost(&queue.pool, tenant, guard) {
            let before = self.before_turn.load(Ordering::Relaxed);
            let kept = before.max(charge(cost) - 1);
            lane.account.fetch_min(kept, Ordering::Relaxed);
        }
    }
}

// Relaxed, in all of this file: accounts publish nothing, and each change is one addition.
#[allow(private_interfaces)]
impl Policy for Deficits {
    fn new(settings: &Settings) -> Self {
        Self {
            quantum: i64::from(settings.quantum.units()),
            before_turn: AtomicI64::new(0),
        }
    }

    fn lag_max(&self) -> LagMax {
        LagMax {
            share: Share::Cost,
            fixed: self.quantum.unsigned_abs(),
            jobs: 1,
        }
    }

    #[inline]
    fn take<J>(&self, queue: &LockFree<Self, J>, guard: &Guard) -> Option<Taken<J>> {
        let mut lap = Lap::default();
        let can_pay = |lane: &Lane, cost| lane.account.load(Ordering::Relaxed) >= charge(cost);
        loop {
            let turn = queue.turn();
            let tenant = Tenant::at(queue.eligible.find(turn.position as usize)?);
            let goes_on = turn.is_begun && turn.position == tenant.index();
            if !goes_on {
                let lane = queue.table.lane(tenant, guard);
                // Who has nothing to be served earns nothing.
                let Some(lane) = lane.filter(|lane| lane.is_eligible()) else {
                    queue.retract(tenant, guard);
                    continue;
                };
                if queue.exchange_turn(turn, turn.begin(tenant)) {
                    let before = lane.account.fetch_add(self.earned(lane), Ordering::Relaxed);
                    self.before_turn.store(before, Ordering::Relaxed);
                }
                continue;
            }
            match queue.serve(tenant, can_pay, guard) {
                Served::Job(taken) => return Some(taken),
                Served::Idle => {}
                Served::Short => {
                    let is_mine = queue.exchange_turn(turn, turn.pass(tenant));
                    if is_mine && lap.visit(tenant.index()) {
                        self.skip_rounds(queue, guard);
                        lap = Lap::default();
                    }
                    continue;
                }
            }
            queue.exchange_turn(turn, turn.pass(tenant));
        }
    }

    #[inline]
    fn served<J>(
        &self,
        queue: &LockFree<Self, J>,
        tenant: Tenant,
        lane: &Lane,
        (cost, left): (Cost, Left),
        guard: &Guard,
    ) {
        lane.account.fetch_sub(charge(cost), Ordering::Relaxed);
        if !left.has_more {
            self.idle(lane);
        } else if !left.is_open {
            self.cut_turn(queue, tenant, lane, guard);
        }
    }

    fn settle<J>(&self, queue: &LockFree<Self, J>, lane: &Lane, ticket: &Ticket, actual: Cost) {
        let amount = charge(ticket.cost()) - charge(actual);
        lane.account.fetch_add(amount, Ordering::Relaxed);
        if Self::is_at_turn(queue, ticket.tenant()) {
            self.before_turn.fetch_add(amount, Ordering::Relaxed);
        }
        if lane.backlog() == 0 {
            self.idle(lane);
        }
    }

    /// A tenant without work keeps a debt, and nothing else.
    #[inline]
    fn idle(&self, lane: &Lane) {
        if lane.account.load(Ordering::Relaxed) > 0 {
            lane.account.fetch_min(0, Ordering::Relaxed);
        }
    }

    fn parked<J>(&self, queue: &LockFree<Self, J>, tenant: Tenant, lane: &Lane, guard: &Guard) {
        if Self::is_at_turn(queue, tenant) {
            self.cut_turn(queue, tenant, lane, guard);
        }
    }

    /// A turn that a great weight began would go on for as long under a small one: it ends here.
    fn reweighed<J>(&self, queue: &LockFree<Self, J>, tenant: Tenant, lane: &Lane, guard: &Guard) {
        if Self::is_at_turn(queue, tenant)
            && let Some(cost) = lane.first_cost(&queue.pool, tenant, guard)
        {
            lane.account.fetch_min(charge(cost) - 1, Ordering::Relaxed);
        }
    }
}
