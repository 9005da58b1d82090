//! Deficit round-robin: turns that are equal in cost, in proportion to weight.
//!
//! M. Shreedhar and G. Varghese, "Efficient Fair Queuing Using Deficit Round-Robin", SIGCOMM 1995.
//! Each turn adds `quantum x weight` to the tenant's deficit and serves jobs while the first one's
//! cost is covered; the rest is carried over while the tenant has work, and forgotten when it has none.
//!
//! Push is O(1). Take is O(1) amortised when the quantum is at least the usual cost. When a whole
//! round finds nobody who can pay, the rounds in which that would stay so are skipped by arithmetic,
//! at two passes over the ring, so take is O(tenants with work) at worst, whatever the costs.
//!
//! Over any stretch in which tenants of weights `a` and `b` stay eligible, and with no cost above
//! `c`, service over weight differs by at most `quantum + c/a + c/b`: their turns differ by at most
//! one, each turn earns `quantum x weight`, and what is carried over is less than one job's cost.
//!
//! Beyond the paper: a job of cost 0 is charged 1, or a stream of free jobs would be one endless
//! turn; and the deficit is settled when the real cost is known, so a tenant that understated its
//! costs is in debt and waits, and one that overstated them is refunded. The bound counts a job at its
//! real cost once it is settled: until then a tenant may be ahead, or behind, by what its jobs in
//! flight were misstated, and a refund that comes after an idle stretch is credit all the same. A turn
//! that a cap or a pause cuts short carries over what any turn does; a cap below a turn's worth of
//! jobs makes shares follow turns, not weights.
//!
//! Do not use it with a quantum far above the usual cost: a turn then serves many jobs in a row, and
//! neighbours wait for them. Where all jobs cost the same and weights are equal,
//! [`Rotation`](super::Rotation) is simpler and its waits are shorter.

use super::Discipline;
use super::ring::Ring;
use crate::{Cost, Head, LagMax, Settings, Share, Standing, Tenant, Tenants, Weight};

/// Turns of equal cost over weight.
#[derive(Clone, Debug)]
pub struct DeficitRoundRobin {
    /// Every eligible tenant but the one below.
    ring: Ring,
    /// The tenant whose turn goes on: it is eligible, and can pay for its first job.
    turn: Option<Tenant>,
    /// The balance of the tenant selected last, as it would be without what its turn earned and with
    /// its first job still to be paid: written when the turn begins, and with each job that it serves.
    before_turn: i64,
    /// Cost earned by weight 1 in a turn; at least 1.
    quantum: i64,
}

/// A tenant's account.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Account {
    /// The deficit of the paper, less the cost of the first job while the tenant is eligible: it is
    /// served when this is not negative, and has then paid already. The cost is in a register when
    /// a job is pushed, and a cache miss away when its turn comes.
    balance: i64,
}

impl DeficitRoundRobin {
    /// What a turn earns. Both factors are bounded (2^32 and 10^6), so the product is below 2^52.
    #[inline(always)]
    fn earned(&self, weight: Weight) -> i64 {
        self.quantum * i64::from(weight.get())
    }

    /// Corrects what a tenant was charged, and ends its turn if it can no longer pay for it.
    fn correct(&mut self, tenant: Tenant, amount: i64, account: &mut Account) {
        account.credit(amount);
        if self.turn == Some(tenant) {
            self.before_turn += amount;
        }
        self.end_turn_unpaid(tenant, *account);
    }

    /// Ends the turn of a tenant that can no longer pay for its first job.
    fn end_turn_unpaid(&mut self, tenant: Tenant, account: Account) {
        if self.turn == Some(tenant) && account.balance < 0 {
            self.turn = None;
            self.ring.append(tenant);
        }
    }

    /// Nobody can pay after one more turn: gives everybody the turns that would change nothing.
    #[cold]
    #[inline(never)]
    fn skip_rounds(&self, tenants: &mut impl Tenants<Account>) {
        let turns_to_pay = |tenant| {
            let short = tenants.state(tenant).balance.saturating_neg();
            let earned = self.earned(tenants.weight(tenant));
            short / earned + i64::from(short % earned > 0)
        };
        let turns = self.ring.iter().map(turns_to_pay).min();
        let idle_turns = turns.map_or(0, |turns| turns - 1);
        for tenant in self.ring.iter() {
            let earned = self.earned(tenants.weight(tenant));
            tenants
                .state_mut(tenant)
                .credit(earned.saturating_mul(idle_turns));
            tenants.count_turns(tenant, idle_turns.unsigned_abs());
        }
    }
}

