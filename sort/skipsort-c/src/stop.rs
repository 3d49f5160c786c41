//! The callback that ends a sort.
//!
//! The sort has no place to ask at, but it asks for keys, and promises that a panic of the key function leaves each row
//! there once. So the key function counts, asks the callback now and then, and unwinds out of the sort.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::panic::resume_unwind;

use skipsort::Bytes;

use crate::rows::Checked;

/// Anything but 0 stops the sort.
pub type Stop = unsafe extern "C" fn(context: *mut c_void) -> c_int;

/// What unwinds out of a sort that is to stop.
pub(crate) struct Stopped;

/// Keys looked at between two calls of the callback: few enough for an answer within half a millisecond if each
/// look waits 100 ns for memory, many enough for the callback to be rare beside them.
const LOOKS: u32 = 1 << 12;

/// A callback with its context.
pub(crate) struct Watch {
    stop: Stop,
    context: *mut c_void,
    left: Cell<u32>,
}

impl Watch {
    /// # Safety
    /// `stop` can be called with `context` for as long as this is there.
    pub(crate) unsafe fn new(stop: Stop, context: *mut c_void) -> Watch {
        Watch { stop, context, left: Cell::new(0) }
    }

    /// The key of a row, unless the sort is to stop.
    pub(crate) fn key<'r>(&self, row: &'r Checked) -> &'r [u8] {
        match self.left.get().checked_sub(1) {
            Some(left) => self.left.set(left),
            None => self.ask(),
        }
        row.bytes()
    }

    /// Asks the callback, and unwinds if it says so. No panic hook runs: nothing is printed.
    #[cold]
    fn ask(&self) {
        self.left.set(LOOKS - 1);
        // SAFETY: whoever made this has vouched for the call.
        if unsafe { (self.stop)(self.context) } != 0 {
            resume_unwind(Box::new(Stopped));
        }
    }
}
