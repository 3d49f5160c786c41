//! The guardian's environment, a copy of that of the program. As `after_fork.rs`: system calls and memory of this process only.

/// Overwrites this process's environment, which others can read under /proc: it may hold passwords for running servers
/// (PGPASSWORD), and the guardian needs nothing of it.
///
/// # Safety
/// Nothing in this process may read the environment afterwards.
pub(super) unsafe fn wipe() {
    unsafe extern "C" {
        static environ: *const *mut libc::c_char;
    }
    // SAFETY: the list and its texts end in NUL, and the texts are this copy's own writable memory.
    unsafe {
        let mut each = environ;
        while !each.is_null() && !(*each).is_null() {
            libc::memset((*each).cast(), 0, libc::strlen(*each));
            each = each.add(1);
        }
    }
}
