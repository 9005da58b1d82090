//! Who is known: looking up, coming and going.

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use dashmap::Entry;

use super::{KeyedJob, SharedKeyed};
use crate::keyed::roster::MOMENTS;
use crate::{SharedFairQueue, Tenant};

/// A tenant, from the time at which its key is first seen until it is let go.
#[derive(Debug)]
pub(super) struct Known<K> {
    pub(super) key: K,
    pub(super) tenant: Tenant,
    /// About how often it had no job left.
    idle_moments: AtomicU32,
}

/// So many hold an idle tenant: the map and the roster.
const HELD_IDLE: usize = 2;
/// As many places are looked at under one lock of the roster.
const LOOKS_LOCKED: usize = 16;
/// As many tenants are visited under one lock of the roster.
const VISITS_LOCKED: usize = 64;

impl<K> Known<K> {
    const fn new(key: K, tenant: Tenant) -> Self {
        Self {
            key,
            tenant,
            idle_moments: AtomicU32::new(0),
        }
    }

    /// One more idle moment: how many there were before. Relaxed, and not one step: it orders nothing,
    /// and a moment that two threads count as one is none the worse.
    fn idle_moment(&self) -> u32 {
        let moments = self.idle_moments.load(Ordering::Relaxed);
        let next = moments.wrapping_add(1);
        self.idle_moments.store(next, Ordering::Relaxed);
        moments
    }
}

impl<K: Hash + Eq + Clone, Q, S: BuildHasher + Clone> SharedKeyed<K, Q, S> {
    pub(super) fn find<B>(&self, key: &B) -> Option<Arc<Known<K>>>
    where
        K: Borrow<B>,
        B: Hash + Eq + ?Sized,
    {
        let known = self.tenants.get(key);
        known.map(|known| Arc::clone(&known))
    }

    /// The tenant of a key. Where there is no room for a new one, one whose handle the queue refuses.
    pub(super) fn known<J, B>(&self, key: &B) -> Arc<Known<K>>
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
        K: Borrow<B>,
        B: Hash + Eq + ToOwned<Owned: Into<K>> + ?Sized,
    {
        self.find(key)
            .unwrap_or_else(|| self.admit(key.to_owned().into()))
    }

    /// Makes a new key known, unless another thread was first.
    #[cold]
    #[inline(never)]
    fn admit<J>(&self, key: K) -> Arc<Known<K>>
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        self.reclaim();
        let settled = self.settle(&key).or_else(|| {
            self.make_room();
            self.settle(&key)
        });
        let Some(newcomer) = settled else {
            let refused = Tenant::new(self.roster.lock().tenants_max());
            return Arc::new(Known::new(key, refused));
        };
        // In the roster first, so that whoever finds it in the map finds it held by both.
        let earlier = match self.tenants.entry(key) {
            Entry::Vacant(vacant) => {
                vacant.insert(Arc::clone(&newcomer));
                None
            }
            Entry::Occupied(occupied) => Some(Arc::clone(occupied.get())),
        };
        let Some(earlier) = earlier else {
            return newcomer;
        };
        self.roster.lock().vacate(newcomer.tenant);
        earlier
    }

    /// Gives a newcomer a handle, if one is free.
    fn settle(&self, key: &K) -> Option<Arc<Known<K>>> {
        let mut roster = self.roster.lock();
        let tenant = roster.free()?;
        let newcomer = Arc::new(Known::new(key.clone(), tenant));
        roster.settle(tenant, Arc::clone(&newcomer));
        Some(newcomer)
    }

    /// Looks for a tenant that can be let go, no handle being free.
    fn make_room<J>(&self)
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        let looks = self.roster.lock().looks_for_room();
        for _ in 0..looks.div_ceil(LOOKS_LOCKED) {
            if self.look(LOOKS_LOCKED).1 > 0 {
                return;
            }
        }
    }

    /// A job of the tenant ended, one way or the other.
    pub(super) fn ended<J>(&self, known: Arc<Known<K>>)
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        let seems_idle = Arc::strong_count(&known) <= HELD_IDLE + 1;
        let is_due = seems_idle && known.idle_moment().is_multiple_of(MOMENTS);
        drop(known);
        if is_due {
            self.reclaim();
        }
    }

    /// Looks at some tenants, and lets those go that can be.
    #[cold]
    #[inline(never)]
    fn reclaim<J>(&self)
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        let looks = self.roster.lock().looks();
        if looks > 0 {
            let (busy, _) = self.look(looks);
            self.roster.lock().looked(looks, busy);
        }
    }

    /// Moves the hand over so many places: how many tenants there are kept, and how many let go.
    fn look<J>(&self, looks: usize) -> (usize, usize)
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        let mut seen = 0;
        let mut idle = Vec::new();
        let mut roster = self.roster.lock();
        for _ in 0..looks {
            if let Some(known) = roster.look().and_then(|tenant| roster.get(tenant)) {
                seen += 1;
                if Arc::strong_count(known) == HELD_IDLE {
                    idle.push(Arc::clone(known));
                }
            }
        }
        drop(roster);
        let gone = idle.iter().filter(|known| self.let_go(known)).count();
        (seen - gone, gone)
    }

    /// Forgets a tenant that only the caller holds beside the map and the roster, if that changes
    /// nothing, and says whether it did.
    pub(super) fn let_go<J>(&self, known: &Arc<Known<K>>) -> bool
    where
        Q: SharedFairQueue<KeyedJob<K, J>>,
    {
        let is_idle = || Arc::strong_count(known) == HELD_IDLE + 1;
        if !is_idle() {
            return false;
        }
        let forgotten = self.tenants.remove_if(&known.key, |_, found| {
            Arc::ptr_eq(found, known) && is_idle() && self.queue.release(known.tenant)
        });
        if forgotten.is_none() {
            return false;
        }
        let mut roster = self.roster.lock();
        let vacated = roster.vacate(known.tenant);
        let shrinks = roster.shrinks();
        drop(roster);
        drop(vacated);
        if shrinks {
            self.tenants.shrink_to_fit();
        }
        true
    }

    pub(super) fn for_each_known(&self, mut visit: impl FnMut(&Arc<Known<K>>)) {
        let mut next = 0;
        loop {
            let batch: Vec<Arc<Known<K>>> = {
                let roster = self.roster.lock();
                let batch = roster.iter_from(next).take(VISITS_LOCKED);
                batch.map(|(_, known)| Arc::clone(known)).collect()
            };
            let Some(last) = batch.last() else {
                return;
            };
            next = last.tenant.position() + 1;
            for known in batch {
                visit(&known);
            }
        }
    }
}
