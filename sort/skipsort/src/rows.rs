//! Sorting rows in place.

use crate::buffers::Buffers;
use crate::bytes::Bytes;
use crate::descent::{Agenda, Descent};
use crate::entry::Entry;
use crate::keys::{Indexed, Keys, RowHandle};
use crate::memory::{Plan, Scratch};
use crate::{permute, presorted};

/// Up to this many rows the standard library is faster, or as fast: nothing has to be set up. Measured
/// on URLs; random bytes would gain from 64 on.
pub(crate) const FEW: usize = if crate::TINY { 24 } else { 128 };

/// Sorts rows if they are few, and says so. Asked before there is any memory to give back, which of two rows would be a
/// sixth of the time.
#[inline]
fn few<T>(rows: &mut [T], key: impl Fn(&T) -> &[u8], stable: bool) -> bool {
    let few = rows.len() <= FEW;
    match stable {
        _ if !few => {}
        true => rows.sort_by(|a, b| key(a).cmp(key(b))),
        false => rows.sort_unstable_by(|a, b| key(a).cmp(key(b))),
    }
    few
}

/// What is for many rows, out of the way of few: they need none of its stack.
#[inline(never)]
fn many(sort: impl FnOnce()) {
    sort();
}

/// Sorts rows by their bytes; equal rows in any order.
///
/// O(n + D) for any input, D being the bytes that must be read to tell the keys apart; 32 bytes of
/// memory per row, taken and given back (see [`sort_with`]). If [`Bytes::bytes`] panics, more than 128
/// rows are as they were, fewer in some order.
///
/// ```
/// let mut words = ["pear", "apple", "fig"];
/// skipsort::sort(&mut words);
/// assert_eq!(words, ["apple", "fig", "pear"]);
/// ```
#[inline]
pub fn sort<T: Bytes>(rows: &mut [T]) {
    if !few(rows, T::bytes, false) {
        many(|| sort_with(rows, &mut Scratch::new()));
    }
}

/// [`sort`] with memory that is kept, or bounded.
pub fn sort_with<T: Bytes>(rows: &mut [T], scratch: &mut Scratch) {
    if few(rows, T::bytes, false) || presorted::done(rows, T::bytes, false) {
        return;
    }
    if scratch.plan(rows.len()) == Plan::InPlace {
        return rows.sort_unstable_by(|a, b| a.bytes().cmp(b.bytes()));
    }
    if !packed::sort(rows, scratch) {
        indexed(rows, T::bytes, scratch, false);
    }
}

/// Sorts rows by a key that is part of them; rows with equal keys in any order.
///
/// # Panics
/// If `key` does; and perhaps if it gives different answers for the same row. No row is lost.
///
/// ```
/// let mut people = [("Ada", 1815), ("Grace", 1906), ("Alan", 1912)];
/// skipsort::sort_by_key(&mut people, |person| person.0.as_bytes());
/// assert_eq!(people.map(|person| person.0), ["Ada", "Alan", "Grace"]);
/// ```
#[inline]
pub fn sort_by_key<T>(rows: &mut [T], key: impl Fn(&T) -> &[u8]) {
    if !few(rows, &key, false) {
        many(|| sort_by_key_with(rows, key, &mut Scratch::new()));
    }
}

/// [`sort_by_key`] with memory that is kept, or bounded.
pub fn sort_by_key_with<T>(rows: &mut [T], key: impl Fn(&T) -> &[u8], scratch: &mut Scratch) {
    if rows.len() <= FEW || scratch.plan(rows.len()) == Plan::InPlace {
        return rows.sort_unstable_by(|a, b| key(a).cmp(key(b)));
    }
    if !presorted::done(rows, &key, false) {
        indexed(rows, key, scratch, false);
    }
}

/// [`sort`], with equal rows in their old order.
#[inline]
pub fn sort_stable<T: Bytes>(rows: &mut [T]) {
    if !few(rows, T::bytes, true) {
        many(|| sort_stable_with(rows, &mut Scratch::new()));
    }
}

/// [`sort_stable`] with memory that is kept, or bounded; below 16 bytes per row it is 4 or 8.
pub fn sort_stable_with<T: Bytes>(rows: &mut [T], scratch: &mut Scratch) {
    if few(rows, T::bytes, true) || presorted::done(rows, T::bytes, true) {
        return;
    }
    if scratch.plan(rows.len()) != Plan::TwoBuffers || !packed::sort(rows, scratch) {
        indexed(rows, T::bytes, scratch, true);
    }
}

/// [`sort_by_key`], with rows of equal keys in their old order.
#[inline]
pub fn sort_stable_by_key<T>(rows: &mut [T], key: impl Fn(&T) -> &[u8]) {
    if !few(rows, &key, true) {
        many(|| sort_stable_by_key_with(rows, key, &mut Scratch::new()));
    }
}

/// [`sort_stable_by_key`] with memory that is kept, or bounded; below 16 bytes per row it is 4 or 8.
pub fn sort_stable_by_key_with<T>(rows: &mut [T], key: impl Fn(&T) -> &[u8], scratch: &mut Scratch) {
    if !few(rows, &key, true) && !presorted::done(rows, &key, true) {
        indexed(rows, key, scratch, true);
    }
}