/// What serving a job of this cost takes from the account: at least 1, so that every turn ends.
#[inline(always)]
fn charge(cost: Cost) -> i64 {
    i64::from(cost.units().max(1))
}

impl Account {
    /// Adds an amount, and says what there is then. Nothing is added to a balance that is not
    /// negative but what was charged before, so this cannot overflow upwards.
    #[inline(always)]
    fn credit(&mut self, amount: i64) -> i64 {
        let balance = self.balance.saturating_add(amount);
        self.balance = balance;
        balance
    }

    /// A tenant without work keeps a debt, and nothing else.
    #[inline(always)]
    fn forget_credit(&mut self) {
        self.balance = self.balance.min(0);
    }

    /// A tenant whose turn a cap or a pause cuts short keeps what it had before, a refund for
    /// instance; and of what the turn earned, as at the end of any turn, less than `head` costs.
    fn cut_turn(&mut self, before_turn: i64, head: Head) {
        let kept = before_turn.max(charge(head.cost) - 1);
        self.balance = self.balance.min(kept);
    }
}

impl Discipline for DeficitRoundRobin {
    type State = Account;

    fn new(settings: &Settings) -> Self {
        Self {
            ring: Ring::new(),
            turn: None,
            before_turn: 0,
            quantum: i64::from(settings.quantum.units()),
        }
    }

    fn lag_max(&self) -> Option<LagMax> {
        Some(LagMax {
            share: Share::Cost,
            fixed: self.quantum.unsigned_abs(),
            jobs: 1,
        })
    }

    #[inline(always)]
    fn enlist(&mut self, tenant: Tenant, head: Head, account: &mut Account) {
        account.credit(-charge(head.cost));
        self.ring.join(tenant);
    }

    fn delist(&mut self, tenant: Tenant, head: Head, standing: Standing, account: &mut Account) {
        let cost = charge(head.cost);
        account.credit(cost);
        let was_its_turn = self.turn == Some(tenant);
        match standing {
            Standing::Parked(head) if was_its_turn => {
                account.cut_turn(self.before_turn + cost, head);
            }
            Standing::Parked(_) | Standing::Eligible(_) => {}
            Standing::Idle => account.forget_credit(),
        }
        if was_its_turn {
            self.turn = None;
        } else {
            self.ring.mark(tenant);
        }
    }

    fn head_changed(&mut self, tenant: Tenant, from: Head, to: Head, account: &mut Account) {
        self.correct(tenant, charge(from.cost) - charge(to.cost), account);
    }

    /// A turn that a great weight began would go on for as long under a small one: it ends here.
    fn reweighed(&mut self, tenant: Tenant, account: &mut Account) {
        if self.turn == Some(tenant) {
            account.balance = account.balance.min(-1);
            self.end_turn_unpaid(tenant, *account);
        }
    }

    fn keeps_place(&self, tenant: Tenant) -> bool {
        self.ring.is_marked(tenant)
    }

    #[inline(always)]
    fn select(&mut self, tenants: &mut impl Tenants<Account>) -> Option<Tenant> {
        if let Some(tenant) = self.turn.take() {
            return Some(tenant);
        }
        let mut fruitless = 0;
        loop {
            let tenant = self.ring.pop()?;
            let earned = self.earned(tenants.weight(tenant));
            tenants.count_turns(tenant, 1);
            let account = tenants.state_mut(tenant);
            self.before_turn = account.balance;
            if account.credit(earned) >= 0 {
                return Some(tenant);
            }
            self.ring.append(tenant);
            fruitless += 1;
            if fruitless >= self.ring.len() {
                self.skip_rounds(tenants);
                fruitless = 0;
            }
        }
    }

    #[inline(always)]
    fn served(&mut self, tenant: Tenant, cost: Cost, standing: Standing, account: &mut Account) {
        match standing {
            Standing::Idle => account.forget_credit(),
            Standing::Parked(head) => account.cut_turn(self.before_turn + charge(cost), head),
            Standing::Eligible(head) => {
                if account.credit(-charge(head.cost)) >= 0 {
                    self.turn = Some(tenant);
                    self.before_turn += charge(cost) - charge(head.cost);
                } else {
                    self.ring.append(tenant);
                }
            }
        }
    }

    fn settle(
        &mut self,
        tenant: Tenant,
        charged: Cost,
        actual: Cost,
        standing: Standing,
        account: &mut Account,
    ) {
        self.correct(tenant, charge(charged) - charge(actual), account);
        if standing == Standing::Idle {
            account.forget_credit();
        }
    }

    fn shrink(&mut self) {
        self.ring.shrink();
    }
}
