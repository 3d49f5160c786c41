//! Memory in huge pages, for what is read in random order: with pages of the usual size, finding where a row is takes several
//! times as long as reading it, most of all in a virtual machine.

use std::mem::MaybeUninit;
use std::sync::LazyLock;

/// Bytes of a huge page on most processors. Where they are larger the advice is worth less, and harms nothing.
const HUGE: usize = 2 << 20;

/// Suggests huge pages for memory that nothing was written to yet. Failure is no loss.
pub(crate) fn advise<T>(memory: &mut [MaybeUninit<T>]) {
    let bytes = size_of_val(memory);
    let skip = memory.as_ptr().cast::<u8>().align_offset(HUGE);
    let whole = bytes.saturating_sub(skip) / HUGE * HUGE;
    if whole > 0 {
        // SAFETY: the range lies within `memory`, and the advice changes no content.
        unsafe {
            libc::madvise(memory.as_mut_ptr().cast::<u8>().add(skip).cast(), whole, libc::MADV_HUGEPAGE);
        }
    }
}

/// Memory of a vector that is used before huge pages are worth clearing, bytes.
const SMALL: usize = 4 << 20;

/// Gives memory back whose content is not needed any more: it is zero from now on, or as it was.
pub(crate) fn give_back(memory: &mut [u8]) {
    let skip = memory.as_ptr().align_offset(HUGE);
    let whole = memory.len().saturating_sub(skip) / HUGE * HUGE;
    if whole > 0 {
        // SAFETY: the range lies within `memory`, which is borrowed for writing; of an allocation, which is private and of no file,
        // it becomes zeros, and those are bytes.
        unsafe {
            libc::madvise(memory.as_mut_ptr().add(skip).cast(), whole, libc::MADV_DONTNEED);
        }
    }
}

/// Gives a vector as much address space as it may ever need, so that it need not move when it grows: a quarter of the machine's
/// memory. What is not used takes no memory, unless the system counts address space as if it were used.
pub(crate) fn reserve<T>(vector: &mut Vec<T>) {
    static COUNTED: LazyLock<bool> = LazyLock::new(|| {
        std::fs::read_to_string("/proc/sys/vm/overcommit_memory").is_ok_and(|mode| mode.trim() == "2")
    });
    if *COUNTED {
        return;
    }
    // SAFETY: asks two numbers of the system, or -1 where it does not know.
    let (pages, page) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let memory = usize::try_from(pages).unwrap_or(0).saturating_mul(usize::try_from(page).unwrap_or(0));
    let mut larger = Vec::new();
    // Where that is refused the vector grows as any other.
    if larger.try_reserve_exact(memory / 4 / size_of::<T>()).is_ok() && larger.capacity() > vector.len() {
        let small = SMALL / size_of::<T>();
        if let Some(large) = larger.spare_capacity_mut().get_mut(small..) {
            advise(large);
        }
        larger.append(vector);
        *vector = larger;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_stays_memory() {
        let mut memory = vec![7; 5 * HUGE];
        let (before, rest) = memory.split_at_mut(4 * HUGE - 1);
        give_back(before);
        assert!(before.iter().all(|&byte| byte == 0 || byte == 7) && rest.iter().all(|&byte| byte == 7));
        before.fill(8);
        give_back(&mut rest[..1]);
        assert_eq!((before[0], rest[0]), (8, 7));
    }
}
