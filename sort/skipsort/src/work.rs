//! A function that threads call while another waits for them.

use core::ptr;

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
