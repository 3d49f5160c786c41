//! A hint to the memory system; a no-op where stable Rust offers none.

/// How many rows ahead keys are asked for. Paths gain 4 % from 16 to 32, and nothing from there to 48.
pub(crate) const AHEAD: usize = 32;

/// Asks for the cache line that holds `address`, which need not be valid.
#[inline(always)]
pub(crate) fn line(address: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: prefetching does not access memory architecturally; any address is allowed. SSE is part
    // of the x86-64 baseline.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = address;
}
