//! A hint to the memory system; a no-op where stable Rust offers none.

/// How many rows ahead memory is asked for.
pub(crate) const AHEAD: usize = 16;

/// Asks for the cache line where these bytes begin.
#[inline(always)]
pub(crate) fn line(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching does not access memory architecturally, and SSE is part of every x86-64.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(bytes.as_ptr().cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

/// Asks for all cache lines of these bytes.
#[inline(always)]
pub(crate) fn lines(bytes: &[u8]) {
    const LINE: usize = 64;
    bytes.chunks(LINE).for_each(line);
    line(&bytes[bytes.len()..]);
}
