//! What a cluster is asked for, drawn before it runs.

use rand::Rng;
use rand_distr::{Distribution, Exp1};
use schedulers::Tenant;

use crate::trace::JOBS_MAX;
use records::error::BadInput;
use records::number::{real, round};

/// Thirty years.
const SPAN_US_MAX: f64 = 1e15;

/// A request: it is answered when all of its leaves are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) arrival_us: u64,
    pub(super) tenant: Tenant,
    pub(super) leaves: u32,
    /// Whether a policy chooses its servers and its wait is measured. What others ask for is only load.
    pub(super) measured: bool,
}

/// One leaf: either of two servers can do it, in a time of its own.
#[derive(Clone, Copy, Debug)]
pub(in crate::tail) struct LeafOf {
    pub(in crate::tail) servers: [u32; 2],
    pub(in crate::tail) service_us: [u64; 2],
}

/// Requests in the order of their arrival, and their leaves one after another.
#[derive(Clone, Default, Debug)]
pub(in crate::tail) struct Workload {
    pub(super) requests: Vec<Request>,
    pub(super) leaves: Vec<LeafOf>,
    /// Of each leaf, which request needs it.
    pub(super) request_of: Vec<u32>,
}

impl Workload {
    /// A request of a tenant whose waits matter.
    pub(in crate::tail) fn ask(
        &mut self,
        arrival_us: u64,
        tenant: Tenant,
        leaves: impl IntoIterator<Item = LeafOf>,
    ) {
        self.add(arrival_us, tenant, true, leaves);
    }

    /// A job that keeps one server busy.
    pub(in crate::tail) fn load(
        &mut self,
        arrival_us: u64,
        tenant: Tenant,
        server: u32,
        service_us: u64,
    ) {
        let leaf = LeafOf {
            servers: [server; 2],
            service_us: [service_us; 2],
        };
        self.add(arrival_us, tenant, false, [leaf]);
    }

    fn add(
        &mut self,
        arrival_us: u64,
        tenant: Tenant,
        measured: bool,
        leaves: impl IntoIterator<Item = LeafOf>,
    ) {
        let request = number(self.requests.len());
        let before = self.leaves.len();
        self.leaves.extend(leaves);
        self.request_of.resize(self.leaves.len(), request);
        self.requests.push(Request {
            arrival_us,
            tenant,
            leaves: number(self.leaves.len() - before),
            measured,
        });
    }

    /// Both workloads in one, in the order of arrival; at one instant, this one's first.
    pub(in crate::tail) fn with(&self, other: &Self) -> Self {
        let mut both = Self::default();
        let (mut mine, mut others) = (self.parts().peekable(), other.parts().peekable());
        loop {
            let other_is_next = match (mine.peek(), others.peek()) {
                (None, None) => return both,
                (Some((first, _)), Some((second, _))) => second.arrival_us < first.arrival_us,
                (mine, _) => mine.is_none(),
            };
            let next = if other_is_next {
                others.next()
            } else {
                mine.next()
            };
            let (request, leaves) = next.expect("it was peeked");
            both.add(
                request.arrival_us,
                request.tenant,
                request.measured,
                leaves.iter().copied(),
            );
        }
    }

    /// Each request with its leaves.
    fn parts(&self) -> impl Iterator<Item = (&Request, &[LeafOf])> {
        let mut rest = self.leaves.as_slice();
        self.requests.iter().map(move |request| {
            let (leaves, after) = rest.split_at(request.leaves as usize);
            rest = after;
            (request, leaves)
        })
    }
}

/// Refuses a workload before it fills the memory.
pub(in crate::tail) fn check_size(jobs: f64) -> Result<(), BadInput> {
    let most = real(JOBS_MAX as u64);
    if jobs <= most {
        return Ok(());
    }
    Err(BadInput::new(format!(
        "about {jobs:.2e} jobs are too many: {most} at most; give a shorter run, fewer servers or less load"
    )))
}

/// Refuses a run that is so long that its instants would not fit into 64 bits with all that waits.
pub(in crate::tail) fn check_span(us: f64) -> Result<(), BadInput> {
    if us <= SPAN_US_MAX {
        return Ok(());
    }
    Err(BadInput::new(format!(
        "the run would last {us:.2e} us of simulated time, {SPAN_US_MAX:e} at most: give more load or fewer trials"
    )))
}

/// Exponential, with a mean of 1.
pub(in crate::tail) fn exponential(random: &mut impl Rng) -> f64 {
    Exp1.sample(random)
}

/// Exponential, in whole microseconds, at least 1.
pub(in crate::tail) fn exponential_us(random: &mut impl Rng, mean_us: u64) -> u64 {
    round(exponential(random) * real(mean_us)).max(1)
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("fewer than JOBS_MAX")
}
