//! How far a tenant has come, in rounds: what it was served, as its discipline counts service.

use std::fmt::Debug;

use super::{ActiveList, DeficitRoundRobin, Discipline, Rotation, ScanAll};
use crate::{Cost, LagMax, Quantum, Weight};

/// A discipline whose service can be counted in rounds, by the clock of each tenant.
pub trait InRounds: Discipline {
    /// What is kept of each tenant beside the discipline's own state.
    type Clock: Clock;
}

impl InRounds for ActiveList {
    type Clock = TurnClock;
}

impl InRounds for Rotation {
    type Clock = TurnClock;
}

impl InRounds for ScanAll {
    type Clock = TurnClock;
}

impl InRounds for DeficitRoundRobin {
    type Clock = CostClock;
}

/// A tenant's clock. In one round it is served what its discipline owes it in one round.
pub trait Clock: Copy + Default + PartialEq + Debug + 'static {
    /// The round in which the tenant is due.
    fn round(&self) -> u64;

    /// The tenant is due in this round, if not later.
    fn raise(&mut self, round: u64);

    /// The tenant was served a job of this cost, at the weight that is asked for where it counts.
    fn serve(&mut self, cost: Cost, quantum: Quantum, weight: Weight);

    /// A job that was charged `charged` has cost `actual`.
    fn settle(&mut self, charged: Cost, actual: Cost);

    /// The bound between tenants of two queues that are kept in step, from the bound within one.
    fn lag_max_in_step(within: LagMax) -> LagMax;
}

/// One turn a round.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct TurnClock {
    round: u64,
}

impl Clock for TurnClock {
    #[inline(always)]
    fn round(&self) -> u64 {
        self.round
    }

    #[inline(always)]
    fn raise(&mut self, round: u64) {
        self.round = self.round.max(round);
    }

    #[inline(always)]
    fn serve(&mut self, _cost: Cost, _quantum: Quantum, _weight: Weight) {
        self.round += 1;
    }

    #[inline(always)]
    fn settle(&mut self, _charged: Cost, _actual: Cost) {}

    fn lag_max_in_step(within: LagMax) -> LagMax {
        LagMax {
            fixed: 4 * within.fixed,
            ..within
        }
    }
}

/// `quantum x weight` of cost a round.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct CostClock {
    round: u64,
    /// What was served of this round; below what a round is worth.
    spent: u64,
    /// What a round is worth, as of the tenant's last turn: `quantum x weight`, or 0 before the first.
    earned: u64,
}

impl CostClock {
    /// Moves on by an amount of cost. No job is worth 2^33 rounds, so 2^31 of the worst can be served
    /// before the clock stands still.
    #[inline(always)]
    fn advance(&mut self, amount: u64) {
        self.spent += amount;
        if self.spent >= self.earned {
            self.round = self.round.saturating_add(self.spent / self.earned);
            self.spent %= self.earned;
        }
    }

    #[cold]
    fn go_back(&mut self, amount: u64) {
        if amount <= self.spent {
            self.spent -= amount;
            return;
        }
        let short = amount - self.spent;
        let rounds = short.div_ceil(self.earned);
        if rounds > self.round {
            (self.round, self.spent) = (0, 0);
        } else {
            self.round -= rounds;
            self.spent = rounds * self.earned - short;
        }
    }
}

/// What serving a job of this cost counts, as in `DeficitRoundRobin`.
#[inline(always)]
fn charge(cost: Cost) -> u64 {
    u64::from(cost.units().max(1))
}

impl Clock for CostClock {
    #[inline(always)]
    fn round(&self) -> u64 {
        self.round
    }

    #[inline(always)]
    fn raise(&mut self, round: u64) {
        if self.round < round {
            self.round = round;
            self.spent = 0;
        }
    }

    #[inline(always)]
    fn serve(&mut self, cost: Cost, quantum: Quantum, weight: Weight) {
        self.earned = u64::from(quantum.units()) * u64::from(weight.get());
        self.advance(charge(cost));
    }

    fn settle(&mut self, charged: Cost, actual: Cost) {
        let (charged, actual) = (charge(charged), charge(actual));
        if self.earned == 0 {
            // A tenant that left has no account: this was charged to the one before it.
        } else if actual > charged {
            self.advance(actual - charged);
        } else {
            self.go_back(charged - actual);
        }
    }

    fn lag_max_in_step(within: LagMax) -> LagMax {
        LagMax {
            fixed: 6 * within.fixed,
            jobs: 2 * within.jobs,
            ..within
        }
    }
}
