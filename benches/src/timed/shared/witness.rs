//! What a thread writes down about its jobs: three sums where it is timed, everything where it is
//! audited.

use schedulers::Tenant;

use crate::tally::Tally;
use crate::workload::Job;

/// Sees every job that a thread pushes or takes. The loops are compiled once for each kind.
pub trait Witness: Default + Send {
    /// A job is about to be pushed.
    fn pushes(&mut self, tenant: Tenant, job: Job);

    /// A job was taken.
    fn took(&mut self, tenant: Tenant, job: Job);

    /// How many jobs were taken.
    fn count(&self) -> u64;
}

impl Witness for Tally {
    /// The jobs of a thread are numbered, so how many is all there is to know.
    #[inline(always)]
    fn pushes(&mut self, _: Tenant, _: Job) {}

    #[inline(always)]
    fn took(&mut self, _: Tenant, job: Job) {
        self.add(job);
    }

    fn count(&self) -> u64 {
        self.count
    }
}

/// Everything, in the thread's own order.
#[derive(Clone, Default, Debug)]
pub struct Log {
    /// What it pushed.
    pub pushed: Vec<(Tenant, Job)>,
    /// What it took.
    pub taken: Vec<(Tenant, Job)>,
}

impl Witness for Log {
    fn pushes(&mut self, tenant: Tenant, job: Job) {
        self.pushed.push((tenant, job));
    }

    fn took(&mut self, tenant: Tenant, job: Job) {
        self.taken.push((tenant, job));
    }

    fn count(&self) -> u64 {
        self.taken.len() as u64
    }
}
