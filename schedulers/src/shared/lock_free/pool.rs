//! Where nodes come from: chunks of one allocation, each with its own stack of free nodes.
//!
//! The top of a chunk's stack and the number of its free nodes are one word: so a chunk that is found
//! whole is retired in one step, after which nobody can take a node from it. A bitmap says which
//! chunks may have free nodes, lowest first, so that the high ones empty. All threads take from the
//! current chunk until it has none; that costs one compare-exchange, and giving back another, at the
//! node's own chunk.
//!
//! **Memory.** Beyond [`CHUNKS_KEPT`], every chunk without jobs but the current one is freed at once:
//! the pool is within a chunk for every job left, and the chunks that are kept.

use std::ptr;

use super::bitmap::Bitmap;
use super::node::{Node, Phase, State};
use super::paged::Paged;
use super::reclaim::free_late;
use crate::sync::epoch::Guard;
use crate::sync::sequential::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// Nodes in a chunk.
#[cfg(not(loom))]
const CHUNK: u16 = 256;
#[cfg(loom)]
const CHUNK: u16 = 3;

/// The most nodes there are: a queue of so many jobs is full.
#[cfg(not(loom))]
pub(super) const NODES_MAX: u32 = 1 << 27;
#[cfg(loom)]
pub(super) const NODES_MAX: u32 = 4 * CHUNK as u32;
/// Chunks in all.
const CHUNKS_MAX: usize = NODES_MAX as usize / CHUNK as usize;
/// Chunks in a page of their table.
const PAGE: usize = 512;
/// Up to this many chunks, memory is not worth giving back.
const CHUNKS_KEPT: u32 = 1;

/// The free nodes of a chunk: the top of the stack, how many there are, and a count of changes.
#[derive(Clone, Copy)]
struct Free {
    top: u16,
    count: u16,
    tag: u32,
}

impl Free {
    /// The count of a chunk that is being freed: no node will be taken from it.
    const RETIRED: u16 = u16::MAX;

    #[allow(clippy::cast_possible_truncation)] // the parts
    const fn from_word(word: u64) -> Self {
        Self {
            top: (word >> 48) as u16,
            count: (word >> 32) as u16,
            tag: word as u32,
        }
    }

    const fn word(self) -> u64 {
        (self.top as u64) << 48 | (self.count as u64) << 32 | self.tag as u64
    }

    const fn has_any(self) -> bool {
        self.count != 0 && self.count != Self::RETIRED
    }
}

/// Some nodes that are allocated and freed together.
struct Chunk<J> {
    /// A [`Free`].
    free: AtomicU64,
    nodes: [Node<J>; CHUNK as usize],
}

/// All nodes, by index: the chunk's, times the nodes of a chunk, and the place in it.
pub(super) struct Pool<J> {
    /// Null where there is no memory. Written by whoever takes it from null, or retires the chunk.
    chunks: Paged<AtomicPtr<Chunk<J>>, PAGE>,
    /// Which chunks may have free nodes.
    partial: Bitmap,
    /// The chunk to take from first.
    current: AtomicU32,
    /// No chunk below this one is without memory, unless somebody is just taking it away.
    vacant: AtomicU32,
    /// How many chunks have memory.
    allocated: AtomicU32,
    /// No chunk from this one on ever had memory.
    end: AtomicU32,
    /// How many nodes are of cancelled jobs.
    cancelled: AtomicU32,
}

#[allow(clippy::cast_possible_truncation)] // a place in a chunk
const fn split(node: u32) -> (u32, u16) {
    (node / CHUNK as u32, (node % CHUNK as u32) as u16)
}

impl<J> Pool<J> {
    pub(super) fn new() -> Self {
        Self {
            chunks: Paged::new(CHUNKS_MAX, || AtomicPtr::new(ptr::null_mut())),
            partial: Bitmap::new(CHUNKS_MAX),
            current: AtomicU32::new(0),
            vacant: AtomicU32::new(0),
            allocated: AtomicU32::new(0),
            end: AtomicU32::new(0),
            cancelled: AtomicU32::new(0),
        }
    }

    #[inline]
    fn chunk<'a>(&'a self, index: u32, _guard: &'a Guard) -> Option<&'a Chunk<J>> {
        // SeqCst pairs with the exchanges in `grow` and `retire`.
        let chunk = self.chunks.get(index as usize)?.load(Ordering::SeqCst);
        // SAFETY: `grow` put a whole chunk there. `retire` takes it away, and frees it when every
        // guard of that time is gone, this one among them.
        unsafe { chunk.as_ref() }
    }

