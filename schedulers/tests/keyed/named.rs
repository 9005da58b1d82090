//! Keys as dense handles again, so that the laws can hold them.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use schedulers::keyed::{Keyed, KeyedRefusal, KeyedTicket, SharedKeyed, SharedKeyedTicket};
use schedulers::laws::Job;
use schedulers::{
    Cost, FairQueue, Identity, JobId, LagMax, Limits, Refusal, Refused, Settings, SharedFairQueue,
    Taken, Tenant, Ticket, UnknownTenant,
};

/// A name for every handle.
pub(crate) struct Names<K> {
    name: fn(Tenant) -> K,
    tenant: fn(&K) -> Tenant,
}

impl Names<u32> {
    pub(crate) fn numbers() -> Self {
        Self {
            name: Tenant::index,
            tenant: |&name| Tenant::new(name),
        }
    }
}

/// The first few are names that people forget to think of.
const ODD_NAMES: [&str; 4] = ["", " ", "\0", "Köln"];

impl Names<String> {
    pub(crate) fn strings() -> Self {
        Self {
            name: |tenant| {
                let odd = ODD_NAMES.get(tenant.index() as usize);
                odd.map_or_else(|| tenant.index().to_string(), ToString::to_string)
            },
            tenant: |name| {
                let odd = ODD_NAMES.iter().position(|odd| odd == name);
                let index = odd.map_or_else(|| name.parse().ok(), |odd| u32::try_from(odd).ok());
                Tenant::new(index.expect("a name given here"))
            },
        }
    }
}

/// What the two keyed queues have in common.
pub(crate) trait ByKey<K> {
    type Ticket;
    fn key(ticket: &Self::Ticket) -> &K;
    fn cost(ticket: &Self::Ticket) -> Cost;
    fn push(&mut self, key: &K, cost: Cost, job: Job) -> Result<JobId, Refused<Job, KeyedRefusal>>;
    fn take_batch(&mut self, max: usize) -> Vec<Taken<Job, Self::Ticket>>;
    fn take(&mut self) -> Option<Taken<Job, Self::Ticket>>;
    fn complete(&mut self, ticket: Self::Ticket, actual: Cost);
    fn cancel(&mut self, job: JobId) -> Option<Job>;
    fn configure(&mut self, key: &K, limits: Limits);
    fn pause(&mut self, key: &K);
    fn resume(&mut self, key: &K);
    fn remove(&mut self, key: &K) -> Vec<Job>;
    fn release(&mut self, key: &K) -> bool;
    fn close(&mut self);
    fn close_and_reclaim(&mut self) -> Vec<(K, Job)>;
    fn is_closed(&self) -> bool;
    fn backlog(&self, key: &K) -> usize;
    fn in_flight(&self, key: &K) -> usize;
    fn len(&self) -> usize;
    fn lag_max(&self) -> Option<LagMax>;
}

