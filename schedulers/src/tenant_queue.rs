//! The queue: lanes (where the jobs are) and a discipline (who is next), and nothing else.

use std::collections::BTreeMap;
use std::fmt;

use crate::discipline::Discipline;
use crate::lane::{Change, NotAppended, Popped, Standing};
use crate::lanes::{Lanes, Tenants};
use crate::tiers::Terms;
use crate::{
    Cost, FairQueue, Identity, JobId, LagMax, Limits, Refusal, Refused, Settings, Taken, Tenant,
    Ticket, UnknownTenant,
};

/// A fair queue of jobs `J` under the discipline `D`.
///
/// `push`, `take`, `complete` and `cancel` are O(1) plus what the discipline states for itself, and
/// allocate nothing in a steady state. `configure`, `pause` and `resume` are O(log n) in the number
/// of distinct [`Limits`] in use.
///
/// **Memory.** For every tenant handle up to the largest known, 16 bytes and the discipline's state
/// (none, or 8 bytes), 4 more where it or a larger one was ever configured, and at most an eighth of
/// that in slack. For every waiting job, the job and 16 bytes, rounded up to the job's alignment, in
/// chunks of 512 jobs, which are never moved. Beside it, the discipline's order of the tenants with
/// work: 4 bytes each in a ring of up to twice as many, a bit for each handle in a bitmap, or a place
/// in the ordered set of `Fifo`.
///
/// When no more than an eighth of the nodes hold a job, all chunks without jobs are freed but for two:
/// after a burst, memory is within eight times the need, or a chunk for each job left. That costs
/// O(nodes) in the take that finds it due. The last lanes of the table are dropped when
/// [`remove`](FairQueue::remove) or [`release`](FairQueue::release) have let go of half as many tenants
/// as there are lanes.
///
/// ```
/// use schedulers::{Cost, FairQueue, Settings, Tenant, TenantQueue, discipline::ActiveList};
///
/// let (noisy, quiet) = (Tenant::new(0), Tenant::new(1));
/// let mut queue = TenantQueue::<ActiveList, _>::new(&Settings::default());
/// for number in 0..1_000 {
///     queue.push(noisy, Cost::UNIT, format!("noisy {number}"))?;
/// }
/// queue.push(quiet, Cost::UNIT, "quiet".to_owned())?;
///
/// let first = queue.take().unwrap();
/// let second = queue.take().unwrap();
/// assert_eq!((first.job.as_str(), second.job.as_str()), ("noisy 0", "quiet"));
/// queue.complete(first.ticket, Cost::UNIT);
/// queue.complete(second.ticket, Cost::UNIT);
/// # Ok::<(), schedulers::Refused<String>>(())
/// ```
pub struct TenantQueue<D: Discipline, J> {
    discipline: D,
    lanes: Lanes<D::State, J>,
    /// The global limit; 0 once closed, so that one comparison covers both.
    len_max: u32,
    backlog_max: u32,
    closed: bool,
    identity: Identity,
    /// How many tenants were removed with jobs in flight, counted modulo 2^32.
    era: u32,
    /// Those of them that still have such jobs, and the era that their removal began. What an earlier
    /// era charged is no business of the handle's next tenant.
    orphans: BTreeMap<Tenant, u32>,
}

/// No queue holds more jobs than this, whatever the settings say: they are counted in 31 bits.
const BACKLOG_MAX: u32 = i32::MAX.unsigned_abs();

