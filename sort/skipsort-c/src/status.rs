//! Codes that functions return, and the fence that no panic passes.

use std::ffi::{CStr, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::stop::Stopped;

/// Done.
pub const SKIPSORT_OK: c_int = 0;
/// The memory that the call needs could not be had.
pub const SKIPSORT_NO_MEMORY: c_int = 1;
/// An argument that cannot be right.
pub const SKIPSORT_BAD_ARGUMENT: c_int = 2;
/// The library has a bug.
pub const SKIPSORT_PANIC: c_int = 3;
/// A callback asked to stop.
pub const SKIPSORT_STOPPED: c_int = 4;
/// A file of a sorter could not be written or read.
pub const SKIPSORT_STORAGE: c_int = 5;
/// There is no row left.
pub const SKIPSORT_END: c_int = 6;

/// What a call ends with if it does not do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    NoMemory,
    BadArgument,
    Panic,
    Stopped,
    Storage,
    End,
}

impl Failure {
    fn code(self) -> c_int {
        match self {
            Failure::NoMemory => SKIPSORT_NO_MEMORY,
            Failure::BadArgument => SKIPSORT_BAD_ARGUMENT,
            Failure::Panic => SKIPSORT_PANIC,
            Failure::Stopped => SKIPSORT_STOPPED,
            Failure::Storage => SKIPSORT_STORAGE,
            Failure::End => SKIPSORT_END,
        }
    }
}

/// Runs the body of a function that C calls.
///
/// What a panic carries is leaked, because dropping it could panic again. `Stopped` has no size, so that a stopped sort
/// leaks nothing.
pub(crate) fn fence(body: impl FnOnce() -> Result<(), Failure>) -> c_int {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => SKIPSORT_OK,
        Ok(Err(failure)) => failure.code(),
        Err(panic) => {
            let stopped = panic.is::<Stopped>();
            std::mem::forget(panic);
            if stopped { SKIPSORT_STOPPED } else { SKIPSORT_PANIC }
        }
    }
}

/// Fails unless so many bytes can be had at the moment.
pub(crate) fn check_memory(bytes: Option<usize>) -> Result<(), Failure> {
    let mut probe: Vec<u8> = Vec::new();
    probe.try_reserve_exact(bytes.ok_or(Failure::NoMemory)?).map_err(|_| Failure::NoMemory)
}

/// What a code means.
#[unsafe(no_mangle)]
pub extern "C" fn skipsort_strerror(status: c_int) -> *const c_char {
    let meaning: &'static CStr = match status {
        SKIPSORT_OK => c"done",
        SKIPSORT_NO_MEMORY => c"not enough memory",
        SKIPSORT_BAD_ARGUMENT => c"an argument cannot be right; skipsort.h lists what is checked",
        SKIPSORT_PANIC => c"a bug in skipsort; the standard error output has a message to report",
        SKIPSORT_STOPPED => c"stopped by a callback",
        SKIPSORT_STORAGE => {
            c"a file of the sorter could not be written or read; skipsort_sorter_message has more"
        }
        SKIPSORT_END => c"no row is left",
        _ => c"not a status of skipsort",
    };
    meaning.as_ptr()
}

/// The version of the library.
#[unsafe(no_mangle)]
pub extern "C" fn skipsort_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Panics again when it is dropped.
    struct Grenade;

    impl Drop for Grenade {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }

    #[test]
    fn no_panic_passes_the_fence() {
        assert_eq!(fence(|| panic!("a bug")), SKIPSORT_PANIC);
        assert_eq!(fence(|| std::panic::panic_any(Grenade)), SKIPSORT_PANIC);
        assert_eq!(fence(|| std::panic::resume_unwind(Box::new(Stopped))), SKIPSORT_STOPPED);
        assert_eq!(fence(|| Ok(())), SKIPSORT_OK);
    }

    #[test]
    fn memory_that_cannot_be_had_is_a_failure() {
        assert_eq!(check_memory(None), Err(Failure::NoMemory));
        assert_eq!(check_memory(Some(usize::MAX)), Err(Failure::NoMemory));
        assert_eq!(check_memory(Some(1 << 10)), Ok(()));
    }
}
