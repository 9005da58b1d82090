//! What a call answers, and what is to be noticed of it; the ledger follows.

use super::{Aspect, Run};
use crate::laws::{Job, Ledger};
use crate::{Cost, JobId, Offer, Pushed, Refusal, Taken, Tenant, UnknownTenant};

/// What the world sees of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::laws) enum Answer {
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

impl Run {
    pub(super) fn push(&mut self, tenant: Tenant, cost: Cost) -> Answer {
        let job = self.ledger.next_serial();
        let expected = self.ledger.refusal(tenant);
        let answer = self.queue.push(tenant, cost, job);
        self.pushed(Offer { tenant, cost, job }, expected, answer)
    }

    pub(super) fn push_batch(&mut self, offers: &[(Tenant, Cost)]) -> Vec<Answer> {
        // Which of them will be accepted decides how the later ones are numbered.
        let mut forecast = self.ledger.clone();
        let foretell = |&(tenant, cost): &(Tenant, Cost)| {
            let job = forecast.next_serial();
            let expected = forecast.refusal(tenant);
            if expected.is_none() {
                forecast.push(tenant, cost, job);
            }
            (Offer { tenant, cost, job }, expected)
        };
        let foretold: Vec<_> = offers.iter().map(foretell).collect();
        let mut offers = foretold.iter().map(|&(offer, _)| offer).collect();
        let mut answers = Vec::new();
        self.queue.push_batch(&mut offers, &mut answers);
        let counts = (answers.len(), offers.len());
        self.note(Aspect::Refusals, counts == (foretold.len(), 0), || {
            (
                format!("{} answers, and no offer left", foretold.len()),
                format!("{} answers, and {} offers left", counts.0, counts.1),
            )
        });
        foretold
            .into_iter()
            .zip(answers)
            .map(|((offer, expected), answer)| self.pushed(offer, expected, answer))
            .collect()
    }

    fn pushed(
        &mut self,
        Offer { tenant, cost, job }: Offer<Job>,
        expected: Option<Refusal>,
        answer: Pushed<Job>,
    ) -> Answer {
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

    pub(super) fn take_batch(&mut self, max: usize) -> Vec<Answer> {
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

    pub(super) fn took(&mut self, taken: Option<Taken<Job>>) -> Answer {
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

    pub(super) fn complete(&mut self, which: usize, actual: Option<Cost>) -> Answer {
        if self.tickets.is_empty() {
            return Answer::Nothing;
        }
        let ticket = self.tickets.swap_remove(which % self.tickets.len());
        let (tenant, charged) = (ticket.tenant(), ticket.cost());
        self.queue.complete(ticket, actual.unwrap_or(charged));
        self.ledger.complete(tenant);
        Answer::Completed(tenant)
    }

    /// The tickets are picked as single completions would pick them.
    pub(super) fn complete_batch(&mut self, picks: &[(usize, Option<Cost>)]) -> Vec<Answer> {
        let mut done = Vec::new();
        for &(which, actual) in picks.iter().take(self.tickets.len()) {
            let ticket = self.tickets.swap_remove(which % self.tickets.len());
            let charged = ticket.cost();
            done.push((ticket, actual.unwrap_or(charged)));
        }
        let tenants = done.iter().map(|(ticket, _)| ticket.tenant());
        let mut answers: Vec<Answer> = tenants.map(Answer::Completed).collect();
        self.queue.complete_batch(&mut done);
        let left = done.len();
        self.note(Aspect::Counters, left == 0, || {
            ("no ticket left".into(), format!("{left}"))
        });
        for answer in &answers {
            if let Answer::Completed(tenant) = answer {
                self.ledger.complete(*tenant);
            }
        }
        answers.resize(picks.len(), Answer::Nothing);
        answers
    }

    pub(super) fn cancel(&mut self, id: Option<JobId>) -> Answer {
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

    pub(super) fn changed(
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

    pub(super) fn remove(&mut self, tenant: Tenant) -> Answer {
        let seen = self.queue.remove(tenant);
        let expected = self.ledger.remove(tenant);
        let own = |jobs: &[Job]| jobs.iter().map(|&job| (tenant, job)).collect::<Vec<_>>();
        self.returned(&own(&seen), &own(&expected));
        Answer::Removed(tenant, seen)
    }

    pub(super) fn close_and_reclaim(&mut self) -> Answer {
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
}
