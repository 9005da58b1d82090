//! The tenants with work, in turn order: a circular array of handles.
//!
//! An array rather than links through the lanes, so that the processor can fetch the lanes of the
//! next tenants while it serves this one; links would make it wait for each in turn.
//!
//! A tenant that ceases to be eligible before its turn is not searched for. Its place is marked, and
//! is passed over when it comes up, or is its own again if it comes back before that: nobody moves
//! forward by leaving. When half of the places are marked, all of these are swept out. Each mark is
//! paid for once, so every operation is O(1) amortised.

use std::fmt;

use crate::Tenant;
use crate::bitmap::Bitmap;

/// So many places are never given back, and so many marks are never swept out.
const PLACES_KEPT: usize = 1_024;

/// Tenants in turn order, each at most once.
#[derive(Clone)]
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

impl fmt::Debug for Ring {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} in turn", self.len() - self.marks as usize)
    }
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
            self.make_room();
        }
        let place = self.place(self.tail);
        self.places[place] = tenant;
        self.tail = self.tail.wrapping_add(1);
    }

    /// The tenant ceased to be eligible before its turn.
    pub(super) fn mark(&mut self, tenant: Tenant) {
        self.marked.set(tenant.position());
        self.marks += 1;
        if 2 * self.marks as usize > self.len().max(PLACES_KEPT) {
            self.sweep();
        }
    }

    /// Whether the tenant ceased to be eligible, and its place has not come up since.
    pub(super) fn is_marked(&self, tenant: Tenant) -> bool {
        self.marks > 0 && self.marked.contains(tenant.position())
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
        let mut turn = self.front;
        std::iter::from_fn(move || {
            let next = (turn != self.tail).then(|| self.places[self.place(turn)]);
            turn = turn.wrapping_add(1);
            next
        })
        .filter(|tenant| self.marks == 0 || !self.marked.contains(tenant.position()))
    }

    /// Gives memory back when seven eighths of it are unused.
    pub(super) fn shrink(&mut self) {
        self.sweep();
        if self.places.len() > PLACES_KEPT.max(8 * self.len()) {
            self.resize(PLACES_KEPT.max(2 * self.len()).next_power_of_two());
            self.marked = Bitmap::default();
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

    /// Every place is taken. Doubles, unless sweeping leaves half of them free, so that neither is
    /// done again before as many tenants have joined.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        self.sweep();
        if 2 * self.len() > self.places.len() {
            self.resize(2 * self.places.len());
        }
    }

    /// Takes the marked places out of the ring, in place.
    fn sweep(&mut self) {
        if self.marks == 0 {
            return;
        }
        let (mut turn, end) = (self.front, self.tail);
        self.tail = self.front;
        while turn != end {
            let tenant = self.places[self.place(turn)];
            if !self.unmark(tenant) {
                let place = self.place(self.tail);
                self.places[place] = tenant;
                self.tail = self.tail.wrapping_add(1);
            }
            turn = turn.wrapping_add(1);
        }
    }

    fn resize(&mut self, capacity: usize) {
        let mut places: Vec<Tenant> = self.iter().collect();
        self.front = 0;
        self.tail = u32::try_from(places.len()).expect("fewer places than tenants");
        places.resize(capacity, Tenant::new(0));
        self.places = places;
    }
}
