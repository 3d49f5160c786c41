//! Memory that is kept from call to call.

use std::alloc::{Layout, alloc};
use std::ptr::{self, NonNull};
use std::sync::{Mutex, MutexGuard, TryLockError};

use skipsort::Scratch;

use crate::status::Failure;

/// `skipsort_scratch` of the header.
///
/// The lock finds calls that use one scratch at the same time; nobody waits for it.
#[derive(Debug)]
pub struct ScratchHandle(Mutex<Scratch>);

impl ScratchHandle {
    /// The memory, unless another call is using it.
    pub(crate) fn lock(&self) -> Result<MutexGuard<'_, Scratch>, Failure> {
        match self.0.try_lock() {
            Ok(scratch) => Ok(scratch),
            // After a stopped sort, for instance: a scratch may be used after a panic.
            Err(TryLockError::Poisoned(scratch)) => Ok(scratch.into_inner()),
            Err(TryLockError::WouldBlock) => Err(Failure::BadArgument),
        }
    }
}

/// A scratch that holds nothing yet; null if there is no memory.
#[unsafe(no_mangle)]
pub extern "C" fn skipsort_scratch_new(most_bytes: usize) -> *mut ScratchHandle {
    let scratch = if most_bytes == 0 { Scratch::new() } else { Scratch::bounded(most_bytes) };
    const LAYOUT: Layout = Layout::new::<ScratchHandle>();
    // SAFETY: a handle has a size.
    let Some(start) = NonNull::new(unsafe { alloc(LAYOUT) }) else { return ptr::null_mut() };
    let handle = start.cast::<ScratchHandle>();
    // SAFETY: the memory was allocated for a handle a moment ago, and nobody else knows it.
    unsafe { handle.write(ScratchHandle(Mutex::new(scratch))) };
    handle.as_ptr()
}

/// Bytes held.
///
/// # Safety
/// `scratch` is null, or from [`skipsort_scratch_new`] and not yet freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn skipsort_scratch_bytes(scratch: *const ScratchHandle) -> usize {
    // SAFETY: not null here, and the caller's word; a handle is only ever shared.
    let handle = unsafe { scratch.as_ref() };
    handle.and_then(|handle| handle.lock().ok()).map_or(0, |scratch| scratch.capacity())
}

/// Frees a scratch.
///
/// # Safety
/// As for [`skipsort_scratch_bytes`], and no call is using it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn skipsort_scratch_free(scratch: *mut ScratchHandle) {
    if !scratch.is_null() {
        // SAFETY: `skipsort_scratch_new` allocated it with the layout of a handle, by the allocator that a box uses, and
        // wrote a handle there; the caller gives it up.
        drop(unsafe { Box::from_raw(scratch) });
    }
}
