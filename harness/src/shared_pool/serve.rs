//! In which order requests are served.

use std::collections::VecDeque;

use schedulers::{Cost, FairQueue, Quantum, Settings, Taken, Tenant};

use crate::scheduler::{Queue, Scheduler};
use crate::trace::position;

/// How often a round hands out what tenants have left of their allotments.
const PASSES_MAX: u32 = 12;

/// One request. It may be served in parts, in several rounds.
#[derive(Clone, Copy)]
pub(super) struct Request {
    pub(super) tenant: Tenant,
    /// What a scheduler charges for it.
    pub(super) cost: Cost,
    /// Not yet served; at least 1 while it waits.
    pub(super) units_left: u32,
    /// The round in which it came.
    pub(super) arrived: u32,
}

/// A pool: requests in, served requests out.
pub(super) trait Serve {
    fn push(&mut self, request: Request);

    /// Serves up to `budget` units, and calls `finish` for each request that is then done.
    fn serve(&mut self, round: u32, budget: u32, finish: impl FnMut(&Request));
}

/// Serves the head of a queue, as far as `budget` goes; gives back what is left of the budget.
fn serve_heads(
    queue: &mut VecDeque<Request>,
    mut budget: u32,
    finish: &mut impl FnMut(&Request),
) -> u32 {
    while let Some(head) = queue.front_mut().filter(|_| budget > 0) {
        let units = head.units_left.min(budget);
        head.units_left -= units;
        budget -= units;
        if head.units_left == 0 {
            finish(head);
            queue.pop_front();
        }
    }
    budget
}

/// One queue for all.
#[derive(Default)]
pub(super) struct ArrivalOrder {
    queue: VecDeque<Request>,
}

impl Serve for ArrivalOrder {
    fn push(&mut self, request: Request) {
        self.queue.push_back(request);
    }

    fn serve(&mut self, _round: u32, budget: u32, mut finish: impl FnMut(&Request)) {
        serve_heads(&mut self.queue, budget, &mut finish);
    }
}

/// A queue for each tenant; the budget is split equally among those with work, in several passes.
pub(super) struct FairShare {
    queues: Vec<VecDeque<Request>>,
}

impl FairShare {
    pub(super) fn new(tenants: u32) -> Self {
        Self {
            queues: vec![VecDeque::new(); tenants as usize],
        }
    }
}

impl Serve for FairShare {
    fn push(&mut self, request: Request) {
        self.queues[position(request.tenant)].push_back(request);
    }

    fn serve(&mut self, round: u32, mut budget: u32, mut finish: impl FnMut(&Request)) {
        for _ in 0..PASSES_MAX {
            let mut active: Vec<_> = self
                .queues
                .iter_mut()
                .filter(|queue| !queue.is_empty())
                .collect();
            if active.is_empty() || budget == 0 {
                return;
            }
            let count = u32::try_from(active.len()).expect("tenants are 32 bits");
            let allotment = (budget / count).max(1);
            active.rotate_left((round % count) as usize);
            for queue in active {
                let granted = allotment.min(budget);
                budget -= granted - serve_heads(queue, granted, &mut finish);
            }
        }
    }
}

/// A registered scheduler says whose request is begun next; one that is begun is finished first.
pub(super) struct Registered {
    queue: Queue,
    /// By number, as the queue knows them. Numbers of finished requests are used again.
    requests: Vec<Request>,
    vacant: Vec<u32>,
    /// The request that is begun and not finished.
    begun: Option<Taken<u32>>,
}

impl Registered {
    pub(super) fn new(scheduler: Scheduler, tenants: u32) -> Self {
        let settings = Settings {
            tenants_max: tenants,
            quantum: Quantum::UNIT,
            ..Settings::default()
        };
        Self {
            queue: scheduler.build(&settings),
            requests: Vec::new(),
            vacant: Vec::new(),
            begun: None,
        }
    }
}

impl Serve for Registered {
    fn push(&mut self, request: Request) {
        let number = self.vacant.pop().unwrap_or_else(|| {
            self.requests.push(request);
            u32::try_from(self.requests.len() - 1).expect("JOBS_MAX is below 2^32")
        });
        self.requests[number as usize] = request;
        self.queue
            .push(request.tenant, request.cost, number)
            .expect("no limit is set");
    }

    fn serve(&mut self, _round: u32, mut budget: u32, mut finish: impl FnMut(&Request)) {
        while budget > 0 {
            let Some(taken) = self.begun.take().or_else(|| self.queue.take()) else {
                return;
            };
            let request = &mut self.requests[taken.job as usize];
            let units = request.units_left.min(budget);
            request.units_left -= units;
            budget -= units;
            if request.units_left > 0 {
                self.begun = Some(taken);
                return;
            }
            finish(request);
            self.vacant.push(taken.job);
            let cost = taken.ticket.cost();
            self.queue.complete(taken.ticket, cost);
        }
    }
}
