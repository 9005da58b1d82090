//! One run: a queue and its ledger side by side, and what is noticed of the queue's answers.
//!
//! The ledger follows the answers, right or wrong, so that one fault is not reported as many; what
//! is wrong about them is noted by aspect, and each law looks at one aspect.

mod answers;

pub(super) use answers::Answer;

use super::ledger::Ledger;
use super::operation::{Operation, Script};
use super::{Breach, Job, Subject};
use crate::{Cost, FairQueue, JobId, Settings, Tenant, Ticket};

/// What a law may look at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Aspect {
    ExactlyOnce,
    Order,
    WorkConserving,
    OnlyEligible,
    Refusals,
    Cancellation,
    Counters,
}

/// A queue, its ledger, and what exists only while it runs.
pub(super) struct Run {
    queue: Box<dyn FairQueue<Job>>,
    pub(super) ledger: Ledger<Job>,
    /// The cost of each accepted job, by its number.
    costs: Vec<Cost>,
    /// The id of each accepted job, by its number.
    ids: Vec<JobId>,
    /// Of the jobs in flight.
    tickets: Vec<Ticket>,
    aspect: Option<Aspect>,
    breach: Option<Breach>,
}

impl Run {
    /// A new queue, of which one aspect is looked at, or none.
    pub(super) fn new(subject: &Subject, settings: &Settings, aspect: Option<Aspect>) -> Self {
        Self {
            queue: (subject.new)(settings),
            ledger: Ledger::new(settings),
            costs: Vec::new(),
            ids: Vec::new(),
            tickets: Vec::new(),
            aspect,
            breach: None,
        }
    }

    /// Every operation of the script, then gets every job out in some way, and gives the number of
    /// operations.
    pub(super) fn perform(&mut self, script: &Script) -> Result<u64, Breach> {
        let mut operations = 0;
        for operation in script.unfolded() {
            self.apply(&operation)?;
            operations += 1;
        }
        self.finish(operations)
    }

    /// What is left is taken where it can be, and reclaimed where it cannot.
    fn finish(&mut self, operations: u64) -> Result<u64, Breach> {
        let mut operations = operations;
        let tenants: Vec<Tenant> = self.ledger.tenants().collect();
        self.apply(&Operation::TakeBatch(self.ledger.len() / 2))?;
        while !self.tickets.is_empty() {
            self.apply(&Operation::Complete(0, None))?;
            operations += 1;
        }
        self.apply(&Operation::CloseAndReclaim)?;
        self.apply(&Operation::Take)?;
        let left = self.ledger.len();
        self.note(Aspect::ExactlyOnce, left == 0, || {
            (
                "every accepted job comes out".into(),
                format!("{left} never did"),
            )
        });
        for tenant in tenants {
            self.count(tenant);
        }
        self.verdict().map(|()| operations)
    }

    /// One operation, and what was answered: one answer, or one for each call that a batch stands for.
    pub(super) fn apply(&mut self, operation: &Operation) -> Result<Vec<Answer>, Breach> {
        let answers = match *operation {
            Operation::Push(tenant, cost) => vec![self.push(tenant, cost)],
            Operation::Burst(tenant, cost, jobs) => {
                (0..jobs).map(|_| self.push(tenant, cost)).collect()
            }
            Operation::PushBatch(ref offers) => self.push_batch(offers),
            Operation::Take => {
                let taken = self.queue.take();
                vec![self.took(taken)]
            }
            Operation::TakeBatch(max) => self.take_batch(max),
            Operation::Complete(which, actual) => vec![self.complete(which, actual)],
            Operation::CompleteBatch(ref picks) => self.complete_batch(picks),
            Operation::Cancel(which) => {
                let recent = self.ids.len().min(64);
                let id = (recent > 0).then(|| self.ids[self.ids.len() - 1 - which % recent]);
                vec![self.cancel(id)]
            }
            Operation::Configure(tenant, limits) => {
                let answer = self.queue.configure(tenant, limits);
                vec![self.changed(tenant, answer, |ledger| ledger.configure(tenant, limits))]
            }
            Operation::Pause(tenant) => {
                let answer = self.queue.pause(tenant);
                vec![self.changed(tenant, answer, |ledger| ledger.set_paused(tenant, true))]
            }
            Operation::Resume(tenant) => {
                let answer = self.queue.resume(tenant);
                vec![self.changed(tenant, answer, |ledger| ledger.set_paused(tenant, false))]
            }
            Operation::Remove(tenant) => vec![self.remove(tenant)],
            Operation::Close => {
                self.queue.close();
                self.ledger.close();
                vec![Answer::Nothing]
            }
            Operation::CloseAndReclaim => vec![self.close_and_reclaim()],
        };
        for answer in &answers {
            self.count_touched(answer);
        }
        self.verdict().map(|()| answers)
    }

    /// Asks for the release of a tenant, and checks that one of whom the ledger knows something is kept.
    pub(super) fn release(&mut self, tenant: Tenant) -> Result<(), Breach> {
        if self.queue.release(tenant) && !self.ledger.release(tenant) {
            return Err(Breach::new(
                format!("{tenant} is kept, as it has jobs, limits or a pause"),
                "it is released",
            ));
        }
        Ok(())
    }

    /// What a job cost when it was pushed.
    pub(super) fn cost(&self, job: Job) -> Cost {
        self.costs[usize::try_from(job).expect("as many jobs as fit in memory")]
    }

    pub(super) fn queue(&self) -> &dyn FairQueue<Job> {
        &*self.queue
    }

    /// Counts again what an answer is about.
    fn count_touched(&mut self, answer: &Answer) {
        match answer {
            Answer::Pushed(tenant, _)
            | Answer::Taken(Some((tenant, _)))
            | Answer::Completed(tenant)
            | Answer::Cancelled(tenant, _)
            | Answer::Removed(tenant, _)
            | Answer::Changed(tenant, _) => self.count(*tenant),
            Answer::Reclaimed(jobs) => jobs.iter().for_each(|&(tenant, _)| self.count(tenant)),
            Answer::Taken(None) | Answer::Nothing => {}
        }
    }

    fn count(&mut self, tenant: Tenant) {
        let (queue, ledger) = (&self.queue, &self.ledger);
        let seen = (queue.len(), queue.backlog(tenant), queue.in_flight(tenant));
        let expected = (
            ledger.len(),
            ledger.backlog(tenant),
            ledger.in_flight(tenant),
        );
        let open = (queue.is_closed() == ledger.is_closed()) && queue.is_empty() == (seen.0 == 0);
        self.note(Aspect::Counters, seen == expected && open, || {
            (
                format!("len, backlog and in flight of {tenant}: {expected:?}"),
                format!("{seen:?}"),
            )
        });
    }

    /// Keeps the first breach of the aspect looked at.
    fn note(&mut self, aspect: Aspect, holds: bool, breach: impl FnOnce() -> (String, String)) {
        if !holds && self.aspect == Some(aspect) && self.breach.is_none() {
            let (expected, seen) = breach();
            self.breach = Some(Breach::new(expected, seen));
        }
    }

    fn verdict(&mut self) -> Result<(), Breach> {
        self.breach.take().map_or(Ok(()), Err)
    }
}
