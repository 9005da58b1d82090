//! The tenants with work, in turn order: a circular array of handles.
//!
//! An array rather than links through the lanes, so that the processor can fetch the lanes of the
//! next tenants while it serves this one; links would make it wait for each in turn.
//!
//! A tenant that ceases to be eligible before its turn is not searched for. Its place is marked, and
//! passed over when it comes up, or is the tenant's own again if it comes back first: it never moves
//! forward by leaving. Each mark is passed over once, so turns stay O(1) amortised. When the array is
//! resized, marked places are dropped.

use crate::Tenant;
use crate::bitmap::Bitmap;

/// Places below which memory is not worth giving back.
const PLACES_KEPT: usize = 1_024;

/// Tenants in turn order, each at most once.
#[derive(Clone, Debug)]
pub(super) struct Ring {
    /// A power of two of places. Both ends count on without end, modulo this many.
    places: Vec<Tenant>,
    front: u32,
    tail: u32,
    /// The tenants in the ring whose place is marked.
    marked: Bitmap,
    /// How many they are.
    marks: u32,
}

impl Ring {
    pub(super) fn new() -> Self {
        Self {
            places: vec![Tenant::new(0)],
            front: 0,
            tail: 0,
            marked: Bitmap::default(),
            marks: 0,
        }
    }

    /// The tenant became eligible: it joins at the tail, or has its marked place again.
    #[inline(always)]
    pub(super) fn join(&mut self, tenant: Tenant) {
        if self.marks > 0 && self.unmark(tenant) {
            return;
        }
        self.append(tenant);
    }

    /// A tenant that is not in the ring joins at the tail.
    #[inline(always)]
    pub(super) fn append(&mut self, tenant: Tenant) {
        if self.len() == self.places.len() {
            self.resize(2 * self.len());
        }
        let place = self.place(self.tail);
        self.places[place] = tenant;
        self.tail = self.tail.wrapping_add(1);
    }

    /// The tenant ceased to be eligible before its turn.
    pub(super) fn mark(&mut self, tenant: Tenant) {
        self.marked.set(tenant.position());
        self.marks += 1;
    }

    /// Takes the tenant whose turn it is out of the ring, and the marked places before it.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<Tenant> {
        while self.front != self.tail {
            let tenant = self.places[self.place(self.front)];
            self.front = self.front.wrapping_add(1);
            if self.marks == 0 || !self.unmark(tenant) {
                return Some(tenant);
            }
        }
        None
    }

    #[inline(always)]
    pub(super) const fn len(&self) -> usize {
        self.tail.wrapping_sub(self.front) as usize
    }

    /// The tenants in turn order that have no mark.
    pub(super) fn iter(&self) -> impl Iterator<Item = Tenant> {
        (0..self.len() as u32)
            .map(|turn| self.places[self.place(self.front.wrapping_add(turn))])
            .filter(|tenant| self.marks == 0 || !self.marked.contains(tenant.position()))
    }

    /// Gives memory back when three quarters of it are unused.
    pub(super) fn shrink(&mut self) {
        let unmarked = self.len() - self.marks as usize;
        if self.places.len() > PLACES_KEPT.max(4 * unmarked) {
            self.resize(PLACES_KEPT.max(2 * unmarked).next_power_of_two());
        }
    }

    #[inline(always)]
    const fn place(&self, turn: u32) -> usize {
        turn as usize & (self.places.len() - 1)
    }

    #[cold]
    #[inline(never)]
    fn unmark(&mut self, tenant: Tenant) -> bool {
        let was_marked = self.marked.contains(tenant.position());
        if was_marked {
            self.marked.clear(tenant.position());
            self.marks -= 1;
        }
        was_marked
    }

    /// Marked places are forgotten, or those of tenants that left for good would stay until their turn.
    #[cold]
    #[inline(never)]
    fn resize(&mut self, capacity: usize) {
        let mut places = Vec::with_capacity(capacity);
        places.extend(self.iter());
        self.marked = Bitmap::default();
        self.marks = 0;
        self.tail = places.len() as u32;
        self.front = 0;
        places.resize(capacity, Tenant::new(0));
        self.places = places;
    }
}
