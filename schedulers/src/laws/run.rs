//! One run: a queue and its ledger side by side, and what is noticed of the queue's answers.
//!
//! The ledger follows the answers, right or wrong, so that one fault is not reported as many; what
//! is wrong about them is noted by aspect, and each law looks at one aspect.

use super::ledger::Ledger;
use super::operation::{Operation, Script};
use super::{Breach, Job, Subject};
use crate::{Cost, FairQueue, JobId, Refusal, Settings, Taken, Tenant, Ticket, UnknownTenant};

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

/// What the world sees of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    Pushed(Tenant, Result<Job, Refusal>),
    Taken(Option<(Tenant, Job)>),
    Completed(Tenant),
    Cancelled(Tenant, Option<Job>),
    Changed(Tenant, Result<(), UnknownTenant>),
    Removed(Tenant, Vec<Job>),
    Reclaimed(Vec<(Tenant, Job)>),
    /// Nothing to see: a close, or a call for which there was no ticket or no job.
    Nothing,
}

pub(super) struct Run {
    queue: Box<dyn FairQueue<Job>>,
    pub(super) ledger: Ledger<Job>,
    /// The cost of each accepted job, by its number.
    costs: Vec<Cost>,
    /// The id of each accepted job, by its number.
    ids: Vec<JobId>,
    /// Of the jobs in flight.
    tickets: Vec<Ticket>,
    /// Ids that another queue of the same kind gave, for the same tenants.
    foreign: Vec<JobId>,
    aspect: Option<Aspect>,
    breach: Option<Breach>,
}

