//! A set of small integers that finds the next member in O(log64 n): a tree of 64-bit words, in
//! which a bit of one level says that a word of the level below is not zero.

use std::fmt;

/// Bits in a word.
const BITS: usize = u64::BITS as usize;

/// A growing set of indices. Finding the next member costs one word in the common case, and two
/// for each level otherwise; a million indices take four levels.
#[derive(Clone, Default)]
pub(crate) struct Bitmap {
    /// One bit for every index.
    leaves: Vec<u64>,
    /// From the leaves up: one bit for every word of the level below; the top has one word.
    summaries: Vec<Vec<u64>>,
}

impl fmt::Debug for Bitmap {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members: u32 = self.leaves.iter().map(|word| word.count_ones()).sum();
        write!(formatter, "{members} set")
    }
}

impl Bitmap {
    /// Adds an index. O(1) unless its word was empty, then O(log64 n).
    #[inline(always)]
    pub(crate) fn set(&mut self, index: usize) {
        let word = index / BITS;
        if word >= self.leaves.len() {
            self.grow(word + 1);
        }
        let before = self.leaves[word];
        self.leaves[word] = before | 1 << (index % BITS);
        if before == 0 {
            self.summarise(word, true);
        }
    }

    /// Removes an index, present or not. O(1) unless its word becomes empty, then O(log64 n).
    #[inline(always)]
    pub(crate) fn clear(&mut self, index: usize) {
        let Some(word) = self.leaves.get_mut(index / BITS) else {
            return;
        };
        let before = *word;
        *word = before & !(1 << (index % BITS));
        if *word == 0 && before != 0 {
            self.summarise(index / BITS, false);
        }
    }

    /// Whether the index is a member.
    #[inline(always)]
    pub(crate) fn contains(&self, index: usize) -> bool {
        let word = self.leaves.get(index / BITS).copied().unwrap_or(0);
        word & 1 << (index % BITS) != 0
    }

    /// The smallest member at or after `index`.
    #[inline(always)]
    pub(crate) fn first_from(&self, index: usize) -> Option<usize> {
        let word = index / BITS;
        let rest = self.leaves.get(word)? & (!0 << (index % BITS));
        if rest != 0 {
            return Some(word * BITS + rest.trailing_zeros() as usize);
        }
        let word = self.next_word(word + 1)?;
        Some(word * BITS + self.leaves[word].trailing_zeros() as usize)
    }

    /// The first word of the leaves, from `word` on, that is not zero.
    fn next_word(&self, word: usize) -> Option<usize> {
        let mut position = word;
        for (height, level) in self.summaries.iter().enumerate() {
            let rest = level.get(position / BITS)? & (!0 << (position % BITS));
            if rest != 0 {
                let mut found = position / BITS * BITS + rest.trailing_zeros() as usize;
                for level in self.summaries[..height].iter().rev() {
                    found = found * BITS + level[found].trailing_zeros() as usize;
                }
                return Some(found);
            }
            position = position / BITS + 1;
        }
        None
    }

    /// Tells the levels above that a leaf word has become empty, or has ceased to be.
    fn summarise(&mut self, word: usize, occupied: bool) {
        let mut index = word;
        for level in &mut self.summaries {
            let before = level[index / BITS];
            let bit = 1 << (index % BITS);
            let after = if occupied {
                before | bit
            } else {
                before & !bit
            };
            level[index / BITS] = after;
            if (before == 0) == (after == 0) {
                return;
            }
            index /= BITS;
        }
    }

    /// Makes room for this many leaf words, by an eighth more than there were at least.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, words: usize) {
        let words = words.max(self.leaves.len() + self.leaves.len() / 8);
        self.leaves.resize(words, 0);
        self.summaries.clear();
        let mut below = &self.leaves;
        loop {
            let level: Vec<u64> = below
                .chunks(BITS)
                .map(|words| {
                    let occupied = words.iter().enumerate().filter(|(_, word)| **word != 0);
                    occupied.fold(0, |bits, (index, _)| bits | 1 << index)
                })
                .collect();
            self.summaries.push(level);
            below = self.summaries.last().expect("just pushed");
            if below.len() == 1 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Bitmap;
    use std::collections::BTreeSet;

    #[test]
    fn finds_what_an_ordered_set_finds() {
        let mut bitmap = Bitmap::default();
        let mut set = BTreeSet::new();
        // A walk that visits words, word edges and four levels: a multiplicative generator.
        let mut number: usize = 1;
        for step in 0..20_000 {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let index = (number >> 33) % [70, 5_000, 300_000][step % 3];
            if number >> 63 == 0 {
                bitmap.set(index);
                set.insert(index);
            } else {
                bitmap.clear(index);
                set.remove(&index);
            }
            let from = (number >> 20) % 300_100;
            assert_eq!(bitmap.first_from(from), set.range(from..).next().copied());
            assert_eq!(bitmap.first_from(index), set.range(index..).next().copied());
        }
    }
}