macro_rules! by_key {
    ($queue:ident, $bound:path, $ticket:ident) => {
        impl<K: Hash + Eq + Clone, Q: $bound> ByKey<K> for $queue<K, Q> {
            type Ticket = $ticket<K>;
            fn key(ticket: &Self::Ticket) -> &K {
                ticket.key()
            }
            fn cost(ticket: &Self::Ticket) -> Cost {
                ticket.cost()
            }
            fn push(
                &mut self,
                key: &K,
                cost: Cost,
                job: Job,
            ) -> Result<JobId, Refused<Job, KeyedRefusal>> {
                $queue::push(self, key, cost, job)
            }
            fn take_batch(&mut self, max: usize) -> Vec<Taken<Job, Self::Ticket>> {
                let mut taken = Vec::new();
                assert_eq!($queue::take_batch(self, max, &mut taken), taken.len());
                taken
            }
            fn take(&mut self) -> Option<Taken<Job, Self::Ticket>> {
                $queue::take(self)
            }
            fn complete(&mut self, ticket: Self::Ticket, actual: Cost) {
                $queue::complete(self, ticket, actual);
            }
            fn cancel(&mut self, job: JobId) -> Option<Job> {
                $queue::cancel(self, job)
            }
            fn configure(&mut self, key: &K, limits: Limits) {
                $queue::configure(self, key, limits).expect("there is room");
            }
            fn pause(&mut self, key: &K) {
                $queue::pause(self, key).expect("there is room");
            }
            fn resume(&mut self, key: &K) {
                $queue::resume(self, key);
            }
            fn remove(&mut self, key: &K) -> Vec<Job> {
                $queue::remove(self, key)
            }
            fn release(&mut self, key: &K) -> bool {
                $queue::release(self, key)
            }
            fn close(&mut self) {
                $queue::close(self);
            }
            fn close_and_reclaim(&mut self) -> Vec<(K, Job)> {
                $queue::close_and_reclaim(self)
            }
            fn is_closed(&self) -> bool {
                $queue::is_closed(self)
            }
            fn backlog(&self, key: &K) -> usize {
                $queue::backlog(self, key)
            }
            fn in_flight(&self, key: &K) -> usize {
                $queue::in_flight(self, key)
            }
            fn len(&self) -> usize {
                $queue::len(self)
            }
            fn lag_max(&self) -> Option<LagMax> {
                $queue::lag_max(self)
            }
        }
    };
}

by_key!(Keyed, FairQueue<Job>, KeyedTicket);
by_key!(
    SharedKeyed,
    SharedFairQueue<schedulers::keyed::KeyedJob<K, Job>>,
    SharedKeyedTicket
);

/// A keyed queue under the laws: names for handles, and in every call that takes or ends a job some
/// tenant is released, so that handles change hands all the time.
pub(crate) struct Named<K, Q: ByKey<K>> {
    queue: Q,
    names: Names<K>,
    settings: Settings,
    identity: Identity,
    /// The ids of the queue within, by the number in ours.
    ids: Vec<JobId>,
    /// The tickets of the queue within. Those of one tenant and cost are as good as each other.
    tickets: HashMap<(Tenant, Cost), VecDeque<Q::Ticket>>,
    released: u32,
}

/// Tenants that meet often in random scripts.
const RELEASED: u32 = 8;

impl<K: Clone, Q: ByKey<K>> Named<K, Q> {
    pub(crate) fn new(queue: Q, names: Names<K>, settings: &Settings) -> Self {
        Self {
            queue,
            names,
            settings: *settings,
            identity: Identity::new(),
            ids: Vec::new(),
            tickets: HashMap::new(),
            released: 0,
        }
    }

    fn admits(&self, tenant: Tenant) -> Result<K, UnknownTenant> {
        let tenants_max = self.settings.tenants_max;
        if tenant.index() < tenants_max {
            Ok((self.names.name)(tenant))
        } else {
            Err(UnknownTenant {
                tenant,
                tenants_max,
            })
        }
    }

    /// A key is as good as any other: it is us who refuse some.
    fn refusal(&self, unknown: UnknownTenant) -> Refusal {
        let backlog_max = self.settings.backlog_max;
        if self.queue.is_closed() {
            Refusal::Closed
        } else if self.queue.len() >= backlog_max as usize {
            Refusal::QueueFull { backlog_max }
        } else {
            Refusal::UnknownTenant(unknown)
        }
    }

    fn release_one(&mut self) {
        self.released = (self.released + 1) % RELEASED;
        let key = (self.names.name)(Tenant::new(self.released));
        self.queue.release(&key);
    }

    fn took(&mut self, taken: Taken<Job, Q::Ticket>) -> Taken<Job> {
        let (tenant, cost) = (
            (self.names.tenant)(Q::key(&taken.ticket)),
            Q::cost(&taken.ticket),
        );
        let tickets = self.tickets.entry((tenant, cost)).or_default();
        tickets.push_back(taken.ticket);
        Taken {
            job: taken.job,
            ticket: self.identity.issue(tenant, cost),
        }
    }
}

