//! Where the entries live: one block, kept between sorts, bounded if you say so.
//!
//! ```text
//!   two buffers   [ entries 16 B/row | scratch 16 B/row ]     fastest, stable
//!   one buffer    [ entries 16 B/row | 512 KiB ]              slower, see the README
//! ```
//!
//! A block of some megabytes is new memory each time it is allocated, and touching new pages is up to
//! a third of the time of sorting short keys. So a [`Scratch`] can be kept, and on Linux the block
//! asks for huge pages.
//!
//! The block is used in two ways. Entries are integers and pointers, so any initialised bytes are
//! entries; rows of the caller's type may have padding, which is not initialised. So the block knows, as
//! a `Vec` knows its length, up to where it is initialised, and each way of use keeps that true:
//!
//! ```text
//!   fresh, zeroed   [ initialised .................................. ]
//!   entries         [ initialised: zeros, entries of this sort or an earlier one ]
//!   room for rows   [ order: initialised | rows: perhaps not ]          mark moved to the end of the order
//!   entries again   [ initialised        | zeroed again      ]          before anything is read
//! ```

use core::mem::MaybeUninit;

use crate::block::Block;
use crate::buffers::CHUNK;
use crate::entry::{ENTRY_BYTES, Entry, Handle};
use crate::keys::MOST_ROWS;

/// Working memory of a sort: reusable, and optionally bounded.
///
/// ```
/// let mut scratch = skipsort::Scratch::bounded(1 << 20);
/// let mut rows: Vec<String> = (0..1000).rev().map(|row| format!("{row:x}")).collect();
/// skipsort::Sorter::new(&mut scratch).sort(&mut rows);
/// assert!(rows.is_sorted() && scratch.capacity() <= 1 << 20);
/// ```
#[derive(Debug, Default)]
pub struct Scratch {
    block: Block,
    most: Option<usize>,
    one_buffer: bool,
}

/// How entries fit into the memory allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Plan {
    /// Entries and a scratch entry for each.
    TwoBuffers,
    /// Entries and a constant.
    OneBuffer,
    /// Nothing fits: compare in place.
    InPlace,
}

impl Scratch {
    /// Nothing allocated yet, 32 bytes per row when it is.
    pub const fn new() -> Self {
        Scratch { block: Block::EMPTY, most: None, one_buffer: false }
    }

    /// 16 bytes per row and half a MiB, for more time (see the README).
    pub const fn one_buffer() -> Self {
        Scratch { block: Block::EMPTY, most: None, one_buffer: true }
    }

    /// At most `bytes`: two buffers if they fit, else one, else the sort compares keys in place.
    pub const fn bounded(bytes: usize) -> Self {
        Scratch { block: Block::EMPTY, most: Some(bytes), one_buffer: false }
    }

    /// Holds the memory for a sort of so many rows, so that the sort need not allocate it; false where there is not that
    /// much, and nothing is held then. What lists of indices and threads take is beside it.
    ///
    /// ```
    /// let mut scratch = skipsort::Scratch::new();
    /// assert!(scratch.try_reserve(1000) && scratch.capacity() == 32_000);
    /// ```
    #[must_use]
    pub fn try_reserve(&mut self, rows: usize) -> bool {
        if self.plan(rows) == Plan::InPlace {
            return true;
        }
        let entries = rows.checked_add(self.spare(rows));
        entries
            .and_then(|entries| entries.checked_mul(ENTRY_BYTES))
            .is_some_and(|bytes| self.block.try_grow(bytes))
    }

    /// Bytes held for the next sort.
    pub fn capacity(&self) -> usize {
        self.block.bytes
    }

    /// Gives the memory back.
    pub fn clear(&mut self) {
        self.block = Block::EMPTY;
    }

    /// What a sort of so many rows will use.
    pub(crate) fn plan(&self, rows: usize) -> Plan {
        let most = self.most.unwrap_or(usize::MAX);
        let fits = |spare| rows.checked_add(spare).is_some_and(|n| n <= most / ENTRY_BYTES);
        let small = rows.min(CHUNK);
        if rows > MOST_ROWS {
            Plan::InPlace
        } else if fits(rows) && (!self.one_buffer || small == rows) {
            Plan::TwoBuffers
        } else if fits(small) {
            Plan::OneBuffer
        } else {
            Plan::InPlace
        }
    }

    /// Entries for `rows` rows, and their scratch. Contents are zero or left from before.
    pub(crate) fn entries<H: Handle>(&mut self, rows: usize) -> (&mut [Entry<H>], &mut [Entry<H>]) {
        let spare = self.spare(rows);
        self.entries_and_spare(rows, spare)
    }

