//! Where the entries live: one zeroed block, kept between sorts, bounded if you say so.
//!
//! ```text
//!   two buffers   [ entries 16 B/row | scratch 16 B/row ]     fastest, stable
//!   one buffer    [ entries 16 B/row | 512 KiB ]              slower, see the README
//! ```
//!
//! A block of some megabytes is new memory each time it is allocated, and touching new pages is up to
//! a third of the time of sorting short keys. So a [`Scratch`] can be kept, and on Linux the block
//! asks for huge pages.

use alloc::alloc::{alloc_zeroed, dealloc, handle_alloc_error};
use core::alloc::Layout;
use core::ptr::NonNull;

use crate::descent::CHUNK;
use crate::entry::Entry;

/// Bytes per row and buffer.
const ENTRY_BYTES: usize = 16;

/// Working memory of a sort: reusable, and optionally bounded.
///
/// ```
/// let mut scratch = skipsort::Scratch::new();
/// for mut batch in [vec!["b", "a"], vec!["d", "c"]] {
///     skipsort::sort_with(&mut batch, &mut scratch); // allocates for the first batch only
///     assert!(batch.is_sorted());
/// }
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
        if fits(rows) && (!self.one_buffer || small == rows) {
            Plan::TwoBuffers
        } else if fits(small) {
            Plan::OneBuffer
        } else {
            Plan::InPlace
        }
    }

    /// Entries for `rows` rows, and their scratch. Contents are zero or left from before.
    ///
    /// # Safety
    /// All-zero bytes and the leftovers of other handles must be valid for `H`; the caller writes an
    /// entry before using its handle.
    pub(crate) unsafe fn entries<H>(&mut self, rows: usize) -> (&mut [Entry<H>], &mut [Entry<H>]) {
        const { assert!(size_of::<Entry<H>>() <= ENTRY_BYTES && align_of::<Entry<H>>() <= Block::ALIGN) }
        let spare = if self.plan(rows) == Plan::TwoBuffers { rows } else { rows.min(CHUNK) };
        let all = self.block.at_least((rows + spare) * ENTRY_BYTES).cast::<Entry<H>>();
        // SAFETY:
        // 1. The block holds `rows + spare` times `ENTRY_BYTES`, aligned enough for an entry.
        // 2. It is initialised, with zeros or entries of an earlier sort, valid by the caller's word.
        // 3. `&mut self` is borrowed for as long as the slice.
        let all = unsafe { core::slice::from_raw_parts_mut(all.as_ptr(), rows + spare) };
        all.split_at_mut(rows)
    }
}

/// Zeroed or used bytes, never uninitialised.
#[derive(Debug)]
struct Block {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a block owns its memory and has no thread affinity.
unsafe impl Send for Block {}
// SAFETY: a shared block gives no access to its memory.
unsafe impl Sync for Block {}

/// Has the alignment of a block.
#[repr(align(16))]
struct Aligned;

const _: () = assert!(align_of::<Aligned>() == Block::ALIGN);

impl Default for Block {
    fn default() -> Self {
        Block::EMPTY
    }
}

impl Block {
    const ALIGN: usize = 16;
    /// Points nowhere, but aligned like any other: a slice of no entries must be aligned too.
    const EMPTY: Block = Block { start: NonNull::<Aligned>::dangling().cast(), bytes: 0 };

    /// The memory, replaced by a larger one if it does not suffice; the contents do not move along.
    fn at_least(&mut self, bytes: usize) -> NonNull<u8> {
        if self.bytes < bytes {
            *self = Block::EMPTY;
            *self = Block::new(bytes);
        }
        self.start
    }

    fn layout(bytes: usize) -> Layout {
        Layout::from_size_align(bytes, Block::ALIGN).expect("entries fit into the address space")
    }

    fn new(bytes: usize) -> Block {
        let layout = Block::layout(bytes);
        // SAFETY: `bytes` is more than the zero or more that the old block had.
        let start = unsafe { alloc_zeroed(layout) };
        let Some(start) = NonNull::new(start) else { handle_alloc_error(layout) };
        crate::huge_pages::ask(start, bytes);
        Block { start, bytes }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.bytes > 0 {
            // SAFETY: allocated in `new` with this layout.
            unsafe { dealloc(self.start.as_ptr(), Block::layout(self.bytes)) }
        }
    }
}
