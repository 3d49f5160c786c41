//! A function that threads call while another waits for them, and what is left of its panics.

use alloc::boxed::Box;
use core::any::Any;
use core::{mem::forget, ptr};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A function that lives on the stack of the thread that waits for its end.
#[derive(Clone, Copy)]
pub(crate) struct Work {
    function: *const (),
    call: unsafe fn(*const ()),
}

// SAFETY: `new` takes only functions that threads may share (`Sync`), and a `Work` does nothing but call one.
unsafe impl Send for Work {}

impl Work {
    pub(crate) fn new<F: Fn() + Sync>(function: &F) -> Work {
        /// # Safety
        /// `function` is a reference to an `F`.
        unsafe fn call<F: Fn()>(function: *const ()) {
            // SAFETY: the caller's word.
            unsafe { (*function.cast::<F>())() }
        }
        Work { function: ptr::from_ref(function).cast(), call: call::<F> }
    }

    /// # Safety
    /// The function that this was made from is still borrowed.
    pub(crate) unsafe fn call(self) {
        // SAFETY: `new` made both from one function; it is there by the caller's word.
        unsafe { (self.call)(self.function) }
    }
}

/// Drops what a panic carries and nobody will see. That may panic in turn; what this carries is not dropped.
pub(crate) fn discard(panic: Option<Box<dyn Any + Send>>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        forget(again);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn what_panics_when_dropped_is_dropped_once() {
        static DROPS: AtomicUsize = AtomicUsize::new(0);
        struct Again;
        impl Drop for Again {
            fn drop(&mut self) {
                DROPS.fetch_add(1, Ordering::Relaxed);
                std::panic::resume_unwind(Box::new(Again));
            }
        }
        discard(None);
        discard(Some(Box::new(Again)));
        assert_eq!(DROPS.load(Ordering::Relaxed), 1);
    }
}