impl<D: Discipline, J> TenantQueue<D, J> {
    /// An empty queue.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let backlog_max = settings.backlog_max.min(BACKLOG_MAX);
        Self {
            discipline: D::new(settings),
            lanes: Lanes::new(settings),
            len_max: backlog_max,
            backlog_max,
            closed: false,
            identity: Identity::new(),
            era: 0,
            orphans: BTreeMap::new(),
        }
    }

    #[inline(always)]
    pub(crate) const fn discipline(&self) -> &D {
        &self.discipline
    }

    #[inline(always)]
    pub(crate) const fn discipline_mut(&mut self) -> &mut D {
        &mut self.discipline
    }

    #[cold]
    fn refuse_whole(&self) -> Refusal {
        if self.closed {
            Refusal::Closed
        } else {
            Refusal::QueueFull {
                backlog_max: self.backlog_max,
            }
        }
    }

    /// Gives memory back when few jobs are left of many.
    #[inline(always)]
    fn sweep(&mut self) {
        if self.lanes.sweep() {
            self.discipline.shrink();
        }
    }

    /// Whether the job was taken before its tenant was removed.
    fn is_orphan(&self, ticket: &Ticket) -> bool {
        let era = self.orphans.get(&ticket.tenant());
        era.is_some_and(|&era| ticket.era() < era)
    }

    fn change_terms(
        &mut self,
        tenant: Tenant,
        change: impl FnOnce(&mut Terms),
    ) -> Result<(), UnknownTenant> {
        self.lanes.admit(tenant)?;
        let change = self.lanes.change_tier(tenant, change);
        pass_on(&mut self.discipline, tenant, change);
        Ok(())
    }
}

/// Tells the discipline what became of a tenant.
fn pass_on<D: Discipline>(discipline: &mut D, tenant: Tenant, change: Change<'_, D::State>) {
    let Change {
        before,
        after,
        state,
    } = change;
    match (before, after) {
        (Standing::Eligible(from), Standing::Eligible(to)) if from == to => {}
        (Standing::Eligible(from), Standing::Eligible(to)) => {
            discipline.head_changed(tenant, from, to, state);
        }
        (Standing::Eligible(head), _) => discipline.delist(tenant, head, after, state),
        (_, Standing::Eligible(head)) => discipline.enlist(tenant, head, state),
        _ => {}
    }
}

#[cold]
fn refusal(tenant: Tenant, reason: NotAppended) -> Refusal {
    match reason {
        NotAppended::NoLane(unknown) => Refusal::UnknownTenant(unknown),
        NotAppended::LaneFull { backlog_max } => Refusal::TenantFull {
            tenant,
            backlog_max,
        },
    }
}

impl<D: Discipline, J> FairQueue<J> for TenantQueue<D, J> {
    #[inline(always)]
    fn push(&mut self, tenant: Tenant, cost: Cost, job: J) -> Result<JobId, Refused<J>> {
        let refused = |job, refusal| Err(Refused { job, refusal });
        if self.lanes.len() >= self.len_max {
            return refused(job, self.refuse_whole());
        }
        let appended = match self.lanes.append(tenant, cost, job) {
            Ok(appended) => appended,
            Err((job, reason)) => return refused(job, refusal(tenant, reason)),
        };
        if let Some((head, state)) = appended.enlist {
            self.discipline.enlist(tenant, head, state);
        }
        Ok(self
            .identity
            .name(tenant, appended.slot, appended.stamp.get()))
    }

    #[inline(always)]
    fn take(&mut self) -> Option<Taken<J>> {
        let tenant = self.discipline.select(&mut self.lanes)?;
        let Popped {
            job,
            cost,
            standing,
            state,
        } = self.lanes.pop(tenant);
        self.discipline.served(tenant, cost, standing, state);
        self.sweep();
        let ticket = self.identity.issue_in(self.era, tenant, cost);
        Some(Taken { job, ticket })
    }

    #[inline(always)]
    fn complete(&mut self, ticket: Ticket, actual: Cost) {
        assert!(
            self.identity.issued(&ticket),
            "a ticket must be completed at the queue that issued it"
        );
        let tenant = ticket.tenant();
        if actual != ticket.cost() && !self.is_orphan(&ticket) {
            let (standing, state) = self.lanes.look_up(tenant);
            self.discipline
                .settle(tenant, ticket.cost(), actual, standing, state);
        }
        if let Some((head, state)) = self.lanes.land(tenant) {
            self.discipline.enlist(tenant, head, state);
        }
        if !self.orphans.is_empty() && self.lanes.in_flight(tenant) == 0 {
            self.orphans.remove(&tenant);
        }
    }

