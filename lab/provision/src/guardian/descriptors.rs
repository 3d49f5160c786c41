//! The guardian's descriptors, copies of those of the process that forked. As `after_fork.rs`: system calls only.

/// Closes every descriptor but two: the standard library's exec-status pipe above all, or `spawn` would wait for
/// ever, and other guards' lifelines, or those would not end with humdrum. A negative one is none.
///
/// # Safety
/// Nothing in this process may use a descriptor afterwards, but for `kept`.
pub(super) unsafe fn close_all_but(kept: [i32; 2]) {
    let mut bounds = [kept[0].min(kept[1]), kept[0].max(kept[1])];
    if bounds[0] < 0 {
        bounds[0] = bounds[1];
    }
    let [low, high] = bounds.map(|fd| fd as libc::c_uint);
    // SAFETY: the caller's promise; the calls take integers.
    unsafe {
        let close = |first: libc::c_uint, last: libc::c_uint| {
            first > last || libc::syscall(libc::SYS_close_range, first, last, 0) == 0
        };
        let below = low == 0 || close(0, low - 1);
        let between = high == 0 || close(low + 1, high - 1);
        if below && between && close(high + 1, libc::c_uint::MAX) {
            return;
        }
        // Before Linux 5.9: one by one, as far as a process may have descriptors by default.
        for fd in (0..65_536).filter(|fd| !kept.contains(fd)) {
            libc::close(fd);
        }
    }
}