    /// The same with so many spare entries, whatever the plan says.
    pub(crate) fn entries_and_spare<H: Handle>(
        &mut self,
        rows: usize,
        spare: usize,
    ) -> (&mut [Entry<H>], &mut [Entry<H>]) {
        const { assert!(size_of::<Entry<H>>() == ENTRY_BYTES && align_of::<Entry<H>>() <= Block::ALIGN) }
        let all = self.block.initialised(bytes(rows, spare)).cast::<Entry<H>>();
        // SAFETY:
        // 1. The block holds `rows + spare` times `ENTRY_BYTES`, which `bytes` has counted without overflow, aligned
        //    enough for an entry.
        // 2. It is initialised that far, and any initialised bytes are an entry (`Handle`).
        // 3. `&mut self` is borrowed for as long as the slice.
        let all = unsafe { core::slice::from_raw_parts_mut(all.as_ptr(), rows + spare) };
        all.split_at_mut(rows)
    }

    /// The memory that [`Scratch::entries`] gave for so many rows, their entries at its start: to write anything to.
    pub(crate) fn room(&mut self, rows: usize) -> &mut [MaybeUninit<u8>] {
        let bytes = bytes(rows, self.spare(rows));
        self.block.anything(bytes)
    }

    /// Takes address space for so many entries: few of them may ever be written, and clearing a huge page takes as long as
    /// to sort what fits into a few small ones.
    #[cfg(feature = "parallel")]
    pub(crate) fn reach_for(&mut self, entries: usize) {
        const SMALL: usize = 2 << 20;
        // Where there is not that much, whoever asks for the entries says so.
        let _ = self.block.try_grow_with(bytes(entries, 0), SMALL);
    }

    /// Entries beside those of the rows.
    fn spare(&self, rows: usize) -> usize {
        if self.plan(rows) == Plan::TwoBuffers { rows } else { rows.min(CHUNK) }
    }
}

/// Of so many entries.
///
/// # Panics
/// If no memory is that large.
fn bytes(rows: usize, spare: usize) -> usize {
    let bytes = rows.checked_add(spare).and_then(|entries| entries.checked_mul(ENTRY_BYTES));
    bytes.unwrap_or_else(|| panic!("{rows} rows need more memory than there are addresses"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::RowHandle;

    #[test]
    fn rows_beyond_the_limits_are_sorted_without_entries() {
        let scratch = Scratch::new();
        assert!(scratch.plan(1 << 20) == Plan::TwoBuffers);
        #[cfg(target_pointer_width = "64")]
        assert!(scratch.plan(MOST_ROWS) == Plan::TwoBuffers && scratch.plan(MOST_ROWS + 1) == Plan::InPlace);
        // Rows without a size may be as many.
        assert!(scratch.plan(usize::MAX) == Plan::InPlace);
    }

    #[test]
    fn what_is_not_initialised_is_zeroed_before_it_is_read() {
        let mut scratch = Scratch::new();
        let (main, spare) = scratch.entries::<RowHandle>(3);
        let handle = RowHandle::new(2, 9);
        main.iter_mut().chain(spare).for_each(|entry| *entry = Entry { cache: 7, handle });
        assert!(scratch.entries::<RowHandle>(3).0.iter().all(|entry| entry.cache == 7));
        assert_eq!(scratch.room(3).len(), 6 * ENTRY_BYTES);
        let (main, spare) = scratch.entries::<RowHandle>(2);
        assert!(main.iter().chain(&*spare).all(|entry| entry.cache == 0 && entry.handle.row() == 0));
        // The rest of the block only when it is asked for.
        assert_eq!((scratch.block.initialised, scratch.block.bytes), (4 * ENTRY_BYTES, 6 * ENTRY_BYTES));
        assert!(scratch.entries::<RowHandle>(3).1.iter().all(|entry| entry.cache == 0));
    }

    #[test]
    fn reserved_memory_is_what_a_sort_takes() {
        let one_buffer = Scratch::bounded((2 * CHUNK + 3) * ENTRY_BYTES);
        let cases = [(Scratch::new(), 2 * CHUNK + 4), (one_buffer, 2 * CHUNK + 2), (Scratch::bounded(7), 0)];
        for (mut scratch, held) in cases {
            assert!(
                scratch.try_reserve(CHUNK + 2) && scratch.capacity() == held * ENTRY_BYTES,
                "{scratch:?}"
            );
            assert!(!scratch.block.try_grow(isize::MAX as usize + 1) && scratch.capacity() == 0);
        }
    }

    #[test]
    #[should_panic(expected = "more memory than there are addresses")]
    fn bytes_are_counted_without_overflow() {
        bytes(usize::MAX / ENTRY_BYTES, 1);
    }
}
