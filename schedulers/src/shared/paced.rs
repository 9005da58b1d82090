//! What an owned queue must tell to be one of several that are kept in step.

use crate::discipline::{InRounds, Rounds};
use crate::{LagMax, TenantQueue};

/// An owned queue that counts what its tenants were served in rounds.
pub trait Paced {
    /// The round in which the first of the eligible tenants is due; `None` exactly when no tenant is
    /// eligible. O(1).
    fn due(&self) -> Option<u64>;

    /// All queues have reached this round: who becomes eligible is due in the next one, or when its own
    /// clock says so, if that is later.
    fn catch_up(&mut self, reached: u64);

    /// The fairness bound between tenants of two queues that are kept in step.
    fn lag_max_in_step(&self) -> Option<LagMax>;
}

impl<D: InRounds, J> Paced for TenantQueue<Rounds<D>, J> {
    #[inline(always)]
    fn due(&self) -> Option<u64> {
        self.discipline().due()
    }

    #[inline(always)]
    fn catch_up(&mut self, reached: u64) {
        self.discipline_mut().catch_up(reached);
    }

    fn lag_max_in_step(&self) -> Option<LagMax> {
        self.discipline().lag_max_in_step()
    }
}
