//! Moving rows to where their entries say.
//!
//! ```text
//!   entries say   2 0 1         row 2 comes first, then 0, then 1
//!   gather        copy rows in that order to spare room, copy back: loads do not wait for each other
//!   cycles        follow 0 <- 2 <- 1 <- 0 with one row in hand: no room needed
//! ```
//!
//! The gather copies rows over the entries that it has read, from the last to the first:
//!
//! ```text
//!   room    [ e0 e1 e2 e3 | ......................... ]      16 bytes of order, 16 of room per row
//!   later   [ e0 e1 | ........ | row for 2 | row for 3 ]     rows of up to 32 bytes stay behind what is not read yet
//! ```

use alloc::vec::Vec;
use core::mem::MaybeUninit;

use crate::entry::{ENTRY_BYTES, Entry};
use crate::how::How;
use crate::index::Index;
use crate::keys::RowHandle;
use crate::memory::{Plan, Scratch};
use crate::prefetch::{self, AHEAD};

/// Rearranges `rows` so that row `i` is the one that the scratch memory's entry `i` names; the entries are lost.
///
/// # Safety
/// The entries that the scratch memory has for so many rows are a permutation: each row's number once.
pub(crate) unsafe fn apply<T>(rows: &mut [T], scratch: &mut Scratch) {
    let fits = size_of::<T>() <= 2 * ENTRY_BYTES && align_of::<T>() <= ENTRY_BYTES;
    if fits && scratch.plan(rows.len()) == Plan::TwoBuffers {
        // SAFETY: the caller's word, for the entries at the start of the room.
        unsafe { gather(rows, scratch.room(rows.len())) }
    } else {
        cycles(rows, scratch.entries(rows.len()).0);
    }
}

/// Through the room, which is two entries per row, at first the order's and then spare ones.
///
/// # Safety
/// The first entries of the room, one for each row, are a permutation.
unsafe fn gather<T>(rows: &mut [T], room: &mut [MaybeUninit<u8>]) {
    let all = rows.len();
    assert!(room.len() == 2 * ENTRY_BYTES * all && size_of::<T>() <= 2 * ENTRY_BYTES);
    assert!(room.as_ptr().addr().is_multiple_of(ENTRY_BYTES) && align_of::<T>() <= ENTRY_BYTES);
    let base = room.as_mut_ptr();
    let order = base.cast::<Entry<RowHandle>>();
    // The last bytes: two entries per row are a multiple of any row's alignment, and so are the rows.
    let place = base.wrapping_add(room.len() - size_of_val(rows)).cast::<MaybeUninit<T>>();
    for at in (0..all).rev() {
        // SAFETY:
        // 1. `at` is below `all`, and so many entries are in the room, by the caller's word.
        // 2. They are still there: what has been overwritten starts at least 32 * (at + 1) bytes into the room, as
        //    `all - at - 1` rows of 32 bytes at most end where it ends. The entries up to this one end before.
        let named = |at: usize| unsafe { order.add(at).read() }.handle.row();
        if let Some(next) = at.checked_sub(AHEAD) {
            prefetch::line(rows.as_ptr().wrapping_add(named(next)).cast());
        }
        let from: *const T = &raw const rows[named(at)];
        // SAFETY: `place` has room for `all` rows, aligned, and `rows` is another allocation.
        unsafe { place.add(at).write(from.cast::<MaybeUninit<T>>().read()) }
    }
    // SAFETY: each row was copied once, as its number is in the order once. Copying them back makes no duplicate and
    // drops none; a panic before (of an index out of bounds) has changed no row.
    unsafe { core::ptr::copy_nonoverlapping(place, rows.as_mut_ptr().cast(), all) }
}

/// In place; visited entries are marked by naming themselves.
fn cycles<T>(rows: &mut [T], order: &mut [Entry<RowHandle>]) {
    for start in 0..rows.len() {
        let mut hole = start;
        loop {
            let from = order[hole].handle.row();
            order[hole].handle = RowHandle::new(hole, 0);
            if from == start {
                break;
            }
            rows.swap(hole, from);
            hole = from;
        }
    }
}

/// When no entry fits into the memory allowed: numbers only, ordered by comparing whole keys, and by number where these are
/// equal.
pub(crate) fn numbers_by_compare<'k, I: Index>(
    rows: usize,
    key: impl Fn(usize) -> &'k [u8],
    how: How,
) -> Vec<I> {
    let mut order: Vec<I> = (0..rows).map(I::from_row).collect();
    order.sort_unstable_by(|a, b| how.compare(key(a.row()), key(b.row())).then(a.cmp(b)));
    order
}

/// An order of rows, in numbers that take as few bytes as they fit into.
pub(crate) enum Order {
    Few(Vec<u32>),
    Many(Vec<usize>),
}

impl Order {
    /// As [`numbers_by_compare`].
    pub(crate) fn by_compare<'k>(rows: usize, key: impl Fn(usize) -> &'k [u8], how: How) -> Self {
        if u32::try_from(rows).is_ok() {
            Order::Few(numbers_by_compare(rows, key, how))
        } else {
            Order::Many(numbers_by_compare(rows, key, how))
        }
    }

    /// Moves row `order[i]` to `i`.
    pub(crate) fn apply<T>(self, rows: &mut [T]) {
        match self {
            Order::Few(order) => follow(rows, order),
            Order::Many(order) => follow(rows, order),
        }
    }
}

/// Swaps along the cycles of the permutation.
fn follow<T, I: Index>(rows: &mut [T], mut order: Vec<I>) {
    for start in 0..rows.len() {
        let mut hole = start;
        while order[hole].row() != start {
            let from = core::mem::replace(&mut order[hole], I::from_row(hole)).row();
            rows.swap(hole, from);
            hole = from;
        }
        order[hole] = I::from_row(hole);
    }
}
