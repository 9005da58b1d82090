//! Where the jobs are: nodes in chunks of one allocation each.
//!
//! Free nodes form one list through all chunks, last freed first, as that node is still in the
//! cache. A chunk is never moved, so growth copies nothing.
//!
//! **Memory rule.** When no more than an eighth of the nodes hold a job, every chunk without jobs is
//! freed. So beyond [`CHUNKS_KEPT`] chunks, the slab holds at most eight nodes for every job, or one
//! chunk for every job where each has a chunk to itself. The sweep costs O(chunks) and the nodes of
//! the chunks that stay, and is paid for by the removals since the last one: O(1) amortised.

use std::num::NonZeroU32;

use crate::Cost;
use crate::lane::Head;

/// Jobs in a chunk: 12 KiB for jobs of eight bytes, well below what allocators map singly.
const CHUNK: usize = 512;
/// Below this many chunks, memory is not worth giving back.
const CHUNKS_KEPT: usize = 2;
/// The share of nodes with a job, one in this many, at which vacant chunks are given back.
const SWEEP_SHARE: u32 = 8;

/// No slot: the end of a lane and of the free list.
pub(crate) const NIL: u32 = u32::MAX;

/// A job in its lane. With a job of eight bytes this is 24 bytes, [`Node::Free`] included.
pub(crate) struct Queued<J> {
    /// The low 32 bits of the push counter, skipping 0: tells this job from others of its slot.
    pub(crate) stamp: NonZeroU32,
    pub(crate) cost: Cost,
    /// The next job of the lane, or [`NIL`].
    pub(crate) next: u32,
    /// The job before this one in the lane; meaningless in the first one, which saves a write to a
    /// cold node at every take.
    pub(crate) prev: u32,
    pub(crate) job: J,
}

enum Node<J> {
    Free { next: u32 },
    Queued(Queued<J>),
}

type Chunk<J> = Box<[Node<J>; CHUNK]>;

/// Nodes by slot: `chunk x CHUNK + offset`.
pub(crate) struct Slab<J> {
    /// `None` where a chunk was given back.
    chunks: Vec<Option<Chunk<J>>>,
    /// The first free node, or [`NIL`].
    free: u32,
    /// How many nodes hold a job.
    live: u32,
    /// Sweep when fewer nodes than this hold a job.
    sweep_below: u32,
    /// The chunks without memory, to be used again before the table grows.
    released: Vec<usize>,
    /// How many jobs were inserted, skipping every multiple of 2^32.
    inserted: u64,
}

const fn split(slot: u32) -> (usize, usize) {
    (slot as usize / CHUNK, slot as usize % CHUNK)
}

/// The slot of a node. Fits, as a queue holds less than 2^31 jobs and grows only when it is full.
#[allow(clippy::cast_possible_truncation)]
const fn slot(index: usize, offset: usize) -> u32 {
    (index * CHUNK + offset) as u32
}

/// The low 32 bits of a counter.
#[allow(clippy::cast_possible_truncation)]
const fn low_bits(counter: u64) -> u32 {
    counter as u32
}

impl<J> Slab<J> {
    pub(crate) const fn new() -> Self {
        Self {
            chunks: Vec::new(),
            free: NIL,
            live: 0,
            sweep_below: 0,
            released: Vec::new(),
            inserted: 0,
        }
    }

    /// How many jobs it holds.
    #[inline(always)]
    pub(crate) const fn len(&self) -> u32 {
        self.live
    }

    #[inline(always)]
    fn node(&mut self, slot: u32) -> &mut Node<J> {
        let (index, offset) = split(slot);
        let Some(chunk) = &mut self.chunks[index] else {
            unreachable!("slots in use are in chunks with memory")
        };
        &mut chunk[offset]
    }

    /// Stores a job as the last of a lane. O(1), and one allocation for every [`CHUNK`] of growth.
    #[inline(always)]
    pub(crate) fn insert(&mut self, cost: Cost, prev: u32, job: J) -> (u32, NonZeroU32) {
        if self.free == NIL {
            self.grow();
        }
        let stamp = self.next_stamp();
        let slot = self.free;
        let node = self.node(slot);
        let Node::Free { next } = *node else {
            unreachable!("the free list names free nodes only")
        };
        *node = Node::Queued(Queued {
            stamp,
            cost,
            next: NIL,
            prev,
            job,
        });
        self.free = next;
        self.live += 1;
        (slot, stamp)
    }

