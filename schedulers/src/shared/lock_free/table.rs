//! Lanes by tenant: segments that are allocated when a tenant of theirs appears, and freed when all
//! of theirs have left.
//!
//! To free a segment while others may push: name the attempt in the segment's state, seal the tail of
//! every lane with that name, see that each lane is vacant after that, and then move the state to
//! *retired*, in one step. Whoever meets a seal, to push or after it has changed a lane otherwise,
//! first ends the attempt (or finds it retired, takes the segment off the table, and uses a new one).
//! So the one who frees waits for nobody, and nobody waits for it.

use std::ptr;

use super::lane::Lane;
use super::paged::Paged;
use super::reclaim::free_late;
use crate::sync::epoch::Guard;
use crate::sync::sequential::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use crate::{Limits, Tenant, Ticket};

/// Lanes in a segment.
#[cfg(not(loom))]
const SEGMENT: usize = 128;
#[cfg(loom)]
const SEGMENT: usize = 2;

/// Segments in a page of the table: a kilobyte.
const PAGE: usize = 128;

/// A few lanes that are allocated and freed together.
struct Segment {
    /// A [`Phase`].
    phase: AtomicU64,
    /// Tenants removed since the last attempt to free it.
    removed: AtomicU32,
    lanes: Box<[Lane]>,
}

/// What becomes of a segment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// In use, after so many attempts to free it.
    Open(u32),
    /// The attempt of this number is under way.
    Sealing(u32),
    /// Nobody will use it any more.
    Retired,
}

impl Phase {
    #[allow(clippy::cast_possible_truncation)] // the low half
    const fn from_word(word: u64) -> Self {
        match word >> 32 {
            0 => Self::Open(word as u32),
            1 => Self::Sealing(word as u32),
            _ => Self::Retired,
        }
    }

    const fn word(self) -> u64 {
        match self {
            Self::Open(attempt) => attempt as u64,
            Self::Sealing(attempt) => 1 << 32 | attempt as u64,
            Self::Retired => 2 << 32,
        }
    }
}

/// The lanes of all tenants.
pub(super) struct Table {
    segments: Paged<AtomicPtr<Segment>, PAGE>,
    /// All handles with a lane are below this one.
    known: AtomicU32,
    /// Those of a tenant that nobody configured.
    limits: Limits,
}

const fn split(tenant: Tenant) -> (usize, usize) {
    (tenant.position() / SEGMENT, tenant.position() % SEGMENT)
}

impl Table {
    pub(super) fn new(tenants_max: u32, limits: Limits) -> Self {
        let segments = (tenants_max as usize).div_ceil(SEGMENT);
        Self {
            segments: Paged::new(segments, || AtomicPtr::new(ptr::null_mut())),
            known: AtomicU32::new(0),
            limits,
        }
    }

    /// The limits of a tenant that nobody configured.
    pub(super) const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// All tenants with a lane, and some without.
    pub(super) fn tenants(&self) -> impl Iterator<Item = Tenant> {
        (0..self.known.load(Ordering::SeqCst)).map(Tenant::new)
    }

    #[inline]
    fn segment<'a>(&'a self, index: usize, _guard: &'a Guard) -> Option<&'a Segment> {
        // SeqCst pairs with the exchanges in `grow` and `unlink`.
        let segment = self.segments.get(index)?.load(Ordering::SeqCst);
        // SAFETY: `grow` put a whole segment there. `unlink` takes it away, and frees it when every
        // guard of that time is gone, this one among them.
        unsafe { segment.as_ref() }
    }

    /// The tenant's lane, if it has one.
    #[inline]
    pub(super) fn lane<'a>(&'a self, tenant: Tenant, guard: &'a Guard) -> Option<&'a Lane> {
        let (index, place) = split(tenant);
        Some(&self.segment(index, guard)?.lanes[place])
    }

    /// The lane of a tenant with a job in flight, which the caller's ticket keeps there: usable until
    /// that job lands. Nothing guards it after that.
    #[inline]
    pub(super) fn lane_in_flight(&self, ticket: &Ticket) -> &Lane {
        let (index, place) = split(ticket.tenant());
        let segment = self.segments.get(index);
        // SeqCst pairs with the exchange in `grow`.
        let segment = segment.map_or(ptr::null_mut(), |place| place.load(Ordering::SeqCst));
        // SAFETY: as in `segment`; and it is not retired while a lane of it is not vacant, which this
        // one is not before the ticket's job lands.
        match unsafe { segment.as_ref() } {
            Some(segment) => &segment.lanes[place],
            None => unreachable!("a lane with a job in flight is not freed"),
        }
    }

