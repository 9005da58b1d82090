//! Which tenants may be eligible: a tree of bits that many threads raise, lower and search.
//!
//! Each word has 32 bits, one for each word, or tenant, below it; the root is one word. A bit that is
//! set says *maybe*: it is lowered late, by whoever searches and finds nothing there. A bit that is
//! not set says *no*, and the root at zero says so for everybody at one instant, which is when a
//! `take` may answer `None`.
//!
//! **The promise.** Let something below a bit have become active: a tenant eligible, or a word not
//! zero. Once any operation that made it so, or saw it so and did its part, has returned, the bit is
//! set until something below is seen idle, all the way up. Nobody waits for anybody to get there:
//! who comes second does not rely on who came first, unless that one is known to be done.
//!
//! *Raise*: set the bit and count the word's version up, in one step, whether or not the bit was set.
//! Then, unless the word is marked [`TOLD`], raise its own bit one level up, and mark it, if it has
//! not changed in between.
//! *Lower*: read the word; see that what is below is idle, *after that*; clear the bit, if the word
//! has not changed. Any raise in between has changed the version. A word that becomes zero loses its
//! mark in the same step, and is lowered in its turn.
//!
//! **Why it holds.** Say a word was marked at `s`, by one who had read it unmarked and not zero at
//! `r`, raised its parent's bit at `b`, and marked it at `s`, with nothing changed from `r` to `s`.
//! Somebody whose clearing of that bit succeeds after `b` read the parent after `b` (the version),
//! and after that saw the word at zero: so after `s`, since it was not zero from `r` to `s`. The mark
//! went with that zero. Whoever made the word not zero before, and relied on the mark, came before:
//! what it did was seen and is gone. Whoever comes later finds no mark. A lane is like a word: not
//! zero is eligible, and its mark is in its gate ([`super::gate`]).

use super::paged::Paged;
use crate::sync::sequential::{AtomicU64, Ordering};

/// Bits in a word.
const FAN_OUT: usize = 32;
/// Words in a page: a kilobyte.
const PAGE: usize = 128;
/// The bits of a word, below its mark and its version.
const BITS: u64 = u32::MAX as u64;
/// The mark: since this word is not zero, its parent's bit has been raised.
const TOLD: u64 = 1 << 32;
/// One in the version: it counts raises, modulo 2^31.
const VERSION: u64 = 1 << 33;

/// Bits by position, and above each word a bit in the next level.
pub(super) struct Bitmap {
    /// The first level has a bit for every position, the last one word.
    levels: Box<[Paged<AtomicU64, PAGE>]>,
}

impl Bitmap {
    /// No bit set, and room for this many positions.
    pub(super) fn new(positions: usize) -> Self {
        let mut levels = Vec::new();
        let mut words = positions;
        loop {
            words = words.div_ceil(FAN_OUT).max(1);
            levels.push(Paged::new(words, || AtomicU64::new(0)));
            if words == 1 {
                break;
            }
        }
        Self {
            levels: levels.into_boxed_slice(),
        }
    }

    const fn bit(position: usize) -> u64 {
        1 << (position % FAN_OUT)
    }

    /// Sets the bit, and makes sure that a search finds it. O(levels), mostly O(1).
    pub(super) fn raise(&self, position: usize) {
        self.raise_at(0, position);
    }

    fn raise_at(&self, level: usize, position: usize) {
        let word = self.levels[level].get_or_make(position / FAN_OUT);
        let mut seen = word.load(Ordering::SeqCst);
        let raised = loop {
            let raised = (seen | Self::bit(position)).wrapping_add(VERSION);
            // SeqCst, all here: each pairs with the reads and the clearing in `lower_at`; the
            // argument above needs one order of them all.
            match word.compare_exchange(seen, raised, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) => break raised,
                Err(other) => seen = other,
            }
        };
        if level + 1 < self.levels.len() && raised & TOLD == 0 {
            self.raise_at(level + 1, position / FAN_OUT);
            let told = raised | TOLD;
            // Whoever has changed the word meanwhile may have to tell again.
            let _ = word.compare_exchange(raised, told, Ordering::SeqCst, Ordering::SeqCst);
        }
    }

    /// Clears the bit, unless what is below turns out not to be idle.
    pub(super) fn lower(&self, position: usize, is_idle: impl Fn() -> bool) {
        self.lower_at(0, position, &is_idle);
    }

    fn lower_at(&self, level: usize, position: usize, is_idle: &dyn Fn() -> bool) {
        let Some(word) = self.levels[level].get(position / FAN_OUT) else {
            return;
        };
        loop {
            let seen = word.load(Ordering::SeqCst);
            if seen & Self::bit(position) == 0 || !is_idle() {
                return;
            }
            let mut lowered = seen & !Self::bit(position);
            let is_zero = lowered & BITS == 0;
            if is_zero {
                lowered &= !TOLD;
            }
            if word
                .compare_exchange(seen, lowered, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok()
            {
                if is_zero && level + 1 < self.levels.len() {
                    let is_idle = || word.load(Ordering::SeqCst) & BITS == 0;
                    self.lower_at(level + 1, position / FAN_OUT, &is_idle);
                }
                return;
            }
        }
    }

    /// The first position at or after this one whose bit is set, or the first of all. `None` says
    /// that there was an instant, during the call, at which the root was zero. O(levels).
    #[inline]
    pub(super) fn find(&self, from: usize) -> Option<usize> {
        loop {
            let found = if let Some((level, position)) = self.climb(from) {
                self.descend(level, position)
            } else {
                let root = self.levels.len() - 1;
                let bits = self.bits(root, 0);
                if bits == 0 {
                    return None;
                }
                self.descend(root, bits.trailing_zeros() as usize)
            };
            if found.is_some() {
                return found;
            }
        }
    }

    /// The bits of a word; zero where there is none yet.
    #[inline]
    fn bits(&self, level: usize, index: usize) -> u64 {
        let word = self.levels[level].get(index);
        word.map_or(0, |word| word.load(Ordering::SeqCst) & BITS)
    }

    /// The lowest level at which a bit at or after the position is set, without going round.
    #[inline]
    fn climb(&self, from: usize) -> Option<(usize, usize)> {
        let mut from = from;
        for level in 0..self.levels.len() {
            let index = from / FAN_OUT;
            let bits = self.bits(level, index) & (BITS << (from % FAN_OUT));
            if bits != 0 {
                return Some((level, index * FAN_OUT + bits.trailing_zeros() as usize));
            }
            from = index + 1;
        }
        None
    }

    /// The first position below a bit. `None` when there was nothing below it: the bit is lowered.
    #[inline]
    fn descend(&self, level: usize, position: usize) -> Option<usize> {
        let (mut level, mut position) = (level, position);
        while level > 0 {
            let bits = self.bits(level - 1, position);
            if bits == 0 {
                self.lower_at(level, position, &|| self.bits(level - 1, position) == 0);
                return None;
            }
            position = position * FAN_OUT + bits.trailing_zeros() as usize;
            level -= 1;
        }
        Some(position)
    }
}
