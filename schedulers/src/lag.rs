//! How far from equal a scheduler may ever be.

use crate::{Cost, Weight};

/// A fairness bound: the most by which the weight-normalised service of two tenants may differ
/// over any stretch of time in which both stay eligible.
///
/// For costs up to `c` and weights `a` and `b`, the bound is `fixed + jobs x (c/a + c/b)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LagMax {
    /// What is shared equally.
    pub share: Share,
    /// The part that depends on neither costs nor weights.
    pub fixed: u64,
    /// How many of each tenant's largest jobs may come on top.
    pub jobs: u64,
}

/// What a discipline shares equally.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// Turns: each take counts one, whatever its cost and the tenant's weight.
    Turns,
    /// Cost in proportion to weight; a job of cost 0 counts one.
    Cost,
}

impl Share {
    /// What serving a job of this cost counts.
    #[must_use]
    pub fn of(self, cost: Cost) -> u64 {
        match self {
            Self::Turns => 1,
            Self::Cost => u64::from(cost.units().max(1)),
        }
    }

    /// What a tenant's service is divided by.
    #[must_use]
    pub fn divisor(self, weight: Weight) -> u64 {
        match self {
            Self::Turns => 1,
            Self::Cost => u64::from(weight.get()),
        }
    }
}

impl LagMax {
    /// Turns that differ by at most one.
    pub const ONE_TURN: Self = Self {
        share: Share::Turns,
        fixed: 1,
        jobs: 0,
    };

    /// Whether two tenants' service, each with its weight, is within the bound when no job costs
    /// more than `cost_max`. Exact: nothing is rounded.
    ///
    /// ```
    /// use schedulers::{Cost, LagMax, Weight};
    /// let (three, one) = (Weight::new(3)?, Weight::ONE);
    /// let bound = LagMax { share: schedulers::Share::Cost, fixed: 10, jobs: 1 };
    /// assert!(bound.allows((300, three), (96, one), Cost::UNIT));
    /// assert!(!bound.allows((300, three), (88, one), Cost::UNIT)); // 12 > 10 + 1/3 + 1
    /// # Ok::<(), schedulers::WeightOutOfRange>(())
    /// ```
    #[must_use]
    pub fn allows(&self, a: (u64, Weight), b: (u64, Weight), cost_max: Cost) -> bool {
        let divisor_a = u128::from(self.share.divisor(a.1));
        let divisor_b = u128::from(self.share.divisor(b.1));
        let cost_max = u128::from(self.share.of(cost_max));
        // Everything times both divisors, so that no fraction is left.
        let lag = (u128::from(a.0) * divisor_b).abs_diff(u128::from(b.0) * divisor_a);
        let bound = u128::from(self.fixed) * divisor_a * divisor_b
            + u128::from(self.jobs) * cost_max * (divisor_a + divisor_b);
        lag <= bound
    }
}