    /// The tenant's lane, allocated if need be.
    #[inline]
    pub(super) fn lane_or_make<'a>(&'a self, tenant: Tenant, guard: &'a Guard) -> &'a Lane {
        loop {
            if let Some(lane) = self.lane(tenant, guard) {
                return lane;
            }
            self.grow(split(tenant).0);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&self, index: usize) {
        let made = Box::into_raw(Box::new(Segment {
            phase: AtomicU64::new(Phase::Open(0).word()),
            removed: AtomicU32::new(0),
            lanes: (0..SEGMENT).map(|_| Lane::new(&self.limits)).collect(),
        }));
        let known = u32::try_from((index + 1) * SEGMENT).unwrap_or(u32::MAX);
        self.known.fetch_max(known, Ordering::SeqCst);
        let place = self.segments.get_or_make(index);
        if place
            .compare_exchange(ptr::null_mut(), made, Ordering::SeqCst, Ordering::SeqCst)
            .is_err()
        {
            // SAFETY: from a box, above, and nobody else has seen it.
            drop(unsafe { Box::from_raw(made) });
        }
    }

    /// Whether a lane that was found to be sealed, or was changed, may be used: if not, it is gone,
    /// and the tenant's lane is another one, or yet to be made.
    #[inline]
    pub(super) fn keep(&self, tenant: Tenant, lane: &Lane, guard: &Guard) -> bool {
        match lane.sealed() {
            None => true,
            Some(_) => self.break_seal(tenant, lane, guard),
        }
    }

    #[cold]
    #[inline(never)]
    fn break_seal(&self, tenant: Tenant, lane: &Lane, guard: &Guard) -> bool {
        let (index, place) = split(tenant);
        while let Some(sealed) = lane.sealed() {
            let Some(segment) = self.segment(index, guard) else {
                return false;
            };
            if !ptr::eq(&raw const segment.lanes[place], lane) {
                return false;
            }
            match segment.phase() {
                Phase::Open(_) => lane.unseal(sealed),
                Phase::Sealing(attempt) => {
                    segment.exchange(Phase::Sealing(attempt), Phase::Open(attempt));
                }
                Phase::Retired => {
                    self.unlink(index, segment, guard);
                    return false;
                }
            }
        }
        true
    }

    /// A tenant was removed. Once that is true of half of a segment since the last attempt, tries to
    /// free it, and says whether it did: O(1) amortised.
    pub(super) fn removed(&self, tenant: Tenant, guard: &Guard) -> bool {
        let (index, _) = split(tenant);
        let Some(segment) = self.segment(index, guard) else {
            return false;
        };
        let removed = segment.removed.fetch_add(1, Ordering::SeqCst) + 1;
        if 2 * (removed as usize) < SEGMENT {
            return false;
        }
        segment.removed.store(0, Ordering::SeqCst);
        let is_retired = segment.retire(&self.limits);
        if is_retired {
            self.unlink(index, segment, guard);
        }
        is_retired
    }

    /// Takes a retired segment off the table.
    fn unlink(&self, index: usize, segment: &Segment, guard: &Guard) {
        let seen = ptr::from_ref(segment).cast_mut();
        let place = self.segments.get_or_make(index);
        if place
            .compare_exchange(seen, ptr::null_mut(), Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
        {
            // SAFETY: from a box, in `grow`, and off the table: whoever still uses it has a guard.
            unsafe { free_late(guard, seen) };
        }
    }
}

impl Segment {
    fn phase(&self) -> Phase {
        Phase::from_word(self.phase.load(Ordering::SeqCst))
    }

    fn exchange(&self, from: Phase, to: Phase) -> bool {
        // SeqCst: of this step and the unsealing of a lane, one sees the other.
        self.phase
            .compare_exchange(from.word(), to.word(), Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }

    /// Makes sure that nobody uses the segment any more, if nothing would be lost with it.
    fn retire(&self, limits: &Limits) -> bool {
        let seen = self.phase();
        let attempt = match seen {
            Phase::Open(attempt) | Phase::Sealing(attempt) => (attempt + 1) & (u32::MAX >> 1),
            Phase::Retired => return false,
        };
        if !self.exchange(seen, Phase::Sealing(attempt)) {
            return false;
        }
        let is_vacant = |lane: &Lane| lane.seal(attempt) && lane.is_vacant(limits);
        if self.lanes.iter().all(is_vacant) {
            self.exchange(Phase::Sealing(attempt), Phase::Retired)
        } else {
            self.exchange(Phase::Sealing(attempt), Phase::Open(attempt));
            false
        }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        for (_, segment) in self.segments.iter() {
            // Relaxed: whoever drops the table has synchronised with all who used it.
            let segment = segment.load(Ordering::Relaxed);
            if !segment.is_null() {
                // SAFETY: from a box, in `grow`; the table is not shared any more.
                drop(unsafe { Box::from_raw(segment) });
            }
        }
    }
}
