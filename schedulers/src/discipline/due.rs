//! In which round each eligible tenant is due: how many in each, and the first of these rounds.
//!
//! Rounds near the first are counted in an array that goes round, so that a tenant served moves on
//! in O(1). Those further off, of tenants whose one job was worth many rounds, are in an ordered map.

use std::collections::BTreeMap;

/// Rounds from the first on that are counted in the array; a power of two.
const NEAR: usize = 16;

/// Rounds, each with how many tenants are due in it.
#[derive(Clone, Default, Debug)]
pub(super) struct Due {
    /// The least round of all; meaningless while there is none.
    first: u64,
    /// How many are due in each of the rounds from the first on, by the round modulo `NEAR`.
    near: [u32; NEAR],
    /// The other rounds, each with how many are due in it, at least one.
    far: BTreeMap<u64, u32>,
    /// How many tenants in all.
    len: u32,
}

impl Due {
    /// The least round in which somebody is due.
    #[inline(always)]
    pub(super) fn first(&self) -> Option<u64> {
        (self.len > 0).then_some(self.first)
    }

    #[inline(always)]
    pub(super) fn insert(&mut self, round: u64) {
        if self.len == 0 {
            self.first = round;
        } else if round < self.first {
            self.lower(round);
        }
        self.len += 1;
        self.count(round, 1);
    }

    /// Takes out one that was inserted.
    #[inline(always)]
    pub(super) fn remove(&mut self, round: u64) {
        self.len -= 1;
        if round - self.first < NEAR as u64 {
            let count = &mut self.near[place(round)];
            *count -= 1;
            if *count == 0 && round == self.first && self.len > 0 {
                self.raise();
            }
        } else {
            self.remove_far(round);
        }
    }

    #[inline(always)]
    fn count(&mut self, round: u64, more: u32) {
        if round - self.first < NEAR as u64 {
            self.near[place(round)] += more;
        } else {
            *self.far.entry(round).or_default() += more;
        }
    }

    #[cold]
    fn remove_far(&mut self, round: u64) {
        let count = self.far.get_mut(&round).expect("it was inserted");
        *count -= 1;
        if *count == 0 {
            self.far.remove(&round);
        }
    }

    /// Nobody is due any more in the first round: finds the next. The map's least round is beyond the
    /// array, so it is next only when the array is empty.
    #[inline(never)]
    fn raise(&mut self) {
        let nearest = (self.first..)
            .take(NEAR)
            .find(|&round| self.near[place(round)] > 0);
        let farther = || *self.far.keys().next().expect("somebody is due");
        self.first = nearest.unwrap_or_else(farther);
        while let Some(entry) = self.far.first_entry()
            && entry.key() - self.first < NEAR as u64
        {
            let (round, count) = entry.remove_entry();
            self.count(round, count);
        }
    }

    /// A round before the first: what is then no longer near it goes to the map.
    #[cold]
    fn lower(&mut self, round: u64) {
        let near = std::mem::take(&mut self.near);
        let old_first = std::mem::replace(&mut self.first, round);
        for old in (old_first..).take(NEAR) {
            let count = near[place(old)];
            if count > 0 {
                self.count(old, count);
            }
        }
    }
}

#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // below `NEAR`
const fn place(round: u64) -> usize {
    (round % NEAR as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Near and far, up and down, against an ordered map.
    #[test]
    fn the_first_round_is_that_of_an_ordered_map() {
        let mut due = Due::default();
        let mut model: BTreeMap<u64, u32> = BTreeMap::new();
        let mut number = 1_u64;
        for step in 0..100_000_u64 {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let random = number >> 33;
            let is_insert = random % 8 < if step / 1_000 % 2 == 0 { 5 } else { 3 };
            if is_insert || model.is_empty() {
                let spread = [2, 20, 1_000][(random / 8 % 3) as usize];
                let round = step / 50 + random / 64 % spread;
                due.insert(round);
                *model.entry(round).or_default() += 1;
            } else {
                let place = (random / 8) as usize % model.len();
                let round = *model.keys().nth(place).expect("within");
                due.remove(round);
                let count = model.get_mut(&round).expect("within");
                *count -= 1;
                if *count == 0 {
                    model.remove(&round);
                }
            }
            assert_eq!(due.first(), model.keys().next().copied(), "step {step}");
        }
    }
}