impl<K: Clone, Q: ByKey<K>> FairQueue<Job> for Named<K, Q> {
    fn push(&mut self, tenant: Tenant, cost: Cost, job: Job) -> Result<JobId, Refused<Job>> {
        let key = match self.admits(tenant) {
            Ok(key) => key,
            Err(unknown) => {
                let refusal = self.refusal(unknown);
                return Err(Refused { job, refusal });
            }
        };
        let id = self
            .queue
            .push(&key, cost, job)
            .map_err(|refused| Refused {
                job: refused.job,
                refusal: match refused.refusal {
                    KeyedRefusal::TenantFull { backlog_max } => Refusal::TenantFull {
                        tenant,
                        backlog_max,
                    },
                    KeyedRefusal::QueueFull { backlog_max } => Refusal::QueueFull { backlog_max },
                    KeyedRefusal::Closed => Refusal::Closed,
                    other => panic!("there is room for all handles: {other}"),
                },
            })?;
        let number = u32::try_from(self.ids.len()).expect("not as many jobs");
        self.ids.push(id);
        Ok(self.identity.name(tenant, number, 0))
    }

    fn take(&mut self) -> Option<Taken<Job>> {
        let taken = self.queue.take().map(|taken| self.took(taken));
        self.release_one();
        taken
    }

    fn take_batch(&mut self, max: usize, taken: &mut Vec<Taken<Job>>) -> usize {
        let batch = self.queue.take_batch(max);
        let jobs = batch.len();
        taken.extend(batch.into_iter().map(|next| self.took(next)));
        jobs
    }

    fn complete(&mut self, ticket: Ticket, actual: Cost) {
        assert!(self.identity.issued(&ticket), "the ticket of another queue");
        let tickets = self.tickets.get_mut(&(ticket.tenant(), ticket.cost()));
        let ticket = tickets.and_then(VecDeque::pop_front);
        self.queue
            .complete(ticket.expect("one for each of ours"), actual);
        self.release_one();
    }

    fn cancel(&mut self, job: JobId) -> Option<Job> {
        let (number, _) = self.identity.locate(job)?;
        self.queue.cancel(self.ids[number as usize])
    }

    fn configure(&mut self, tenant: Tenant, limits: Limits) -> Result<(), UnknownTenant> {
        let key = self.admits(tenant)?;
        self.queue.configure(&key, limits);
        Ok(())
    }

    fn pause(&mut self, tenant: Tenant) -> Result<(), UnknownTenant> {
        let key = self.admits(tenant)?;
        self.queue.pause(&key);
        Ok(())
    }

    fn resume(&mut self, tenant: Tenant) -> Result<(), UnknownTenant> {
        let key = self.admits(tenant)?;
        self.queue.resume(&key);
        Ok(())
    }

    fn remove(&mut self, tenant: Tenant) -> Vec<Job> {
        let key = self.admits(tenant);
        key.map_or_else(|_| Vec::new(), |key| self.queue.remove(&key))
    }

    fn release(&mut self, tenant: Tenant) -> bool {
        let key = self.admits(tenant);
        key.is_ok_and(|key| self.queue.release(&key))
    }

    fn close(&mut self) {
        self.queue.close();
    }

    fn close_and_reclaim(&mut self) -> Vec<(Tenant, Job)> {
        let reclaimed = self.queue.close_and_reclaim().into_iter();
        let tenant = self.names.tenant;
        let mut reclaimed: Vec<_> = reclaimed.map(|(key, job)| (tenant(&key), job)).collect();
        // Tenant by tenant, but in the order in which they became known.
        reclaimed.sort_by_key(|&(tenant, _)| tenant);
        reclaimed
    }

    fn is_closed(&self) -> bool {
        self.queue.is_closed()
    }

    fn backlog(&self, tenant: Tenant) -> usize {
        self.queue.backlog(&(self.names.name)(tenant))
    }

    fn in_flight(&self, tenant: Tenant) -> usize {
        self.queue.in_flight(&(self.names.name)(tenant))
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn lag_max(&self) -> Option<LagMax> {
        self.queue.lag_max()
    }
}
