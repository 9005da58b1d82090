//! A table that grows by pages and never moves: an entry, once there, stays until the table is dropped.
//!
//! An index is a page and a place in it. The directory of pages is as long as the largest index
//! needs, 8 bytes for every [`PAGE`] entries; a page is allocated when somebody needs one of its
//! entries. Reading costs two loads, and no page is ever freed while the table is shared, so nobody
//! has to be protected from that.

use std::ptr;

use crate::sync::atomic::{AtomicPtr, Ordering};

/// Entries in a page: a kilobyte of words.
#[cfg(not(loom))]
const PAGE: usize = 128;
#[cfg(loom)]
const PAGE: usize = 2;

/// Entries by index, each made by `T::default` with its page.
pub(super) struct Paged<T> {
    /// The first entry of each page, or null.
    directory: Box<[AtomicPtr<T>]>,
    /// Makes an entry of a new page.
    make: fn() -> T,
}

impl<T> Paged<T> {
    /// Room for this many entries, none of them allocated.
    pub(super) fn new(entries: usize, make: fn() -> T) -> Self {
        let pages = entries.div_ceil(PAGE);
        Self {
            directory: (0..pages)
                .map(|_| AtomicPtr::new(ptr::null_mut()))
                .collect(),
            make,
        }
    }

    /// The entry, if its page is there.
    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<&T> {
        // Acquire pairs with the release in `make_page`: the entries are made before they are seen.
        let page = self.directory.get(index / PAGE)?.load(Ordering::Acquire);
        if page.is_null() {
            return None;
        }
        // SAFETY: a page that is not null is an allocation of `PAGE` entries, made by `make_page`,
        // which only `drop` frees.
        Some(unsafe { &*page.add(index % PAGE) })
    }

    /// The entry, whose page is allocated if need be.
    ///
    /// # Panics
    ///
    /// If the index is beyond what the table was made for.
    #[inline]
    pub(super) fn get_or_make(&self, index: usize) -> &T {
        match self.get(index) {
            Some(entry) => entry,
            None => self.make_page(index),
        }
    }

    #[cold]
    #[inline(never)]
    fn make_page(&self, index: usize) -> &T {
        let page: Box<[T]> = (0..PAGE).map(|_| (self.make)()).collect();
        let made = Box::into_raw(page).cast::<T>();
        let place = &self.directory[index / PAGE];
        // Release pairs with the acquire in `get`. Acquire: another's page may be there already.
        let page = match place.compare_exchange(
            ptr::null_mut(),
            made,
            Ordering::AcqRel,
            Ordering::Acquire,
        ) {
            Ok(_) => made,
            Err(others) => {
                // SAFETY: `made` came from a box above, and nobody else has seen it.
                drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(made, PAGE)) });
                others
            }
        };
        // SAFETY: as in `get`.
        unsafe { &*page.add(index % PAGE) }
    }

    /// Every entry whose page is there, with its index.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        (0..self.directory.len())
            .filter(|&page| self.get(page * PAGE).is_some())
            .flat_map(|page| page * PAGE..(page + 1) * PAGE)
            .filter_map(|index| Some((index, self.get(index)?)))
    }
}

impl<T> Drop for Paged<T> {
    fn drop(&mut self) {
        for page in &self.directory {
            // Relaxed: whoever drops the table has synchronised with all who used it.
            let page = page.load(Ordering::Relaxed);
            if !page.is_null() {
                // SAFETY: made by `make_page` from a box of this many entries; the table is not
                // shared any more.
                drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(page, PAGE)) });
            }
        }
    }
}
