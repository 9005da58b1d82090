//! A workload, played on servers that each run one scheduler.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use schedulers::{Cost, JobId};

use super::policy::Policy;
use super::workload::Workload;
use super::{Cluster, Outcome, Tally};
use crate::drive::{Calendar, Server, Started};
use crate::scheduler::Queue;
use records::number::share;

/// What can happen. Of a leaf's two copies, `2 leaf` goes to its first server and `2 leaf + 1` to its second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Event {
    /// A copy reaches its server.
    Arrive { copy: u32 },
    /// A cancellation reaches the server of a copy.
    Cancel { copy: u32 },
    /// A server's worker is done.
    End { server: u32, started: Started },
    /// A client has waited for its first copy as long as it would.
    Impatient { leaf: u32 },
    /// All servers are asked how many jobs they have.
    Ask,
}

/// Where a copy is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Unsent,
    OnItsWay,
    Waiting(JobId),
    Running,
    Over,
}

impl Cluster {
    /// Plays the workload to its end.
    pub(in crate::tail) fn simulate(
        &self,
        workload: &Workload,
        policy: Policy,
        random: Xoshiro256PlusPlus,
    ) -> Outcome {
        let queue = || Server::new(self.scheduler.build(&self.settings), self.workers);
        let mut run = Run {
            cluster: self,
            workload,
            policy,
            random,
            servers: (0..self.servers).map(|_| queue()).collect(),
            known: vec![0; self.servers as usize],
            calendar: Calendar::new(),
            server_of: workload
                .leaves
                .iter()
                .flat_map(|leaf| leaf.servers)
                .collect(),
            states: vec![State::Unsent; workload.leaves.len() * 2],
            ended_us: vec![None; workload.leaves.len()],
            unanswered: workload
                .requests
                .iter()
                .map(|request| request.leaves)
                .collect(),
            took_us: Vec::new(),
            tally: Tally::default(),
            busy_us: 0,
            wasted_us: 0,
        };
        run.play();
        let mut tally = run.tally;
        tally.wasted_share = share(run.wasted_us, run.busy_us);
        Outcome {
            took_us: run.took_us,
            tally,
        }
    }
}

struct Run<'a> {
    cluster: &'a Cluster,
    workload: &'a Workload,
    policy: Policy,
    random: Xoshiro256PlusPlus,
    servers: Vec<Server<Queue>>,
    /// By server: how many jobs it had when it was last asked.
    known: Vec<usize>,
    calendar: Calendar<Event>,
    /// By copy: where it is sent, if it is.
    server_of: Vec<u32>,
    states: Vec<State>,
    /// By leaf: when its first copy ended.
    ended_us: Vec<Option<u64>>,
    /// By request: its leaves that have no answer yet.
    unanswered: Vec<u32>,
    took_us: Vec<u64>,
    tally: Tally,
    /// Server time of measured requests, and what of it went into second copies.
    busy_us: u64,
    wasted_us: u64,
}

