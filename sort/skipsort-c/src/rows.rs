//! Arrays of the caller as slices, checked.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::slice;

use skipsort::Bytes;

use crate::status::Failure;

/// One row: `skipsort_row` of the header.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Where the key is; may be null if it has no bytes.
    pub key: *const c_void,
    /// Bytes of the key.
    pub length: usize,
    /// The caller's own.
    pub payload: u64,
}

/// A row the key of which can be read.
///
/// Its `length` bytes are readable, nobody writes to them while the row is borrowed, and [`check`] has passed it.
#[repr(transparent)]
pub(crate) struct Checked(Row);

// SAFETY: a row is three numbers, and what its key leads to is only read, while nobody writes there.
unsafe impl Send for Checked {}
// SAFETY: as above; a shared row cannot be written.
unsafe impl Sync for Checked {}

impl Checked {
    /// The row as it came.
    pub(crate) fn row(&self) -> Row {
        self.0
    }
}

impl Bytes for Checked {
    fn bytes(&self) -> &[u8] {
        if self.0.length == 0 {
            return &[];
        }
        // SAFETY: `check` has seen that the pointer is not null and the length at most `isize::MAX`; the rest is what a
        // checked row is. Bytes are always aligned.
        unsafe { slice::from_raw_parts(self.0.key.cast(), self.0.length) }
    }
}

/// Whether so many bytes can be a slice.
fn possible(start: *const c_void, length: usize) -> bool {
    length == 0 || (!start.is_null() && length <= isize::MAX as usize)
}

/// Bytes of the caller, if they can be a slice.
///
/// # Safety
/// The `length` bytes at `start` are readable, and nobody writes to them for as long as `'a` lasts.
#[cfg(target_os = "linux")]
pub(crate) unsafe fn bytes<'a>(start: *const c_void, length: usize) -> Option<&'a [u8]> {
    if length == 0 {
        return Some(&[]);
    }
    // SAFETY: neither null nor too long; the rest is the caller's word. Bytes are always aligned.
    possible(start, length).then(|| unsafe { slice::from_raw_parts(start.cast(), length) })
}

/// Fails if the key of a row cannot be a slice.
fn check(rows: &[Row]) -> Result<(), Failure> {
    if rows.iter().all(|row| possible(row.key, row.length)) { Ok(()) } else { Err(Failure::BadArgument) }
}

/// Rows that are read.
///
/// # Safety
/// - The array has `count` rows that nobody writes to for as long as `'a` lasts.
/// - For as long, the bytes of their keys are readable, and nobody writes to them.
pub(crate) unsafe fn read<'a>(start: *const Row, count: usize) -> Result<&'a [Checked], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    check_array(start, count)?;
    // SAFETY: the start is neither null nor misaligned and the size at most `isize::MAX`; the rest is the caller's word.
    check(unsafe { slice::from_raw_parts(start, count) })?;
    // SAFETY: the same; a checked row has the layout of a row, and is one by `check` and the caller's word.
    Ok(unsafe { slice::from_raw_parts(start.cast(), count) })
}

/// Rows that are sorted.
///
/// # Safety
/// As for [`read`], and nobody else reads the array for as long.
pub(crate) unsafe fn sorted<'a>(start: *mut Row, count: usize) -> Result<&'a mut [Checked], Failure> {
    // SAFETY: the caller's word. The slice is gone before there is another.
    unsafe { read(start, count)? };
    if count == 0 {
        return Ok(&mut []);
    }
    // SAFETY: `read` has checked the array and its rows, and nobody else uses it.
    Ok(unsafe { slice::from_raw_parts_mut(start.cast(), count) })
}

/// Fails if an array of so many elements cannot be there.
fn check_array<T>(start: *const T, count: usize) -> Result<(), Failure> {
    let fits = count.checked_mul(size_of::<T>()).is_some_and(|bytes| bytes <= isize::MAX as usize);
    if fits && start.is_aligned() && !start.is_null() { Ok(()) } else { Err(Failure::BadArgument) }
}

/// An array that is written; what it holds before need not be initialised.
///
/// # Safety
/// The array has room for `count` elements that nobody else reads or writes for as long as `'a` lasts.
pub(crate) unsafe fn written<'a, T>(
    start: *mut T,
    count: usize,
) -> Result<&'a mut [MaybeUninit<T>], Failure> {
    if count == 0 {
        return Ok(&mut []);
    }
    check_array(start, count)?;
    // SAFETY: the start is neither null nor misaligned and the size at most `isize::MAX`; the rest is the caller's word,
    // and a `MaybeUninit` has the layout of its value and needs no initialised memory.
    Ok(unsafe { slice::from_raw_parts_mut(start.cast(), count) })
}
