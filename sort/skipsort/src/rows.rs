//! Sorting rows in place, on one thread.
//!
//! ```text
//!   few, or in order already          the standard library, a pass (presorted.rs)
//!   rows are borrowed keys            entries lead to the keys, rows are made again from them (packed.rs)
//!   any others                        entries lead to the rows, which are moved at the end (permute.rs)
//!   no memory for entries             compare rows, in place
//! ```
//!
//! Descending order is ascending order of the rows read from their end, read from its end: equal rows are turned round
//! twice, so that it is stable too.

use alloc::vec::Vec;

use crate::agenda::Agenda;
use crate::buffers::Buffers;
use crate::bytes::Bytes;
use crate::compact::Compact;
use crate::descent::Descent;
use crate::entry::Entry;
use crate::how::How;
use crate::keys::{Indexed, Keys, RowHandle};
use crate::memory::{Plan, Scratch};
use crate::permute::Order;
use crate::{packed, permute, presorted};

/// Up to this many rows the standard library is faster, or as fast: nothing has to be set up. Measured
/// on URLs; random bytes would gain from 64 on.
pub(crate) const FEW: usize = if crate::TINY { 24 } else { 128 };

/// Sorts rows if they are few, and says so. Asked before there is any memory to give back, which of two rows would be a
/// sixth of the time.
#[inline]
pub(crate) fn few<T>(rows: &mut [T], key: impl Fn(&T) -> &[u8], how: How) -> bool {
    let few = rows.len() <= FEW;
    match how.stable {
        _ if !few => {}
        true => rows.sort_by(|a, b| how.compare(key(a), key(b))),
        false => rows.sort_unstable_by(|a, b| how.compare(key(a), key(b))),
    }
    few
}

/// What is for many rows, out of the way of few: they need none of its stack.
#[inline(never)]
pub(crate) fn many(sort: impl FnOnce()) {
    sort();
}

/// Sorts rows by their bytes.
pub(crate) fn sort<T: Bytes>(rows: &mut [T], scratch: &mut Scratch, how: How) {
    if few(rows, T::bytes, how) || presorted::done(rows, T::bytes, how) {
        return;
    }
    let packs = match scratch.plan(rows.len()) {
        Plan::TwoBuffers => true,
        // In one buffer equal keys lose their order, and packed handles do not know it.
        Plan::OneBuffer => !how.stable,
        Plan::InPlace => false,
    };
    if !packs || !packed::sort(rows, scratch, how) {
        indexed(rows, T::bytes, scratch, how);
    }
}

/// Sorts rows by a key in them.
pub(crate) fn sort_by_key<T>(rows: &mut [T], key: impl Fn(&T) -> &[u8], scratch: &mut Scratch, how: How) {
    if !few(rows, &key, how) && !presorted::done(rows, &key, how) {
        indexed(rows, key, scratch, how);
    }
}

/// Sorts rows by keys that are made for each of them once.
pub(crate) fn sort_by_cached_key<T, K: Bytes>(
    rows: &mut [T],
    key: impl FnMut(&T) -> K,
    scratch: &mut Scratch,
    how: How,
) {
    let keys: Vec<K> = rows.iter().map(key).collect();
    if scratch.plan(rows.len()) == Plan::InPlace {
        return Order::by_compare(rows.len(), |row| keys[row].bytes(), how).apply(rows);
    }
    let (main, spare) = scratch.entries(rows.len());
    order(&Indexed { rows: &keys, key_of: K::bytes }, main, spare, how);
    // SAFETY: there are as many keys as rows, and `order` has filled the entries with each number once, and moved them
    // among their places since.
    unsafe { permute::apply(rows, scratch) }
}

/// Sorts entries that know their row's number, then moves the rows.
fn indexed<T>(rows: &mut [T], key_of: impl Fn(&T) -> &[u8], scratch: &mut Scratch, how: How) {
    if scratch.plan(rows.len()) == Plan::InPlace {
        return in_place(rows, key_of, how);
    }
    let (main, spare) = scratch.entries(rows.len());
    order(&Indexed { rows: &*rows, key_of }, main, spare, how);
    // SAFETY: `order` has filled the entries with each row's number once, and moved them among their places since.
    unsafe { permute::apply(rows, scratch) }
}

/// Without entries: a stable sort needs numbers for its rows.
fn in_place<T>(rows: &mut [T], key_of: impl Fn(&T) -> &[u8], how: How) {
    if !how.stable {
        return rows.sort_unstable_by(|a, b| how.compare(key_of(a), key_of(b)));
    }
    Order::by_compare(rows.len(), |row| key_of(&rows[row]), how).apply(rows);
}

/// Fills `main` with the rows of `keys` in order.
pub(crate) fn order<T, F: Fn(&T) -> &[u8]>(
    keys: &Indexed<'_, T, F>,
    main: &mut [Entry<RowHandle>],
    spare: &mut [Entry<RowHandle>],
    how: How,
) {
    // SAFETY: `main` is all that is sorted, and the sort reads no entry of its other buffer that it has not copied there.
    if let Some(compact) = unsafe { Compact::fill(keys, main, how.descending) } {
        descend(&compact, main, spare, how, |handle| compact.row(handle));
        main.iter_mut().for_each(|entry| entry.handle = RowHandle::new(compact.row(entry.handle), 0));
    } else {
        fill(keys, main, how.descending);
        descend(keys, main, spare, how, RowHandle::row);
    }
}

/// Sorts filled entries.
fn descend<K: Keys<Handle = RowHandle>>(
    keys: &K,
    main: &mut [Entry<RowHandle>],
    spare: &mut [Entry<RowHandle>],
    how: How,
    row: impl Fn(RowHandle) -> usize,
) {
    let one_buffer = spare.len() < main.len();
    let agenda = Agenda::new(main.len());
    Descent::new(keys, Buffers::new(main, spare), agenda).run();
    if how.descending {
        main.reverse();
    }
    if how.stable && one_buffer {
        restore_order_of_equals(keys, main, row);
    }
}

/// Handles for all rows, from the last to the first if `reversed`.
pub(crate) fn fill<T, F: Fn(&T) -> &[u8]>(
    keys: &Indexed<'_, T, F>,
    main: &mut [Entry<RowHandle>],
    reversed: bool,
) {
    let entry = |(number, row): (usize, &T)| Entry {
        cache: 0,
        handle: RowHandle::new(number, (keys.key_of)(row).len()),
    };
    let numbered = keys.rows.iter().enumerate().map(entry);
    if reversed {
        main.iter_mut().rev().zip(numbered).for_each(|(place, entry)| *place = entry);
    } else {
        main.iter_mut().zip(numbered).for_each(|(place, entry)| *place = entry);
    }
}

/// The in-place distribution is not stable: put equal keys back in row order.
fn restore_order_of_equals<K: Keys<Handle = RowHandle>>(
    keys: &K,
    main: &mut [Entry<RowHandle>],
    row: impl Fn(RowHandle) -> usize,
) {
    let equal = |a: &Entry<RowHandle>, b: &Entry<RowHandle>| {
        keys.len(a.handle) == keys.len(b.handle) && keys.key(a.handle) == keys.key(b.handle)
    };
    for run in main.chunk_by_mut(equal) {
        if !run.is_sorted_by_key(|entry| row(entry.handle)) {
            run.sort_unstable_by_key(|entry| row(entry.handle));
        }
    }
}