    /// The node, if its chunk has memory.
    #[inline]
    pub(super) fn node<'a>(&'a self, node: u32, guard: &'a Guard) -> Option<&'a Node<J>> {
        let (chunk, place) = split(node);
        Some(&self.chunk(chunk, guard)?.nodes[usize::from(place)])
    }

    /// How many nodes hold a job, looked at chunk by chunk: exact when nobody changes that. O(chunks).
    pub(super) fn jobs(&self, guard: &Guard) -> usize {
        let chunks =
            (0..self.end.load(Ordering::SeqCst)).filter_map(|index| self.chunk(index, guard));
        let used: usize = chunks.map(Chunk::used).sum();
        used.saturating_sub(self.cancelled.load(Ordering::SeqCst) as usize)
    }

    /// The job of a node was cancelled: the node will be freed when its lane has passed it.
    pub(super) fn cancelled(&self) {
        self.cancelled.fetch_add(1, Ordering::SeqCst);
    }

    /// Gives the node of a cancelled job back.
    pub(super) fn free_cancelled(&self, number: u32, node: &Node<J>, guard: &Guard) {
        self.free(number, node, guard);
        self.cancelled.fetch_sub(1, Ordering::SeqCst);
    }

    /// A node that is the caller's until it is pushed or given back, with the stamp of its new life.
    /// `None` when all [`NODES_MAX`] are in use.
    #[inline]
    pub(super) fn allocate<'a>(&'a self, guard: &'a Guard) -> Option<(u32, u32, &'a Node<J>)> {
        loop {
            // Relaxed: any chunk will do.
            let index = self.current.load(Ordering::Relaxed);
            if let Some(chunk) = self.chunk(index, guard)
                && let Some((place, node)) = chunk.pop()
            {
                // Relaxed: the pop that gave the node pairs with the push that freed it.
                let state = State::from_word(node.state.load(Ordering::Relaxed));
                let number = index * u32::from(CHUNK) + u32::from(place);
                return Some((number, state.stamp, node));
            }
            self.move_on(guard)?;
        }
    }

    /// Makes another chunk the current one.
    #[cold]
    #[inline(never)]
    fn move_on(&self, guard: &Guard) -> Option<()> {
        while let Some(position) = self.partial.find(0) {
            let index = u32::try_from(position).ok()?;
            let has_none = || {
                let chunk = self.chunk(index, guard);
                chunk.is_none_or(|chunk| !chunk.free().has_any())
            };
            if !has_none() {
                self.current.store(index, Ordering::Relaxed);
                return Some(());
            }
            self.partial.lower(position, has_none);
        }
        self.grow(guard)
    }

    /// Allocates a chunk where there is none.
    fn grow(&self, guard: &Guard) -> Option<()> {
        let vacant = self.vacant.load(Ordering::SeqCst);
        let chunks = vacant..u32::try_from(CHUNKS_MAX).ok()?;
        for index in chunks {
            if self.chunk(index, guard).is_some() || !self.add(index) {
                continue;
            }
            self.allocated.fetch_add(1, Ordering::SeqCst);
            self.end.fetch_max(index + 1, Ordering::SeqCst);
            // Unless somebody has just made a lower one vacant.
            let _ =
                self.vacant
                    .compare_exchange(vacant, index + 1, Ordering::SeqCst, Ordering::SeqCst);
            self.current.store(index, Ordering::Relaxed);
            self.partial.raise(index as usize);
            return Some(());
        }
        None
    }

    /// Allocates a chunk at this place, unless somebody was first.
    fn add(&self, index: u32) -> bool {
        let made = Box::into_raw(Chunk::new());
        let (null, seqcst) = (ptr::null_mut(), Ordering::SeqCst);
        let place = self.chunks.get_or_make(index as usize);
        let is_first = place.compare_exchange(null, made, seqcst, seqcst).is_ok();
        if !is_first {
            // SAFETY: from a box, above, and nobody else has seen it.
            drop(unsafe { Box::from_raw(made) });
        }
        is_first
    }

    /// Gives a node back, which the caller alone knows, and whose job was moved out.
    #[inline]
    pub(super) fn free(&self, number: u32, node: &Node<J>, guard: &Guard) {
        // Relaxed: nobody but the caller writes the state of a node that has left its lane.
        let stamp = State::from_word(node.state.load(Ordering::Relaxed)).stamp;
        let free = State::new(stamp.wrapping_add(1), Phase::Free);
        // Release: whoever sees what is written in the next life sees that this one is over.
        node.state.store(free.word(), Ordering::Release);
        let (index, place) = split(number);
        let Some(chunk) = self.chunk(index, guard) else {
            unreachable!("a chunk with a node in use is not freed")
        };
        let count = chunk.push(place, node);
        if count == 1 {
            self.partial.raise(index as usize);
        }
        if count == CHUNK && self.allocated.load(Ordering::Relaxed) > CHUNKS_KEPT {
            self.retire(index, chunk, guard);
        }
    }

    /// Frees a chunk, unless it is the current one or a node of it was taken again.
    #[cold]
    #[inline(never)]
    fn retire(&self, index: u32, chunk: &Chunk<J>, guard: &Guard) {
        if self.current.load(Ordering::Relaxed) == index || !chunk.retire() {
            return;
        }
        let place = self.chunks.get_or_make(index as usize);
        let retired = place.swap(ptr::null_mut(), Ordering::SeqCst);
        self.allocated.fetch_sub(1, Ordering::SeqCst);
        self.vacant.fetch_min(index, Ordering::SeqCst);
        // SAFETY: from a box, in `add`. None of its nodes is in use, and nobody can come upon it any
        // more: whoever still looks at it holds a guard.
        unsafe { free_late(guard, retired) };
    }
}

