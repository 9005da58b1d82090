//! One job a turn, tenants in the order of their handles.
//!
//! Whoever moves the cursor past a tenant has its turn, and takes a job there. A thread that rests
//! between the two hides nothing: the tenant's next turn comes round all the same, and the late one
//! serves the tenant's next job when it wakes.

use super::policy::Policy;
use super::{LockFree, Served};
use crate::sync::epoch::Guard;
use crate::{LagMax, Settings, Taken, Tenant};

/// One job a turn.
#[derive(Clone, Debug)]
pub struct Turns;

#[allow(private_interfaces)]
impl Policy for Turns {
    fn new(_settings: &Settings) -> Self {
        Self
    }

    fn lag_max(&self) -> LagMax {
        LagMax::ONE_TURN
    }

    #[inline]
    fn take<J>(&self, queue: &LockFree<Self, J>, guard: &Guard) -> Option<Taken<J>> {
        loop {
            let turn = queue.turn();
            let tenant = Tenant::at(queue.eligible.find(turn.position as usize)?);
            if !queue.exchange_turn(turn, turn.pass(tenant)) {
                continue;
            }
            if let Served::Job(taken) = queue.serve(tenant, |_, _| true, guard) {
                return Some(taken);
            }
        }
    }
}
