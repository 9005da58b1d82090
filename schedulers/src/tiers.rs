//! What each tenant is entitled to: the distinct terms, each once, and a number for each tenant.
//!
//! Most services have a handful of tiers (free, pro, enterprise), and the hot paths hardly ask: so
//! terms are kept out of the lanes, in a table that stays in the nearest cache. A tenant that nobody
//! configured, with none configured behind it, takes no memory here.

use std::collections::BTreeMap;

use crate::{Limits, Tenant};

/// A tenant's limits, and whether it is paused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Terms {
    pub(crate) limits: Limits,
    pub(crate) paused: bool,
}

/// Terms, as lanes count them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tier {
    /// 0 while paused, whatever the limits say: then nobody of this tier is eligible.
    pub(crate) in_flight_max: i32,
    pub(crate) backlog_max: i32,
    pub(crate) terms: Terms,
    /// How many tenants are of this tier; of the default tier, how many have a number.
    members: u32,
}

/// The terms of every tenant.
#[derive(Debug)]
pub(crate) struct Tiers {
    /// The number of each tenant's tier, up to the last that was ever configured; all behind it are of
    /// the [`DEFAULT`] tier.
    numbers: Vec<u32>,
    /// The tiers by number.
    table: Vec<Tier>,
    /// The numbers by terms.
    index: BTreeMap<Terms, u32>,
    /// Numbers that no terms have.
    vacant: Vec<u32>,
}

/// The tier of a tenant that nobody configured.
const DEFAULT: u32 = 0;

impl Tiers {
    pub(crate) fn new(limits: Limits) -> Self {
        let terms = Terms {
            limits,
            paused: false,
        };
        Self {
            numbers: Vec::new(),
            table: vec![Tier::new(terms)],
            index: BTreeMap::from([(terms, DEFAULT)]),
            vacant: Vec::new(),
        }
    }

    /// The tier of a tenant.
    #[inline(always)]
    pub(crate) fn of(&self, tenant: Tenant) -> &Tier {
        let number = self.numbers.get(tenant.position());
        &self.table[number.copied().unwrap_or(DEFAULT) as usize]
    }

    /// The tier of a tenant that nobody configured.
    pub(crate) fn default_tier(&self) -> &Tier {
        &self.table[DEFAULT as usize]
    }

    /// Gives a tenant other terms. O(log tiers), once the handles below it have their numbers.
    pub(crate) fn change(&mut self, tenant: Tenant, terms: Terms) {
        let number = match self.index.get(&terms) {
            Some(&number) => number,
            None => self.add(terms),
        };
        let position = tenant.position();
        if position >= self.numbers.len() {
            if number == DEFAULT {
                return;
            }
            self.grow(position);
        }
        // Join before leaving: the same terms again must not vanish in between.
        self.table[number as usize].members += 1;
        let left = std::mem::replace(&mut self.numbers[position], number);
        self.leave(left);
    }

    fn grow(&mut self, position: usize) {
        let missing = position + 1 - self.numbers.len();
        if position >= self.numbers.capacity() {
            let eighth = self.numbers.len() / 8;
            self.numbers.reserve_exact(missing.max(eighth));
        }
        let tier = &mut self.table[DEFAULT as usize];
        tier.members += u32::try_from(missing).expect("handles are 32 bits");
        self.numbers.resize(position + 1, DEFAULT);
    }

    fn add(&mut self, terms: Terms) -> u32 {
        let number = if let Some(number) = self.vacant.pop() {
            self.table[number as usize] = Tier::new(terms);
            number
        } else {
            self.table.push(Tier::new(terms));
            u32::try_from(self.table.len() - 1).expect("at most one tier for each tenant")
        };
        self.index.insert(terms, number);
        number
    }

    fn leave(&mut self, number: u32) {
        let tier = &mut self.table[number as usize];
        tier.members -= 1;
        if tier.members == 0 && number != DEFAULT {
            self.index.remove(&tier.terms);
            self.vacant.push(number);
        }
    }

    /// Forgets the tenants from this one on, all of the default tier. O(tenants forgotten).
    pub(crate) fn truncate(&mut self, tenants: usize) {
        while self.numbers.len() > tenants {
            self.numbers.pop();
            self.leave(DEFAULT);
        }
        if self.index.len() == 1 {
            // Only the default terms are left.
            self.table.truncate(1);
            self.table.shrink_to_fit();
            self.vacant = Vec::new();
        }
        if self.numbers.len() < self.numbers.capacity() / 2 {
            self.numbers
                .shrink_to(self.numbers.len() + self.numbers.len() / 8);
        }
    }
}

impl Tier {
    fn new(terms: Terms) -> Self {
        // Jobs are counted in 31 bits, so a larger limit is the largest that can be reached.
        let count = |limit: u32| i32::try_from(limit).unwrap_or(i32::MAX);
        let in_flight_max = if terms.paused {
            0
        } else {
            terms.limits.in_flight_max
        };
        Self {
            in_flight_max: count(in_flight_max),
            backlog_max: count(terms.limits.backlog_max),
            terms,
            members: 0,
        }
    }
}
