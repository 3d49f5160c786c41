//! The block that a [`Scratch`](crate::Scratch) has its memory in.

use alloc::alloc::{alloc_zeroed, dealloc, handle_alloc_error};
use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

/// Memory, the first bytes of which are known to be initialised.
#[derive(Debug)]
pub(crate) struct Block {
    start: NonNull<u8>,
    pub(crate) bytes: usize,
    pub(crate) initialised: usize,
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
    pub(crate) const ALIGN: usize = 16;
    /// Points nowhere, but aligned like any other: a slice of no entries must be aligned too.
    pub(crate) const EMPTY: Block =
        Block { start: NonNull::<Aligned>::dangling().cast(), bytes: 0, initialised: 0 };

    /// The memory, replaced by a larger one if it does not suffice; the contents do not move along. The first `bytes` of
    /// it are initialised.
    pub(crate) fn initialised(&mut self, bytes: usize) -> NonNull<u8> {
        if !self.try_grow(bytes) {
            handle_alloc_error(Block::layout(bytes));
        }
        if let Some(unknown) = bytes.checked_sub(self.initialised) {
            // SAFETY: `initialised + unknown` is `bytes`, so all of it lies within the allocation.
            unsafe { self.start.add(self.initialised).write_bytes(0, unknown) }
            self.initialised = bytes;
        }
        self.start
    }

    /// Replaces the memory by a larger one if it does not suffice; false, and no memory, where there is not that much.
    pub(crate) fn try_grow(&mut self, bytes: usize) -> bool {
        self.try_grow_with(bytes, 0)
    }

    /// The same, of which the first `small` bytes are perhaps all that is used.
    pub(crate) fn try_grow_with(&mut self, bytes: usize, small: usize) -> bool {
        if self.bytes >= bytes {
            return true;
        }
        *self = Block::EMPTY;
        let larger = Block::new(bytes, small);
        let grown = larger.is_some();
        *self = larger.unwrap_or_default();
        grown
    }

    /// The first `bytes`, to write anything to: what is there afterwards counts as not initialised.
    pub(crate) fn anything(&mut self, bytes: usize) -> &mut [MaybeUninit<u8>] {
        assert!(bytes <= self.bytes);
        self.initialised = 0;
        // SAFETY: the allocation holds so many bytes, which need not be initialised, and `self` is borrowed for as long.
        unsafe { core::slice::from_raw_parts_mut(self.start.as_ptr().cast(), bytes) }
    }

    /// # Panics
    /// If no memory is that large.
    fn layout(bytes: usize) -> Layout {
        Layout::from_size_align(bytes, Block::ALIGN).expect("entries fit into the address space")
    }

    /// Of more than no bytes, the first of them in pages of the usual size.
    fn new(bytes: usize, small: usize) -> Option<Block> {
        let layout = Layout::from_size_align(bytes, Block::ALIGN).ok()?;
        // SAFETY: `bytes` is more than the zero or more that the old block had.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        if let Some(rest) = bytes.checked_sub(small) {
            // SAFETY: at most `bytes` behind the start of the allocation.
            crate::huge_pages::ask(unsafe { start.add(small) }, rest);
        }
        Some(Block { start, bytes, initialised: bytes })
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
