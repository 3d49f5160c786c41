//! Huge pages for large blocks, where the system has them.

use core::ptr::NonNull;

/// Blocks below this many bytes are not worth a system call.
#[cfg(all(feature = "std", target_os = "linux", target_pointer_width = "64", not(miri)))]
const WORTH_ASKING: usize = 4 << 20;

/// Suggests huge pages for the whole pages within a fresh block. Failure is no loss.
pub(crate) fn ask(start: NonNull<u8>, bytes: usize) {
    #[cfg(all(feature = "std", target_os = "linux", target_pointer_width = "64", not(miri)))]
    if bytes >= WORTH_ASKING {
        advise(start, bytes);
    }
    let _ = (start, bytes);
}

#[cfg(all(feature = "std", target_os = "linux", target_pointer_width = "64", not(miri)))]
fn advise(start: NonNull<u8>, bytes: usize) {
    /// Alignment that is a whole number of pages on every architecture Linux runs on.
    const PAGE: usize = 1 << 16;
    /// `MADV_HUGEPAGE` in the kernel's `mman-common.h`.
    const HUGE_PAGE: i32 = 14;
    // SAFETY: the signature that madvise(2) has on 64-bit Linux.
    unsafe extern "C" {
        fn madvise(start: *mut core::ffi::c_void, bytes: usize, advice: i32) -> i32;
    }
    let skip = start.as_ptr().align_offset(PAGE);
    let whole = (bytes - skip) / PAGE * PAGE;
    // SAFETY: the range lies within a live allocation of ours, and the advice changes no content.
    unsafe {
        madvise(start.as_ptr().wrapping_add(skip).cast(), whole, HUGE_PAGE);
    }
}