/// Sorts entries that know their row's number, then moves the rows.
fn indexed<T>(rows: &mut [T], key_of: impl Fn(&T) -> &[u8], scratch: &mut Scratch, stable: bool) {
    if scratch.plan(rows.len()) == Plan::InPlace {
        return permute::by_compare(rows, key_of);
    }
    let (main, spare) = scratch.entries(rows.len());
    order(&Indexed { rows: &*rows, key_of }, main, spare, stable);
    // SAFETY: `order` has filled the entries with each row's number once, and moved them among their places since.
    unsafe { permute::apply(rows, scratch) }
}

/// Fills `main` with the rows of `keys` in order.
pub(crate) fn order<T, F: Fn(&T) -> &[u8]>(
    keys: &Indexed<'_, T, F>,
    main: &mut [Entry<RowHandle>],
    spare: &mut [Entry<RowHandle>],
    stable: bool,
) {
    fill(keys, main);
    let one_buffer = spare.len() < main.len();
    let agenda = Agenda::new(main.len());
    Descent::new(keys, Buffers::new(main, spare), agenda).run();
    if stable && one_buffer {
        restore_order_of_equals(keys, main);
    }
}

/// Handles for all rows.
pub(crate) fn fill<T, F: Fn(&T) -> &[u8]>(keys: &Indexed<'_, T, F>, main: &mut [Entry<RowHandle>]) {
    for (number, (row, entry)) in keys.rows.iter().zip(main).enumerate() {
        *entry = Entry { cache: 0, handle: RowHandle::new(number, (keys.key_of)(row).len()) };
    }
}

/// The in-place distribution is not stable: put equal keys back in row order.
fn restore_order_of_equals<K: Keys<Handle = RowHandle>>(keys: &K, main: &mut [Entry<RowHandle>]) {
    let equal = |a: &Entry<RowHandle>, b: &Entry<RowHandle>| {
        keys.len(a.handle) == keys.len(b.handle) && keys.key(a.handle) == keys.key(b.handle)
    };
    for run in main.chunk_by_mut(equal) {
        if !run.is_sorted_by_key(|entry| entry.handle.row()) {
            run.sort_unstable_by_key(|entry| entry.handle.row());
        }
    }
}

/// Rows that are nothing but a borrowed key: one step from entry to key, and the rows are rebuilt.
#[cfg(target_pointer_width = "64")]
pub(crate) mod packed {
    use super::*;
    use crate::keys::{Packed, PackedKeys};
    #[cfg(feature = "parallel")]
    use crate::{crew::Crew, parallel};

    /// Sorts and says so, or leaves everything alone.
    pub(crate) fn sort<T: Bytes>(rows: &mut [T], scratch: &mut Scratch) -> bool {
        let Some(rebuild) = T::rebuild().0 else {
            return false;
        };
        let (main, spare) = scratch.entries::<Packed<'_>>(rows.len());
        if !fill(rows, main) {
            return false;
        }
        // SAFETY: `fill` has written all entries of `main`.
        let keys = unsafe { PackedKeys::new() };
        let agenda = Agenda::new(main.len());
        Descent::new(&keys, Buffers::new(main, spare), agenda).run();
        for (row, entry) in rows.iter_mut().zip(&*main) {
            // SAFETY: `fill` made the handle of a row of this very slice, of type `T`. A `T` that can be rebuilt is a
            // shared reference, so overwriting one loses nothing, and the key it leads to is not in `rows`.
            *row = unsafe { rebuild(entry.handle.get()) };
        }
        true
    }

    /// The same on several threads.
    #[cfg(feature = "parallel")]
    pub(crate) fn par_sort<T: Bytes + Send + Sync>(
        rows: &mut [T],
        scratch: &mut Scratch,
        crew: &mut Crew<'_>,
    ) -> bool {
        let Some(rebuild) = T::rebuild().0 else {
            return false;
        };
        let (main, spare) = scratch.entries::<Packed<'_>>(rows.len());
        let part_of = |start: usize, len: usize| &rows[start..start + len];
        let filled = crew.stretches(main, |start, part| fill(part_of(start, part.len()), part));
        if filled.contains(&false) {
            return false;
        }
        // SAFETY: `fill` has written all entries of `main`, stretch by stretch.
        let keys = unsafe { PackedKeys::new() };
        parallel::descend(&keys, main, spare, crew);
        let main = &*main;
        crew.stretches(rows, |start, part| {
            for (row, entry) in part.iter_mut().zip(&main[start..]) {
                // SAFETY: as in `sort`; the stretches do not overlap.
                *row = unsafe { rebuild(entry.handle.get()) };
            }
        });
        true
    }

    /// Handles for all rows; false if one does not fit.
    fn fill<'k, T: Bytes>(rows: &[T], main: &mut [Entry<Packed<'k>>]) -> bool {
        for (row, entry) in rows.iter().zip(main) {
            let key: *const [u8] = row.bytes();
            // SAFETY: a `T` that can be rebuilt is a `&'a [u8]` or `&'a str`; its key lives for `'a`, which
            // outlives the sort, and is not borrowed from the row itself.
            let Some(handle) = Packed::new(unsafe { &*key }) else {
                return false;
            };
            *entry = Entry { cache: 0, handle };
        }
        true
    }
}

/// Without spare address bits there is no packed handle.
#[cfg(not(target_pointer_width = "64"))]
pub(crate) mod packed {
    use super::*;

    pub(crate) fn sort<T: Bytes>(_: &mut [T], _: &mut Scratch) -> bool {
        false
    }

    #[cfg(feature = "parallel")]
    pub(crate) fn par_sort<T: Bytes>(_: &mut [T], _: &mut Scratch, _: &mut crate::crew::Crew<'_>) -> bool {
        false
    }
}
