//! Address space for the memory of a sort. What a sort has used stays with the process for the next one, marked as free: the system
//! takes it where it needs memory (`MADV_FREE`), and where it does not, no page has to be cleared again.
//!
//! An allocator does as much for the small blocks of other operators, and gives a large block back at once.

use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::{LazyLock, Mutex, PoisonError};

use skipsort::TextRow;

/// What of a sort is there: so that the next one finds pages where it needs them.
#[derive(Clone, Copy)]
pub(crate) enum Use {
    /// Records.
    Text,
    /// Rows of the sort.
    Rows,
    /// Where it moves them.
    Spare,
}

/// Bytes that are used before huge pages are worth clearing.
const SMALL: usize = 4 << 20;

/// Bytes of a huge page on most processors: where they are larger the advice is worth less, and harms nothing.
const HUGE: usize = 2 << 20;

/// Of the machine's memory; less where address space is counted as if it were used, by the system or for the process.
const PART: usize = 2;
const PART_COUNTED: usize = 16;

/// Bytes of as many rows as a sort may have.
const ROWS_MOST: usize = size_of::<TextRow>() << 32;

/// Address space for the memory of a sort: none, where the system refuses all.
pub(crate) struct Space {
    start: NonNull<u8>,
    bytes: usize,
    of: Use,
}

// SAFETY: it owns its memory, as a vector would.
unsafe impl Send for Space {}
// SAFETY: it reads and writes nothing of it.
unsafe impl Sync for Space {}

/// Spaces that no sort has, by their use.
static KEPT: Mutex<[Vec<Space>; 3]> = Mutex::new([const { Vec::new() }; 3]);

impl Space {
    /// One that an earlier sort has left, or a new one.
    pub(crate) fn new(of: Use) -> Self {
        let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner)[of as usize].pop();
        kept.unwrap_or_else(|| Space::mapped(of))
    }

    fn mapped(of: Use) -> Self {
        let most = match of {
            Use::Text => usize::MAX,
            Use::Rows | Use::Spare => ROWS_MOST,
        };
        let mut bytes = most.min(*ADDRESSES) / HUGE * HUGE;
        while bytes > 0 {
            let (read_write, flags) = (
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            );
            // SAFETY: a new mapping, anywhere.
            let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, read_write, flags, -1, 0) };
            if start != libc::MAP_FAILED
                && let Some(start) = NonNull::new(start.cast::<u8>())
            {
                let space = Space { start, bytes, of };
                space.advise(libc::MADV_HUGEPAGE, SMALL, bytes);
                return space;
            }
            // Less, where the process may not have as much.
            bytes = bytes / 2 / HUGE * HUGE;
        }
        Space { start: NonNull::dangling(), bytes: 0, of }
    }

    /// Where it is, and its length in bytes.
    pub(crate) fn memory(&self) -> (NonNull<MaybeUninit<u8>>, usize) {
        (self.start.cast(), self.bytes)
    }

    /// Keeps it for another sort. Of its memory so many bytes were used, the first ones.
    pub(crate) fn leave(self, used: usize) {
        let used = used.next_multiple_of(HUGE).min(self.bytes);
        // One without addresses would be all that later sorts have.
        if self.bytes == 0 || !self.advise(libc::MADV_FREE, 0, used) {
            return;
        }
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = &mut kept[self.of as usize];
        if kept.len() < *PROCESSORS {
            kept.push(self);
        }
    }

    /// Advice for bytes in a range, whose content is not needed; whether the system took it.
    fn advise(&self, advice: i32, from: usize, to: usize) -> bool {
        if from >= to {
            return true;
        }
        // SAFETY: within the mapping.
        unsafe { libc::madvise(self.start.as_ptr().add(from).cast(), to - from, advice) == 0 }
    }
}

impl Drop for Space {
    fn drop(&mut self) {
        if self.bytes > 0 {
            // SAFETY: the mapping that it made, which nobody borrows any more.
            unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
        }
    }
}

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

/// Bytes that a space has addresses for, if there are so many.
static ADDRESSES: LazyLock<usize> = LazyLock::new(|| {
    let mode = std::fs::read_to_string("/proc/sys/vm/overcommit_memory");
    let counted = mode.is_ok_and(|mode| mode.trim() == "2");
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the system writes the limit there.
    let limited = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) } == 0;
    let memory = memory();
    let most = if limited { usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX) } else { usize::MAX };
    (memory / if counted { PART_COUNTED } else { PART }).min(most / PART_COUNTED)
});

/// As many sorts run at once, most of the time.
static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));

/// The machine's memory, bytes.
fn memory() -> usize {
    // SAFETY: asks two numbers of the system, or -1 where it does not know.
    let (pages, page) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    usize::try_from(pages).unwrap_or(0).saturating_mul(usize::try_from(page).unwrap_or(0))
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

    #[test]
    fn a_space_can_be_left_and_had_again() {
        for round in 0..3u8 {
            let space = Space::new(Use::Spare);
            let (start, bytes) = space.memory();
            assert!(bytes >= HUGE);
            // SAFETY: within the space, which nobody else has.
            let memory = unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), HUGE + 1) };
            memory.iter_mut().for_each(|byte| _ = byte.write(round));
            // SAFETY: all were written just now.
            assert!(unsafe { memory.assume_init_ref() }.iter().all(|&byte| byte == round));
            space.leave(HUGE + 1);
        }
    }
}