    /// Takes a job out of its node.
    #[inline(always)]
    pub(crate) fn remove(&mut self, slot: u32) -> Queued<J> {
        let free = Node::Free { next: self.free };
        let Node::Queued(queued) = std::mem::replace(self.node(slot), free) else {
            unreachable!("lanes name queued nodes only")
        };
        self.free = slot;
        self.live -= 1;
        queued
    }

    #[inline(always)]
    pub(crate) fn get(&self, slot: u32) -> Option<&Queued<J>> {
        let (index, offset) = split(slot);
        match &self.chunks.get(index)?.as_ref()?[offset] {
            Node::Queued(queued) => Some(queued),
            Node::Free { .. } => None,
        }
    }

    #[inline(always)]
    pub(crate) fn queued_mut(&mut self, slot: u32) -> &mut Queued<J> {
        match self.node(slot) {
            Node::Queued(queued) => queued,
            Node::Free { .. } => unreachable!("lanes name queued nodes only"),
        }
    }

    /// What a discipline may know of the job in this slot. Gives something for a free slot too, since
    /// a check that can panic would be paid for by those who use none of it.
    #[inline(always)]
    pub(crate) fn head(&self, slot: u32) -> Head {
        let (cost, stamp) = self
            .get(slot)
            .map_or((Cost::ZERO, 0), |queued| (queued.cost, queued.stamp.get()));
        let age = low_bits(self.inserted).wrapping_sub(stamp);
        Head {
            cost,
            arrival: self.inserted.wrapping_sub(u64::from(age)),
        }
    }

    /// How many jobs were ever inserted, each stamp skipped counting as one.
    #[inline(always)]
    pub(crate) const fn inserted(&self) -> u64 {
        self.inserted
    }

    #[inline(always)]
    fn next_stamp(&mut self) -> NonZeroU32 {
        self.inserted += 1;
        match NonZeroU32::new(low_bits(self.inserted)) {
            Some(stamp) => stamp,
            None => self.skip_stamp(),
        }
    }

    #[cold]
    #[inline(never)]
    fn skip_stamp(&mut self) -> NonZeroU32 {
        self.inserted += 1;
        NonZeroU32::MIN
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let index = self.released.pop().unwrap_or_else(|| {
            self.chunks.push(None);
            self.chunks.len() - 1
        });
        // Built on the heap: a chunk of large jobs would not fit the stack.
        let nodes: Vec<Node<J>> = (0..CHUNK).map(|_| Node::Free { next: NIL }).collect();
        self.chunks[index] = nodes.into_boxed_slice().try_into().ok();
        self.sweep_below = self.share_to_sweep();
        self.link(index);
    }

    /// Puts the free nodes of a chunk at the front of the free list, the first one foremost.
    fn link(&mut self, index: usize) {
        let Some(chunk) = &mut self.chunks[index] else {
            return;
        };
        for (offset, node) in chunk.iter_mut().enumerate().rev() {
            if let Node::Free { next } = node {
                *next = std::mem::replace(&mut self.free, slot(index, offset));
            }
        }
    }

    /// Whether [`sweep`](Self::sweep) is due.
    #[inline(always)]
    pub(crate) const fn sweep_due(&self) -> bool {
        self.live < self.sweep_below
    }

    /// Gives back every chunk without jobs, but for a few.
    #[cold]
    #[inline(never)]
    pub(crate) fn sweep(&mut self) {
        self.free = NIL;
        let mut kept = self.allocated();
        for chunk in &mut self.chunks {
            let is_vacant = |chunk: &Chunk<J>| {
                let mut nodes = chunk.iter();
                nodes.all(|node| matches!(node, Node::Free { .. }))
            };
            if kept > CHUNKS_KEPT && chunk.as_ref().is_some_and(is_vacant) {
                *chunk = None;
                kept -= 1;
            }
        }
        while let Some(None) = self.chunks.last() {
            self.chunks.pop();
        }
        self.chunks.shrink_to(2 * self.chunks.len());
        self.released.clear();
        // From the last to the first, so that the first is used first: jobs to come gather in low
        // chunks, and the high ones empty.
        for index in (0..self.chunks.len()).rev() {
            if self.chunks[index].is_none() {
                self.released.push(index);
            }
            self.link(index);
        }
        self.released.shrink_to(2 * self.released.len());
        // Where scattered jobs hold their chunks, try again when half of them have gone.
        self.sweep_below = self.share_to_sweep().min(self.live / 2);
    }

    fn allocated(&self) -> usize {
        self.chunks.len() - self.released.len()
    }

    fn share_to_sweep(&self) -> u32 {
        if self.allocated() > CHUNKS_KEPT {
            slot(self.allocated(), 0) / SWEEP_SHARE
        } else {
            0
        }
    }
}