    fn cancel(&mut self, job: JobId) -> Option<J> {
        let (slot, stamp) = self.identity.locate(job)?;
        let tenant = job.tenant();
        let (job, change) = self.lanes.cut(tenant, slot, stamp)?;
        pass_on(&mut self.discipline, tenant, change);
        self.sweep();
        Some(job)
    }

    fn configure(&mut self, tenant: Tenant, limits: Limits) -> Result<(), UnknownTenant> {
        self.lanes.admit(tenant)?;
        let is_reweighed = self.lanes.weight(tenant) != limits.weight;
        self.change_terms(tenant, |terms| terms.limits = limits)?;
        if is_reweighed {
            self.discipline
                .reweighed(tenant, self.lanes.look_up(tenant).1);
        }
        Ok(())
    }

    fn pause(&mut self, tenant: Tenant) -> Result<(), UnknownTenant> {
        self.change_terms(tenant, |terms| terms.paused = true)
    }

    fn resume(&mut self, tenant: Tenant) -> Result<(), UnknownTenant> {
        self.lanes.check(tenant)?;
        if tenant.position() < self.lanes.tenants() {
            self.change_terms(tenant, |terms| terms.paused = false)?;
        }
        Ok(())
    }

    fn remove(&mut self, tenant: Tenant) -> Vec<J> {
        if tenant.position() >= self.lanes.tenants() {
            return Vec::new();
        }
        if self.lanes.in_flight(tenant) > 0 {
            self.era = self.era.wrapping_add(1);
            self.orphans.insert(tenant, self.era);
        }
        let (jobs, change) = self.lanes.vacate(tenant);
        pass_on(&mut self.discipline, tenant, change);
        *self.lanes.look_up(tenant).1 = D::State::default();
        self.lanes.trim();
        self.sweep();
        jobs
    }

    fn release(&mut self, tenant: Tenant) -> bool {
        let is_settled = |state: &D::State| self.discipline.is_settled(state);
        let changes_nothing = self.lanes.is_vacant_but_for(tenant, is_settled)
            && !self.discipline.keeps_place(tenant);
        if changes_nothing && tenant.position() < self.lanes.tenants() {
            *self.lanes.look_up(tenant).1 = D::State::default();
            self.lanes.trim();
        }
        changes_nothing
    }

    fn close(&mut self) {
        self.closed = true;
        self.len_max = 0;
    }

    fn close_and_reclaim(&mut self) -> Vec<(Tenant, J)> {
        self.close();
        let mut reclaimed = Vec::with_capacity(self.lanes.len() as usize);
        for position in 0..self.lanes.tenants() {
            let tenant = Tenant::at(position);
            let jobs = self.remove(tenant);
            reclaimed.extend(jobs.into_iter().map(|job| (tenant, job)));
        }
        // Nobody will come back to a place in the order.
        self.discipline.shrink();
        reclaimed
    }

    fn is_closed(&self) -> bool {
        self.closed
    }

    fn backlog(&self, tenant: Tenant) -> usize {
        self.lanes.backlog(tenant)
    }

    fn in_flight(&self, tenant: Tenant) -> usize {
        self.lanes.in_flight(tenant)
    }

    fn len(&self) -> usize {
        self.lanes.len() as usize
    }

    fn lag_max(&self) -> Option<LagMax> {
        self.discipline.lag_max()
    }
}

impl<D: Discipline, J> fmt::Debug for TenantQueue<D, J> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TenantQueue")
            .field("discipline", &self.discipline)
            .field("tenants", &self.lanes.tenants())
            .field("len", &self.lanes.len())
            .field("closed", &self.closed)
            .finish_non_exhaustive()
    }
}
