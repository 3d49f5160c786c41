//! How to sort, checked.

use std::ffi::c_void;
use std::num::NonZeroUsize;

use skipsort::{Scratch, Sorter};

use crate::scratch::ScratchHandle;
use crate::status::{Failure, check_memory};
use crate::stop::{Stop, Watch};

/// Largest key first.
pub const SKIPSORT_DESCENDING: u32 = 1;
/// Equal keys in any order.
pub const SKIPSORT_UNSTABLE: u32 = 2;

/// More threads are taken for options that were not initialised: the library would start as many as the system gives.
pub(crate) const MOST_THREADS: u32 = 1024;

/// Least bytes of scratch for each row with which rows are not compared in place.
const ENTRY_BYTES: usize = 16;

/// How to sort: `skipsort_options` of the header.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// [`SKIPSORT_DESCENDING`], [`SKIPSORT_UNSTABLE`].
    pub flags: u32,
    /// 0 means 1.
    pub threads: u32,
    /// Null for memory of the call's own.
    pub scratch: *mut ScratchHandle,
    /// Ends the sort.
    pub stop: Option<Stop>,
    /// What it is called with.
    pub context: *mut c_void,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            flags: 0,
            threads: 0,
            scratch: std::ptr::null_mut(),
            stop: None,
            context: std::ptr::null_mut(),
        }
    }
}

/// Options that are checked, and whose pointers can be used.
pub(crate) struct How<'a> {
    flags: u32,
    threads: NonZeroUsize,
    scratch: Option<&'a ScratchHandle>,
    /// What to take keys through, if the sort can be stopped.
    pub(crate) watch: Option<Watch>,
}

impl<'a> How<'a> {
    /// Those of the caller.
    ///
    /// # Safety
    /// For as long as `'a` lasts,
    /// - `options` is null or leads to options that nobody writes to,
    /// - their scratch is null, or from `skipsort_scratch_new` and not freed,
    /// - their callback can be called with their context.
    pub(crate) unsafe fn read(options: *const Options) -> Result<How<'a>, Failure> {
        if !options.is_aligned() {
            return Err(Failure::BadArgument);
        }
        // SAFETY: null, or the caller's word; it is aligned.
        let Options { flags, threads, scratch, stop, context } =
            unsafe { options.as_ref() }.copied().unwrap_or_default();
        let known = flags & !(SKIPSORT_DESCENDING | SKIPSORT_UNSTABLE) == 0;
        let possible = threads <= if stop.is_some() { 1 } else { MOST_THREADS };
        if !known || !possible || !scratch.is_aligned() {
            return Err(Failure::BadArgument);
        }
        Ok(How {
            flags,
            threads: NonZeroUsize::new(threads as usize).unwrap_or(NonZeroUsize::MIN),
            // SAFETY: null, or the caller's word; it is aligned, and a handle is only ever shared.
            scratch: unsafe { scratch.as_ref() },
            // SAFETY: the caller's word.
            watch: stop.map(|stop| unsafe { Watch::new(stop, context) }),
        })
    }

    /// Calls `sort` with a sorter that has the memory for so many rows, if it can be had.
    pub(crate) fn with_sorter(&self, rows: usize, sort: impl FnOnce(Sorter<'_>)) -> Result<(), Failure> {
        match self.scratch {
            Some(handle) => self.with_scratch(rows, &mut *handle.lock()?, sort),
            None => self.with_scratch(rows, &mut Scratch::new(), sort),
        }
    }

    fn with_scratch(
        &self,
        rows: usize,
        scratch: &mut Scratch,
        sort: impl FnOnce(Sorter<'_>),
    ) -> Result<(), Failure> {
        if !scratch.try_reserve(rows) {
            return Err(Failure::NoMemory);
        }
        let unstable = self.flags & SKIPSORT_UNSTABLE != 0;
        let in_place = scratch.capacity() / ENTRY_BYTES < rows;
        if in_place && !unstable {
            check_memory(rows.checked_mul(size_of::<u64>()))?;
        }
        let mut sorter = Sorter::new(scratch).threads(self.threads);
        if self.flags & SKIPSORT_DESCENDING != 0 {
            sorter = sorter.descending();
        }
        if unstable {
            sorter = sorter.unstable();
        }
        sort(sorter);
        Ok(())
    }
}
