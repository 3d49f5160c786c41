//! Where the library's memory comes from: the process's own allocator, or functions of the caller.
//!
//! Rust has one allocator for a library, not one for each call. So the functions are for the process, and are set before
//! the library holds any memory: a block goes back to where it came from.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::status::{Failure, fence};

/// Gives a block of so many bytes at a multiple of so many, or null.
pub type Allocate = unsafe extern "C" fn(context: *mut c_void, bytes: usize, alignment: usize) -> *mut c_void;
/// Takes a block back.
pub type Release =
    unsafe extern "C" fn(context: *mut c_void, block: *mut c_void, bytes: usize, alignment: usize);

/// `skipsort_allocator` of the header.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Allocator {
    /// Gives a block.
    pub allocate: Option<Allocate>,
    /// Takes a block back.
    pub release: Option<Release>,
    /// What both are called with.
    pub context: *mut c_void,
}

/// Functions that are there, and what they are called with.
struct Hook {
    allocate: Allocate,
    release: Release,
    context: *mut c_void,
}

// SAFETY: the context is only handed to the functions, and the caller's word is that any thread may call them with it.
unsafe impl Send for Hook {}
// SAFETY: the same, several threads at a time.
unsafe impl Sync for Hook {}

static HOOK: OnceLock<Hook> = OnceLock::new();

/// Blocks that are held.
static BLOCKS: AtomicUsize = AtomicUsize::new(0);

/// The caller's functions if there are some, else the system's.
struct Memory;

#[global_allocator]
static MEMORY: Memory = Memory;

impl Memory {
    /// Counts a block that has been given.
    fn counted(block: *mut u8) -> *mut u8 {
        BLOCKS.fetch_add(usize::from(!block.is_null()), Relaxed);
        block
    }
}

impl Hook {
    /// A block, or null. A block at the wrong address is given back.
    fn allocate(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's word, when these functions were set.
        let block = unsafe { (self.allocate)(self.context, layout.size(), layout.align()) };
        if !block.addr().is_multiple_of(layout.align()) {
            // SAFETY: the block has just been given for this layout.
            unsafe { (self.release)(self.context, block, layout.size(), layout.align()) };
            return ptr::null_mut();
        }
        block.cast()
    }
}

// SAFETY: blocks come from the system's allocator, or from the caller's functions, whose word is that they are as large
// and as aligned as asked for; and go back to where they came from, because the functions are set while no block is held,
// and once. Nothing here unwinds.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Memory::counted(match HOOK.get() {
            Some(hook) => hook.allocate(layout),
            // SAFETY: the caller's word for the layout.
            None => unsafe { System.alloc(layout) },
        })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match HOOK.get() {
            // SAFETY: `block` came from `allocate` of the same hook, with this layout.
            Some(hook) => unsafe {
                (hook.release)(hook.context, block.cast(), layout.size(), layout.align());
            },
            // SAFETY: it came from the system's allocator, with this layout.
            None => unsafe { System.dealloc(block, layout) },
        }
        BLOCKS.fetch_sub(1, Relaxed);
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let Some(hook) = HOOK.get() else {
            // SAFETY: the caller's word for the layout. The system has pages that are zero already.
            return Memory::counted(unsafe { System.alloc_zeroed(layout) });
        };
        let block = hook.allocate(layout);
        if !block.is_null() {
            // SAFETY: the block has so many bytes.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        Memory::counted(block)
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        if HOOK.get().is_none() {
            // SAFETY: the caller's word for the block, its layout and the new size.
            return unsafe { System.realloc(block, layout, bytes) };
        }
        // SAFETY: the caller's word that the new size, rounded up to the alignment, is at most `isize::MAX`.
        let larger = unsafe { Layout::from_size_align_unchecked(bytes, layout.align()) };
        // SAFETY: the caller's word that the new size is not 0.
        let moved = unsafe { self.alloc(larger) };
        if !moved.is_null() {
            // SAFETY: both blocks have so many bytes, and the new one is another.
            unsafe { ptr::copy_nonoverlapping(block, moved, layout.size().min(bytes)) };
            // SAFETY: the block had this layout, and is not used any more.
            unsafe { self.dealloc(block, layout) };
        }
        moved
    }
}

/// Takes the library's memory from the caller's functions from now on.
///
/// # Safety
/// The duties of the caller in `include/skipsort.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn skipsort_use_allocator(allocator: *const Allocator) -> c_int {
    fence(|| {
        if !allocator.is_aligned() {
            return Err(Failure::BadArgument);
        }
        // SAFETY: null, or the caller's word; it is aligned.
        let allocator = unsafe { allocator.as_ref() }.copied();
        let Some(Allocator { allocate: Some(allocate), release: Some(release), context }) = allocator else {
            return Err(Failure::BadArgument);
        };
        if BLOCKS.load(Relaxed) > 0 {
            return Err(Failure::BadArgument);
        }
        HOOK.set(Hook { allocate, release, context }).map_err(|_| Failure::BadArgument)
    })
}