impl Run {
    /// A new queue, of which one aspect is looked at, or none.
    pub(super) fn new(subject: &Subject, settings: &Settings, aspect: Option<Aspect>) -> Self {
        let mut other = (subject.new)(&Settings::default());
        let mut foreign = Vec::new();
        for job in 0..64 {
            foreign.extend(
                other
                    .push(Tenant::new(job % 6), Cost::UNIT, u64::from(job))
                    .ok(),
            );
        }
        Self {
            queue: (subject.new)(settings),
            ledger: Ledger::new(settings),
            costs: Vec::new(),
            ids: Vec::new(),
            tickets: Vec::new(),
            foreign,
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

    /// One operation, and what was answered: one answer, or one for each take of a batch.
    pub(super) fn apply(&mut self, operation: &Operation) -> Result<Vec<Answer>, Breach> {
        let answers = match *operation {
            Operation::Push(tenant, cost) => vec![self.push(tenant, cost)],
            Operation::Burst(tenant, cost, jobs) => {
                (0..jobs).map(|_| self.push(tenant, cost)).collect()
            }
            Operation::Take => {
                let taken = self.queue.take();
                vec![self.took(taken)]
            }
            Operation::TakeBatch(max) => self.take_batch(max),
            Operation::Complete(which, actual) => vec![self.complete(which, actual)],
            Operation::Cancel(which) => {
                let recent = self.ids.len().min(64);
                let id = (recent > 0).then(|| self.ids[self.ids.len() - 1 - which % recent]);
                vec![self.cancel(id)]
            }
            Operation::CancelForeign(which) => {
                let id = self.foreign.get(which % self.foreign.len().max(1)).copied();
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

    /// What a job cost when it was pushed.
    pub(super) fn cost(&self, job: Job) -> Cost {
        self.costs[usize::try_from(job).expect("as many jobs as fit in memory")]
    }

    pub(super) fn queue(&self) -> &dyn FairQueue<Job> {
        &*self.queue
    }

    fn push(&mut self, tenant: Tenant, cost: Cost) -> Answer {
        let job = self.ledger.next_serial();
        let expected = self.ledger.refusal(tenant);
        let answer = self.queue.push(tenant, cost, job);
        let refusal = answer.as_ref().err().map(|refused| refused.refusal);
        self.note(Aspect::Refusals, refusal == expected, || {
            (
                format!("a push by {tenant} is answered {expected:?}"),
                format!("{refusal:?}"),
            )
        });
        match answer {
            Ok(id) => {
                self.note(Aspect::Refusals, id.tenant() == tenant, || {
                    (
                        format!("an id of {tenant}"),
                        format!("one of {}", id.tenant()),
                    )
                });
                self.ledger.push(tenant, cost, job);
                self.costs.push(cost);
                self.ids.push(id);
                Answer::Pushed(tenant, Ok(job))
            }
            Err(refused) => {
                self.note(Aspect::Refusals, refused.job == job, || {
                    (
                        format!("job {job} is handed back"),
                        format!("job {}", refused.job),
                    )
                });
                Answer::Pushed(tenant, Err(refused.refusal))
            }
        }
    }

    fn take_batch(&mut self, max: usize) -> Vec<Answer> {
        let mut taken = Vec::new();
        let count = self.queue.take_batch(max, &mut taken);
        let appended = taken.len();
        self.note(Aspect::Counters, count == appended, || {
            (
                format!("a batch of {appended} counts as such"),
                format!("{count}"),
            )
        });
        let mut answers: Vec<Answer> = taken
            .into_iter()
            .map(|taken| self.took(Some(taken)))
            .collect();
        if appended < max {
            answers.push(self.took(None));
        }
        answers
    }

    fn took(&mut self, taken: Option<Taken<Job>>) -> Answer {
        let Some(Taken { job, ticket }) = taken else {
            let eligible = self.ledger.eligible().next();
            self.note(Aspect::WorkConserving, eligible.is_none(), || {
                (format!("a job, as {eligible:?} is eligible"), "None".into())
            });
            return Answer::Taken(None);
        };
        let tenant = ticket.tenant();
        let is_eligible = self.ledger.is_eligible(tenant);
        let head = self.ledger.head(tenant).map(|head| head.serial);
        let waits = self.ledger.find(tenant, job).map(|waiting| waiting.cost);
        self.note(Aspect::ExactlyOnce, waits == Some(ticket.cost()), || {
            let cost = ticket.cost();
            (
                "a job that waits, with its own cost".into(),
                format!("job {job} of {tenant} with {cost:?}"),
            )
        });
        self.note(Aspect::Order, waits.is_none() || head == Some(job), || {
            (format!("job {head:?} of {tenant}"), format!("job {job}"))
        });
        self.note(Aspect::OnlyEligible, waits.is_none() || is_eligible, || {
            (
                "a tenant below its cap and not paused".into(),
                tenant.to_string(),
            )
        });
        self.ledger.take(tenant, job);
        self.tickets.push(ticket);
        Answer::Taken(Some((tenant, job)))
    }

    fn complete(&mut self, which: usize, actual: Option<Cost>) -> Answer {
        if self.tickets.is_empty() {
            return Answer::Nothing;
        }
        let ticket = self.tickets.swap_remove(which % self.tickets.len());
        let (tenant, charged) = (ticket.tenant(), ticket.cost());
        self.queue.complete(ticket, actual.unwrap_or(charged));
        self.ledger.complete(tenant);
        Answer::Completed(tenant)
    }

    fn cancel(&mut self, id: Option<JobId>) -> Answer {
        let Some(id) = id else {
            return Answer::Nothing;
        };
        let named = self
            .ids
            .iter()
            .rposition(|&other| other == id)
            .map(|job| job as u64);
        let expected = named.filter(|&job| self.ledger.find(id.tenant(), job).is_some());
        let seen = self.queue.cancel(id);
        self.note(Aspect::Cancellation, seen == expected, || {
            (format!("a cancel gives {expected:?}"), format!("{seen:?}"))
        });
        if let Some(job) = seen {
            self.ledger.cancel(id.tenant(), job);
        }
        Answer::Cancelled(id.tenant(), seen)
    }

    fn changed(
        &mut self,
        tenant: Tenant,
        answer: Result<(), UnknownTenant>,
        change: impl FnOnce(&mut Ledger<Job>),
    ) -> Answer {
        let expected = self.ledger.admits(tenant);
        self.note(Aspect::Refusals, answer == expected, || {
            (
                format!("a change of {tenant} gives {expected:?}"),
                format!("{answer:?}"),
            )
        });
        if answer.is_ok() {
            change(&mut self.ledger);
        }
        Answer::Changed(tenant, answer)
    }

    fn remove(&mut self, tenant: Tenant) -> Answer {
        let seen = self.queue.remove(tenant);
        let expected = self.ledger.remove(tenant);
        let own = |jobs: &[Job]| jobs.iter().map(|&job| (tenant, job)).collect::<Vec<_>>();
        self.returned(&own(&seen), &own(&expected));
        Answer::Removed(tenant, seen)
    }

    fn close_and_reclaim(&mut self) -> Answer {
        let seen = self.queue.close_and_reclaim();
        let expected = self.ledger.close_and_reclaim();
        self.returned(&seen, &expected);
        Answer::Reclaimed(seen)
    }

    /// Jobs came back: those expected, and each tenant's in order.
    fn returned(&mut self, seen: &[(Tenant, Job)], expected: &[(Tenant, Job)]) {
        let mut by_tenant = seen.to_vec();
        by_tenant.sort_by_key(|&(tenant, _)| tenant);
        let mut by_number = by_tenant.clone();
        by_number.sort_unstable();
        let same_jobs = by_number == expected;
        let breach = || (format!("{expected:?} come back"), format!("{seen:?}"));
        self.note(Aspect::ExactlyOnce, same_jobs, breach);
        self.note(Aspect::Order, !same_jobs || by_tenant == expected, breach);
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
