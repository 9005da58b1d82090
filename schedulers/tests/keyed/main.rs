//! Tenants by name: under the laws, between threads, and where names come and go.

mod leaving;
mod locks;
mod named;
mod pools;

use named::{Named, Names};
use schedulers::discipline::{ActiveList, DeficitRoundRobin};
use schedulers::keyed::{Keyed, SharedKeyed};
use schedulers::laws::{Effort, LAWS, Subject};
use schedulers::{Locked, Settings, TenantQueue};

/// All laws, by names: order, caps, refusals and accounts are those of the queue within, although
/// tenants are let go and handles given out again all the time.
fn hold(subject: &Subject) {
    let Effort {
        operations, seed, ..
    } = Effort::from_environment();
    for law in LAWS {
        let effort = Effort::new(operations.min(3_000), seed);
        if let Err(violation) = law.check(subject, &effort) {
            panic!("{violation}");
        }
    }
}

fn owned(settings: &Settings) -> Keyed<u32, TenantQueue<DeficitRoundRobin, u64>> {
    Keyed::new(TenantQueue::new(settings))
}

fn shared<J: Send>(
    settings: &Settings,
) -> SharedKeyed<String, Locked<TenantQueue<ActiveList, schedulers::keyed::KeyedJob<String, J>>>> {
    SharedKeyed::new(Locked::new(TenantQueue::new(settings)))
}

#[test]
fn numbers_with_one_owner_hold_the_laws() {
    hold(&Subject {
        name: "keyed deficit_round_robin",
        new: |settings| Box::new(Named::new(owned(settings), Names::numbers(), settings)),
    });
}

#[test]
fn strings_with_many_owners_hold_the_laws() {
    hold(&Subject {
        name: "shared keyed active_list",
        new: |settings| Box::new(Named::new(shared(settings), Names::strings(), settings)),
    });
}
