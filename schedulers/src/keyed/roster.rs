//! Who has which handle, which handles are free, and where to look for tenants to let go.

use crate::Tenant;
use crate::bitmap::Bitmap;

/// A table of so many places is not worth the hand's while.
const PLACES_KEPT: usize = 64;
/// Tenants looked at in one go while most are found busy. More than one, so that the hand overtakes
/// tenants that fall idle one after the other in the order of their handles.
const LOOKS_FEW: usize = 4;
/// Tenants looked at in one go while half of them or more are let go.
const LOOKS_MANY: usize = 16;
/// One in so many of a tenant's idle moments makes the hand move, the first among them.
pub(super) const MOMENTS: u32 = 16;
/// Tenants looked at before a newcomer is refused.
const LOOKS_FOR_ROOM: usize = 1_024;

/// The tenants by handle; `P` is what is kept of each.
///
/// A newcomer gets the lowest free handle, so that the table, and the queue's own, can shrink from
/// the end. A hand goes round the tenants, some at a time, as that of a clock: whoever is found idle
/// may be let go. Each move of the hand is paid for by a newcomer or by a tenant's idle moment, so
/// all of it is O(1) amortised, and no operation goes through the table.
#[derive(Debug)]
pub(super) struct Roster<P> {
    /// `None` where nobody is, or where somebody is about to be.
    places: Vec<Option<P>>,
    /// The free handles below the length of the table.
    vacant: Bitmap,
    /// The others.
    taken: Bitmap,
    /// How many others there are.
    tenants: usize,
    /// Where the next look begins.
    hand: usize,
    /// How many tenants to look at in one go.
    looks: usize,
    /// The most tenants there were since maps of them last shrank.
    peak: usize,
    tenants_max: u32,
}

impl<P> Roster<P> {
    pub(super) fn new(tenants_max: u32) -> Self {
        Self {
            places: Vec::new(),
            vacant: Bitmap::default(),
            taken: Bitmap::default(),
            tenants: 0,
            hand: 0,
            looks: LOOKS_FEW,
            peak: 0,
            tenants_max,
        }
    }

    pub(super) const fn tenants_max(&self) -> u32 {
        self.tenants_max
    }

    /// How many tenants are known.
    pub(super) const fn tenants(&self) -> usize {
        self.tenants
    }

    /// The lowest free handle; `None` when there is none.
    pub(super) fn free(&self) -> Option<Tenant> {
        let position = self.vacant.first_from(0).unwrap_or(self.places.len());
        let tenant = Tenant::at(position);
        (tenant.index() < self.tenants_max).then_some(tenant)
    }

    /// A newcomer takes the handle that is [`free`](Self::free).
    pub(super) fn settle(&mut self, tenant: Tenant, place: P) {
        let position = tenant.position();
        if position < self.places.len() {
            self.vacant.clear(position);
            self.places[position] = Some(place);
        } else {
            if self.places.len() == self.places.capacity() {
                let eighth = self.places.len() / 8;
                self.places.reserve_exact(PLACES_KEPT.max(eighth));
            }
            self.places.push(Some(place));
        }
        self.taken.set(position);
        self.tenants += 1;
        self.peak = self.peak.max(self.tenants);
    }

    /// The tenant is let go: its handle is free.
    pub(super) fn vacate(&mut self, tenant: Tenant) -> Option<P> {
        let place = self.places.get_mut(tenant.position())?.take()?;
        self.tenants -= 1;
        self.taken.clear(tenant.position());
        self.vacant.set(tenant.position());
        while let Some(None) = self.places.last() {
            self.places.pop();
            self.vacant.clear(self.places.len());
        }
        if self.places.len() < self.places.capacity() / 2 {
            let eighth = self.places.len() / 8;
            self.places.shrink_to(self.places.len() + eighth);
        }
        Some(place)
    }

    /// Whether an eighth is left of the tenants there were: then maps of them should shrink, at a cost
    /// that those who have gone have paid for. Says so once.
    pub(super) fn shrinks(&mut self) -> bool {
        let is_due = 8 * self.tenants.max(PLACES_KEPT) < self.peak;
        if is_due {
            self.peak = self.tenants;
        }
        is_due
    }

    #[inline(always)]
    pub(super) fn get(&self, tenant: Tenant) -> Option<&P> {
        self.places.get(tenant.position())?.as_ref()
    }

    #[inline(always)]
    pub(super) fn get_mut(&mut self, tenant: Tenant) -> Option<&mut P> {
        self.places.get_mut(tenant.position())?.as_mut()
    }

    /// The tenants from a handle on, in the order of their handles.
    pub(super) fn iter_from(&self, position: usize) -> impl Iterator<Item = (Tenant, &P)> {
        let places = self.places.iter().enumerate().skip(position);
        places.filter_map(|(position, place)| Some((Tenant::at(position), place.as_ref()?)))
    }

    /// Moves the hand to the next tenant: who is it?
    pub(super) fn look(&mut self) -> Option<Tenant> {
        let ahead = self.taken.first_from(self.hand);
        let position = ahead.or_else(|| self.taken.first_from(0))?;
        self.hand = position + 1;
        Some(Tenant::at(position))
    }

    /// How many tenants to look at now; none while the table is small.
    pub(super) fn looks(&self) -> usize {
        if self.places.len() > PLACES_KEPT {
            self.looks.min(self.tenants)
        } else {
            0
        }
    }

    /// How many tenants to look at for a newcomer when no handle is free.
    pub(super) fn looks_for_room(&self) -> usize {
        self.tenants.min(LOOKS_FOR_ROOM)
    }

    /// Of so many tenants looked at, so many stay: where most do, it is worth less to look.
    pub(super) const fn looked(&mut self, looks: usize, busy: usize) {
        self.looks = if 2 * busy <= looks {
            LOOKS_MANY
        } else {
            LOOKS_FEW
        };
    }
}
