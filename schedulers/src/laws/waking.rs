//! The laws of waking: a tenant that was idle is neither ahead nor behind when it comes back.

use super::law::{Breach, Law, Subject};
use super::stage::Stage;
use super::windows::{Excess, Windows};
use crate::{Cost, JobId, Limits, Tenant, Weight};

pub(super) const IDLENESS_EARNS_NO_HOARD: Law = Law {
    name: "idleness_earns_no_hoard",
    statement: "a tenant that was idle, for however long, is not served beyond its share when it wakes",
    verify: |subject, _| wake_in_every_way(subject, |excess| excess.ahead == WAKER),
};

pub(super) const WAKING_COSTS_NO_PENALTY: Law = Law {
    name: "waking_costs_no_penalty",
    statement: "a tenant that wakes is served its share from then on, whatever it had before",
    verify: |subject, _| wake_in_every_way(subject, |excess| excess.behind == WAKER),
};

/// The tenant that falls idle and wakes; the others have work all the time.
const WAKER: Tenant = Tenant::new(1);
const STEADY: [Tenant; 3] = [Tenant::new(0), Tenant::new(2), Tenant::new(3)];

/// Why a tenant was not eligible.
#[derive(Clone, Copy, Debug)]
enum Idle {
    NeverSeen,
    Drained,
    Cancelled,
    Paused,
    Capped,
    /// It left, with a debt: that is forgotten too.
    Removed,
}

const WAYS: [Idle; 6] = [
    Idle::NeverSeen,
    Idle::Drained,
    Idle::Cancelled,
    Idle::Paused,
    Idle::Capped,
    Idle::Removed,
];

/// A waker, its costs and its weight, and the costs of the others.
#[derive(Clone, Copy)]
struct Scene {
    idle: Idle,
    turns_idle: u32,
    quantum: u32,
    waker_cost: Cost,
    steady_cost: Cost,
    weight: Weight,
}

fn wake_in_every_way(
    subject: &Subject,
    is_breach: impl Fn(&Excess) -> bool,
) -> Result<u64, Breach> {
    let mut operations = 0;
    for idle in WAYS {
        for turns_idle in [1, 250] {
            for quantum in [1, 50] {
                for (waker_cost, steady_cost, weight) in [(1, 1, 1), (100, 1, 3), (1, 20, 2)] {
                    let scene = Scene {
                        idle,
                        turns_idle,
                        quantum,
                        waker_cost: Cost::new(waker_cost),
                        steady_cost: Cost::new(steady_cost),
                        weight: Weight::new(weight).expect("in range"),
                    };
                    operations += play(subject, scene, &is_breach)?;
                }
            }
        }
    }
    Ok(operations)
}

fn play(
    subject: &Subject,
    scene: Scene,
    is_breach: impl Fn(&Excess) -> bool,
) -> Result<u64, Breach> {
    let mut stage = Stage::new(subject, scene.quantum);
    let Some(lag_max) = stage.queue.lag_max() else {
        return Ok(0);
    };
    let awake = Limits {
        weight: scene.weight,
        ..Limits::default()
    };
    fall_idle(&mut stage, scene, awake)?;
    for _ in 0..scene.turns_idle {
        keep_steady(&mut stage, scene.steady_cost)?;
        stage.serve()?;
    }
    keep_steady(&mut stage, scene.steady_cost)?;
    wake(&mut stage, scene, awake)?;

    let mut windows = Windows::new(lag_max);
    windows.pushed(WAKER, scene.waker_cost);
    windows.refresh(WAKER, &stage.ledger);
    for steady in STEADY {
        windows.pushed(steady, scene.steady_cost);
        windows.refresh(steady, &stage.ledger);
    }
    // Long enough for two turns of each, at the largest quantum.
    for _ in 0..500 {
        let (tenant, cost) = stage.serve()?;
        match windows.served(tenant, cost) {
            Err(excess) if is_breach(&excess) => return Err(excess.into()),
            _ => {}
        }
        keep_steady(&mut stage, scene.steady_cost)?;
        stage.keep(WAKER, scene.waker_cost)?;
    }
    Ok(stage.operations)
}

/// The waker has its share for a while, and then nothing.
fn fall_idle(stage: &mut Stage, scene: Scene, awake: Limits) -> Result<(), Breach> {
    if matches!(scene.idle, Idle::NeverSeen) {
        return Ok(());
    }
    stage.configure(WAKER, awake)?;
    let mut waiting: Vec<JobId> = Vec::new();
    for _ in 0..10 {
        keep_steady(stage, scene.steady_cost)?;
        waiting.push(stage.push(WAKER, scene.waker_cost)?);
        stage.serve()?;
    }
    match scene.idle {
        Idle::NeverSeen => {}
        Idle::Drained => {
            while stage.queue.backlog(WAKER) > 0 {
                keep_steady(stage, scene.steady_cost)?;
                stage.serve()?;
            }
        }
        Idle::Cancelled => {
            let first = waiting.len() - stage.queue.backlog(WAKER);
            for job in waiting.split_off(first) {
                stage.cancel(job)?;
            }
        }
        Idle::Paused => stage.set_paused(WAKER, true)?,
        Idle::Capped => stage.configure(
            WAKER,
            Limits {
                in_flight_max: 0,
                ..awake
            },
        )?,
        Idle::Removed => {
            understate(stage, scene)?;
            stage.remove(WAKER);
        }
    }
    Ok(())
}

/// A job of the waker turns out to have cost far more than was said.
fn understate(stage: &mut Stage, scene: Scene) -> Result<(), Breach> {
    loop {
        keep_steady(stage, scene.steady_cost)?;
        stage.keep(WAKER, scene.waker_cost)?;
        let ticket = stage.take()?;
        let (tenant, charged) = (ticket.tenant(), ticket.cost());
        if tenant == WAKER {
            stage.complete(ticket, Cost::new(1_000_000));
            return Ok(());
        }
        stage.complete(ticket, charged);
    }
}

fn wake(stage: &mut Stage, scene: Scene, awake: Limits) -> Result<(), Breach> {
    stage.configure(WAKER, awake)?;
    stage.set_paused(WAKER, false)?;
    stage.keep(WAKER, scene.waker_cost)
}

fn keep_steady(stage: &mut Stage, cost: Cost) -> Result<(), Breach> {
    STEADY
        .into_iter()
        .try_for_each(|tenant| stage.keep(tenant, cost))
}
