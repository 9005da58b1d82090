//! The distinct terms of tenants, each stored once.
//!
//! Most services have a handful of tiers (free, pro, enterprise), so a lane holds the number of its
//! tier in place of its limits: 4 bytes in place of 13, and the table stays in the nearest cache.

use std::collections::BTreeMap;

use crate::Limits;

/// A tenant's limits, and whether it is paused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Terms {
    pub(crate) limits: Limits,
    pub(crate) paused: bool,
}

/// A terms as the hot paths read it, and who has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tier {
    /// 0 while paused, whatever the limits say: then nobody of this tier is eligible.
    pub(crate) in_flight_max: i32,
    pub(crate) backlog_max: i32,
    pub(crate) terms: Terms,
    /// How many lanes are of this tier. Not counted for the default tier, which never goes.
    members: u32,
}

/// The table. Tier [`DEFAULT`] is that of every tenant nobody configured.
#[derive(Debug)]
pub(crate) struct Tiers {
    table: Vec<Tier>,
    numbers: BTreeMap<Terms, u32>,
    /// Numbers of the table that no terms has.
    vacant: Vec<u32>,
}

/// The tier of a tenant that nobody configured.
pub(crate) const DEFAULT: u32 = 0;

impl Tiers {
    pub(crate) fn new(limits: Limits) -> Self {
        let terms = Terms {
            limits,
            paused: false,
        };
        Self {
            table: vec![Tier::new(terms)],
            numbers: BTreeMap::from([(terms, DEFAULT)]),
            vacant: Vec::new(),
        }
    }

    #[inline]
    pub(crate) fn get(&self, tier: u32) -> &Tier {
        &self.table[tier as usize]
    }

    /// Moves one tenant from its tier to that of another terms. O(log tiers).
    pub(crate) fn change(&mut self, from: u32, to: Terms) -> u32 {
        let number = match self.numbers.get(&to) {
            Some(&number) => number,
            None => self.add(to),
        };
        // Join before leaving: the same terms again must not vanish in between.
        if number != DEFAULT {
            self.table[number as usize].members += 1;
        }
        if from != DEFAULT {
            self.leave(from);
        }
        number
    }

    fn add(&mut self, terms: Terms) -> u32 {
        let number = if let Some(number) = self.vacant.pop() {
            self.table[number as usize] = Tier::new(terms);
            number
        } else {
            self.table.push(Tier::new(terms));
            u32::try_from(self.table.len() - 1).expect("at most one tier for each tenant")
        };
        self.numbers.insert(terms, number);
        number
    }

    fn leave(&mut self, number: u32) {
        let tier = &mut self.table[number as usize];
        tier.members -= 1;
        if tier.members == 0 {
            self.numbers.remove(&tier.terms);
            self.vacant.push(number);
        }
    }
}

impl Tier {
    fn new(terms: Terms) -> Self {
        // A limit of 2^31 or more is none: there is no memory for so many jobs.
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
