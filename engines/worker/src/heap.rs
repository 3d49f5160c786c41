//! The heap of a worker, in which its library takes and frees memory.

/// Gives freed memory back to the kernel. glibc's allocator keeps it for its next calls: after a load that is tens of megabytes,
/// which would count for a memory limit as long as the worker lives. Does nothing with another C library, and where another
/// allocator is in front of glibc's.
pub fn give_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it may be called at any time from any thread, and touches only what the allocator holds free (malloc_trim(3)).
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Has all threads share one heap from now on. glibc's allocator gives threads heaps of their own, and what one of them has freed is of
/// no use to another. For a process with one thread, before it starts more. Another allocator stays as it is.
pub fn share() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it changes a number of the allocator's, under the allocator's own lock (mallopt(3)).
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::give_back;

    fn resident_kib() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").expect("status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("VmRSS");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    #[test]
    fn what_was_freed_in_the_middle_of_the_heap_is_given_back() {
        // Below the size of which glibc makes a mapping of its own; every 64th stays, so that the heap cannot shrink at its end.
        let mut blocks: Vec<Option<Vec<u8>>> = (0..8192).map(|_| Some(vec![1_u8; 16 << 10])).collect();
        blocks
            .iter_mut()
            .enumerate()
            .filter(|(place, _)| place % 64 != 0)
            .for_each(|(_, block)| *block = None);
        let held = resident_kib();
        give_back();
        let left = resident_kib();
        assert!(left + 64 * 1024 < held, "{held} KiB were resident, and {left} KiB are");
        drop(blocks);
    }
}