impl Run<'_> {
    fn play(&mut self) {
        let mut arrivals = self.workload.requests.iter().peekable();
        let mut leaf = 0;
        if self.stale_us().is_some_and(|stale_us| stale_us > 0) {
            self.calendar.note(0, Event::Ask);
        }
        loop {
            // What happens at an instant comes before what arrives at it, as in a run of one server.
            let arrival_us = arrivals.peek().map(|request| request.arrival_us);
            match (self.calendar.next_us(), arrival_us) {
                (None, None) => break,
                (Some(event_us), Some(arrival_us)) if event_us > arrival_us => {}
                (None, Some(_)) => {}
                _ => {
                    let (now_us, event) = self.calendar.pop().expect("there is a next event");
                    self.happen(now_us, event, arrival_us.is_some());
                    continue;
                }
            }
            let request = arrivals.next().expect("it was peeked");
            for leaf in leaf..leaf + request.leaves {
                self.place(request.arrival_us, leaf, request.measured);
            }
            leaf += request.leaves;
        }
        debug_assert!(self.unanswered.iter().all(|&leaves| leaves == 0));
    }

    fn happen(&mut self, now_us: u64, event: Event, more_to_come: bool) {
        match event {
            Event::Arrive { copy } => self.arrive(now_us, copy),
            Event::Cancel { copy } => self.cancel(copy),
            Event::End { server, started } => self.end(now_us, server, started),
            Event::Impatient { leaf } => self.send_the_second(now_us, leaf),
            Event::Ask => {
                for (known, server) in self.known.iter_mut().zip(&self.servers) {
                    *known = server.backlog() + server.busy();
                }
                if let (Some(stale_us), true) = (self.stale_us(), more_to_come) {
                    self.calendar.note(now_us + stale_us, Event::Ask);
                }
            }
        }
    }

    /// A client sends the copies of a leaf that it sends at once.
    fn place(&mut self, now_us: u64, leaf: u32, measured: bool) {
        let (first, second) = (leaf * 2, leaf * 2 + 1);
        if !measured {
            return self.send(now_us, first);
        }
        self.tally.leaves += 1;
        match self.policy {
            Policy::First => self.send(now_us, first),
            Policy::Random => {
                let copy = if self.random.random() { first } else { second };
                self.send(now_us, copy);
            }
            Policy::ShorterOfTwo { .. } => {
                let [a, b] =
                    [first, second].map(|copy| self.jobs_on(self.server_of[copy as usize]));
                self.send(now_us, if b < a { second } else { first });
            }
            Policy::ShortestOfAll { .. } => {
                // Equals in a random turn: a client has no reason to prefer low numbers.
                let turn = self.random.random_range(0..self.cluster.servers);
                let servers =
                    (0..self.cluster.servers).map(|server| (server + turn) % self.cluster.servers);
                let shortest = servers.min_by_key(|&server| self.jobs_on(server));
                self.server_of[first as usize] = shortest.expect("there are servers");
                self.send(now_us, first);
            }
            Policy::Hedge { delay_us } => {
                self.send(now_us, first);
                self.calendar
                    .note(now_us.saturating_add(delay_us), Event::Impatient { leaf });
            }
            Policy::Tie => {
                self.send(now_us, first);
                self.send(now_us + 2 * self.cluster.message_us, second);
            }
        }
    }

    fn send(&mut self, now_us: u64, copy: u32) {
        self.states[copy as usize] = State::OnItsWay;
        if self.is_measured(copy) {
            self.tally.sent += 1;
        }
        self.calendar
            .note(now_us + self.cluster.message_us, Event::Arrive { copy });
    }

    fn arrive(&mut self, now_us: u64, copy: u32) {
        // A cancellation may have come first: the server has not forgotten it.
        if self.states[copy as usize] == State::Over {
            return;
        }
        let request =
            &self.workload.requests[self.workload.request_of[(copy / 2) as usize] as usize];
        let cost = Cost::new(u32::try_from(self.service_us(copy)).unwrap_or(u32::MAX));
        let server = self.server_of[copy as usize];
        let job = self.servers[server as usize].push(request.tenant, cost, copy);
        self.states[copy as usize] =
            State::Waiting(job.expect("a queue without limits refuses nothing"));
        let jobs = self.servers[server as usize].backlog() + self.servers[server as usize].busy();
        self.tally.jobs_on_a_server_max = self.tally.jobs_on_a_server_max.max(jobs as u64);
        self.hand_out(now_us, server);
    }

    fn cancel(&mut self, copy: u32) {
        let is_cancelled = match self.states[copy as usize] {
            State::OnItsWay => true,
            State::Waiting(job) => self.servers[self.server_of[copy as usize] as usize].cancel(job),
            State::Unsent | State::Running | State::Over => return,
        };
        debug_assert!(is_cancelled, "a job that waits can be cancelled");
        self.states[copy as usize] = State::Over;
        self.tally.cancelled += 1;
    }

    fn hand_out(&mut self, now_us: u64, server: u32) {
        while let Some(started) = self.servers[server as usize].start() {
            let (copy, twin) = (started.job, started.job ^ 1);
            self.states[copy as usize] = State::Running;
            let service_us = self.service_us(copy);
            self.calendar
                .note(now_us + service_us, Event::End { server, started });
            if !self.is_measured(copy) {
                continue;
            }
            self.busy_us += service_us;
            let leaf = (copy / 2) as usize;
            if self.states[twin as usize] == State::Running || self.ended_us[leaf].is_some() {
                self.tally.ran_twice += 1;
                self.wasted_us += service_us;
            } else if self.policy == Policy::Tie {
                self.tell(now_us, twin);
            }
        }
    }

    /// A server tells another that it has begun a copy. Over no distance that comes before all else.
    fn tell(&mut self, now_us: u64, copy: u32) {
        match self.cluster.message_us {
            0 => self.cancel(copy),
            message_us => self
                .calendar
                .note(now_us + message_us, Event::Cancel { copy }),
        }
    }

    fn end(&mut self, now_us: u64, server: u32, started: Started) {
        let (copy, leaf) = (started.job, started.job / 2);
        self.servers[server as usize].finish(started.worker);
        self.states[copy as usize] = State::Over;
        if self.ended_us[leaf as usize].is_none() {
            self.ended_us[leaf as usize] = Some(now_us);
            if matches!(self.policy, Policy::Hedge { .. }) && self.is_measured(copy) {
                // The answer goes to the client, and its cancellation to the other server.
                self.calendar.note(
                    now_us + 2 * self.cluster.message_us,
                    Event::Cancel { copy: copy ^ 1 },
                );
            }
            self.answer(now_us + self.cluster.message_us, leaf);
        }
        self.hand_out(now_us, server);
    }

    fn answer(&mut self, at_us: u64, leaf: u32) {
        let number = self.workload.request_of[leaf as usize] as usize;
        let request = &self.workload.requests[number];
        self.unanswered[number] -= 1;
        if self.unanswered[number] == 0 && request.measured {
            self.took_us.push(at_us - request.arrival_us);
        }
    }

    fn send_the_second(&mut self, now_us: u64, leaf: u32) {
        let answer_us =
            self.ended_us[leaf as usize].map(|ended_us| ended_us + self.cluster.message_us);
        if answer_us.is_none_or(|answer_us| answer_us > now_us) {
            self.send(now_us, leaf * 2 + 1);
        }
    }

    /// How many jobs a server has, as far as a client knows.
    fn jobs_on(&self, server: u32) -> usize {
        if self.stale_us() == Some(0) {
            let server = &self.servers[server as usize];
            return server.backlog() + server.busy();
        }
        self.known[server as usize]
    }

    fn stale_us(&self) -> Option<u64> {
        match self.policy {
            Policy::ShorterOfTwo { stale_us } | Policy::ShortestOfAll { stale_us } => {
                Some(stale_us)
            }
            _ => None,
        }
    }

    fn is_measured(&self, copy: u32) -> bool {
        let request = self.workload.request_of[(copy / 2) as usize];
        self.workload.requests[request as usize].measured
    }

    fn service_us(&self, copy: u32) -> u64 {
        self.workload.leaves[(copy / 2) as usize].service_us[(copy % 2) as usize]
    }
}