impl<J> Chunk<J> {
    /// A chunk of free nodes, the first one foremost.
    #[allow(clippy::unnecessary_box_returns)] // it is made in the box
    fn new() -> Box<Self> {
        let mut chunk = Box::<Self>::new_uninit();
        let free = Free {
            top: 0,
            count: CHUNK,
            tag: 0,
        };
        let start = chunk.as_mut_ptr();
        // SAFETY: each field is written, each node at its place, in memory that the box owns. In
        // place, as a chunk of large jobs would not fit the stack.
        unsafe {
            (&raw mut (*start).free).write(AtomicU64::new(free.word()));
            let nodes = (&raw mut (*start).nodes).cast::<Node<J>>();
            for place in 0..CHUNK {
                let next = u32::from(place) + 1;
                nodes.add(place.into()).write(Node::vacant(next));
            }
            chunk.assume_init()
        }
    }

    /// Makes sure that no node is ever taken again, if all are free.
    fn retire(&self) -> bool {
        let seen = self.free();
        let retired = Free {
            count: Free::RETIRED,
            ..seen
        };
        seen.count == CHUNK && self.exchange(seen, retired).is_ok()
    }

    fn used(&self) -> usize {
        match self.free().count {
            Free::RETIRED => 0,
            count => usize::from(CHUNK - count),
        }
    }

    #[inline]
    fn free(&self) -> Free {
        Free::from_word(self.free.load(Ordering::SeqCst))
    }

    /// Takes a free node off the stack.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // a place in a chunk, or nothing that is used
    fn pop(&self) -> Option<(u16, &Node<J>)> {
        let mut seen = self.free();
        loop {
            if !seen.has_any() {
                return None;
            }
            let node = &self.nodes[usize::from(seen.top)];
            // Relaxed: it means something only if the exchange shows that nothing has changed, and
            // then the exchange that put the node there has made it visible.
            let next = node.older.load(Ordering::Relaxed);
            let popped = Free {
                top: next as u16,
                count: seen.count - 1,
                tag: seen.tag.wrapping_add(1),
            };
            match self.exchange(seen, popped) {
                Ok(()) => return Some((seen.top, node)),
                Err(other) => seen = other,
            }
        }
    }

    /// Puts a node on the stack, and says how many there are then.
    #[inline]
    fn push(&self, place: u16, node: &Node<J>) -> u16 {
        let mut seen = self.free();
        loop {
            // Relaxed: published by the exchange. Without any free node, the top means nothing.
            node.older.store(seen.top.into(), Ordering::Relaxed);
            let pushed = Free {
                top: place,
                count: seen.count + 1,
                tag: seen.tag.wrapping_add(1),
            };
            match self.exchange(seen, pushed) {
                Ok(()) => return pushed.count,
                Err(other) => seen = other,
            }
        }
    }

    #[inline]
    fn exchange(&self, from: Free, to: Free) -> Result<(), Free> {
        // SeqCst, for the bitmap's argument: this word is what is below its bit.
        self.free
            .compare_exchange(from.word(), to.word(), Ordering::SeqCst, Ordering::SeqCst)
            .map(|_| ())
            .map_err(Free::from_word)
    }
}

impl<J> Drop for Pool<J> {
    fn drop(&mut self) {
        for (_, chunk) in self.chunks.iter() {
            // Relaxed: whoever drops the pool has synchronised with all who used it.
            let chunk = chunk.load(Ordering::Relaxed);
            if !chunk.is_null() {
                // SAFETY: from a box, in `add`; the pool is not shared any more, and its queue has
                // moved all jobs out.
                drop(unsafe { Box::from_raw(chunk) });
            }
        }
    }
}
