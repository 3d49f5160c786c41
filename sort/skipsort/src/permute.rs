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
    let room = scratch.plan(rows.len()) == Plan::TwoBuffers;
    if room && fits {
        // SAFETY: the caller's word, for the entries at the start of the room.
        unsafe { gather(rows, scratch.room(rows.len())) }
    } else if room && size_of::<T>() <= MOST_PIECES * PIECE && u32::try_from(rows.len()).is_ok() {
        // SAFETY: as above.
        unsafe { by_pieces(rows, scratch.room(rows.len())) }
    } else {
        cycles(rows, scratch.entries(rows.len()).0);
    }
}

/// Bytes of a row that are gathered at a time, if it is too large to be gathered whole.
const PIECE: usize = 24;

/// Of larger rows each is moved once or twice, along the cycles.
const MOST_PIECES: usize = 8;

/// Rows as columns of some bytes, one column after the other through the room.
///
/// ```text
///   room    [ row numbers, 4 bytes each | a column, 24 bytes of each row ]
/// ```
///
/// # Safety
/// As `gather`.
unsafe fn by_pieces<T>(rows: &mut [T], room: &mut [MaybeUninit<u8>]) {
    let all = rows.len();
    assert!(room.len() == 2 * ENTRY_BYTES * all && PIECE + size_of::<u32>() <= 2 * ENTRY_BYTES);
    let base = room.as_mut_ptr();
    for at in 0..all {
        // SAFETY: `at` is below `all`, so that the entry is in the room, by the caller's word; what has been written over
        // ends at 4 * at, before or where the entry starts.
        let number = unsafe { base.cast::<Entry<RowHandle>>().add(at).read() }.handle.row();
        assert!(number < all);
        // SAFETY: within the room, and aligned as the room is.
        unsafe { base.cast::<u32>().add(at).write(number as u32) }
    }
    // SAFETY: so many numbers have just been written, and nothing below writes to them.
    let order = unsafe { core::slice::from_raw_parts(base.cast::<u32>().cast_const(), all) };
    let column = base.wrapping_add(size_of_val(order));
    let (whole, rest) = (size_of::<T>() / PIECE, size_of::<T>() % PIECE);
    let bytes = rows.as_mut_ptr().cast::<u8>();
    // From here on nothing panics, and every byte of every row is moved to where the row belongs.
    for piece in 0..whole {
        // SAFETY: the piece lies within each row, the order is a permutation whose numbers are below `all`, and the column
        // has room for all pieces behind the order.
        unsafe { move_column::<PIECE>(bytes.add(piece * PIECE), size_of::<T>(), order, column, PIECE) }
    }
    // SAFETY: as above.
    unsafe {
        match rest {
            8 => move_column::<8>(bytes.add(whole * PIECE), size_of::<T>(), order, column, 8),
            16 => move_column::<16>(bytes.add(whole * PIECE), size_of::<T>(), order, column, 16),
            _ => move_column::<0>(bytes.add(whole * PIECE), size_of::<T>(), order, column, rest),
        }
    }
}

/// Moves so many bytes of each row, `stride` bytes apart, through the column; `WIDTH` is `width` or zero.
///
/// # Safety
/// The bytes lie within rows of one allocation, one for each number of `order`, which is a permutation, and the column has
/// room for as many pieces in another.
unsafe fn move_column<const WIDTH: usize>(
    first: *mut u8,
    stride: usize,
    order: &[u32],
    column: *mut MaybeUninit<u8>,
    width: usize,
) {
    let width = if WIDTH == 0 { width } else { WIDTH };
    let column = column.cast::<u8>();
    for (at, row) in order.iter().enumerate() {
        if let Some(next) = order.get(at + AHEAD) {
            prefetch::line(first.wrapping_add(*next as usize * stride));
        }
        // SAFETY: the caller's word; an untyped copy, which keeps what is not initialised so, and pointers whole.
        unsafe {
            core::ptr::copy_nonoverlapping(first.add(*row as usize * stride), column.add(at * width), width);
        }
    }
    for at in 0..order.len() {
        // SAFETY: as above.
        unsafe { core::ptr::copy_nonoverlapping(column.add(at * width), first.add(at * stride), width) }
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
