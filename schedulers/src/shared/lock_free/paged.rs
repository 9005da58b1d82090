//! A table that grows by pages and never moves: an entry, once there, stays until the table is dropped.
//!
//! An index is a page and a place in it. The directory of pages is as long as the largest index
//! needs, 8 bytes for every `PAGE` entries; a page is allocated when somebody needs one of its
//! entries. Reading costs two loads, and no page is ever freed while the table is shared, so nobody
//! has to be protected from that.

use std::ptr;

use crate::sync::sequential::{AtomicPtr, Ordering};

/// Entries by index, in pages of this many.
pub(super) struct Paged<T, const PAGE: usize> {
    /// The first entry of each page, or null.
    directory: Box<[AtomicPtr<T>]>,
    /// Entries in a page: fewer than `PAGE` only where all fit in one.
    page: usize,
    /// Makes an entry of a new page.
    make: fn() -> T,
}

impl<T, const PAGE: usize> Paged<T, PAGE> {
    /// Room for this many entries, none of them allocated.
    pub(super) fn new(entries: usize, make: fn() -> T) -> Self {
        let pages = entries.div_ceil(PAGE);
        Self {
            directory: (0..pages)
                .map(|_| AtomicPtr::new(ptr::null_mut()))
                .collect(),
            page: entries.min(PAGE),
            make,
        }
    }

    /// The entry, if its page is there.
    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<&T> {
        // Acquire pairs with the release in `make_page`: the entries are made before they are seen.
        let page = self.directory.get(index / PAGE)?.load(Ordering::Acquire);
        if page.is_null() || index % PAGE >= self.page {
            return None;
        }
        // SAFETY: a page that is not null is an allocation of that many entries, made by `make_page`,
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
        assert!(index % PAGE < self.page, "the index of an entry");
        let page: Box<[T]> = (0..self.page).map(|_| (self.make)()).collect();
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
                drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(made, self.page)) });
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
            .flat_map(|page| page * PAGE..page * PAGE + self.page)
            .filter_map(|index| Some((index, self.get(index)?)))
    }
}

impl<T, const PAGE: usize> Drop for Paged<T, PAGE> {
    fn drop(&mut self) {
        for page in &self.directory {
            // Relaxed: whoever drops the table has synchronised with all who used it.
            let page = page.load(Ordering::Relaxed);
            if !page.is_null() {
                // SAFETY: made by `make_page` from a box of this many entries; the table is not
                // shared any more.
                drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(page, self.page)) });
            }
        }
    }
}
