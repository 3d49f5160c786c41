//! A sort of rows that come one by one, as many as a folder can keep, and leave in order one by one.

use std::ffi::{CString, c_char, c_int, c_void};
use std::mem;
use std::ptr;

use skipsort_external::{Error, ExternalSorter, FileStorage, Sorted};

use crate::rows::bytes;
use crate::sorter_options::{SorterOptions, read};
use crate::status::{Failure, fence};

/// A row that leaves: `skipsort_record` of the header.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// The key, never null.
    pub key: *const c_void,
    /// Bytes of the key.
    pub key_length: usize,
    /// What came with it, never null.
    pub payload: *const c_void,
    /// Bytes of the payload.
    pub payload_length: usize,
}

/// Takes a row; anything but 0 stops.
pub type Take = unsafe extern "C" fn(context: *mut c_void, record: *const Record) -> c_int;

/// `skipsort_sorter` of the header.
pub struct SorterHandle {
    state: State,
    /// What ended it for good.
    failure: Option<Failure>,
    message: CString,
}

enum State {
    Taking(Box<ExternalSorter>),
    Giving(Box<Sorted>),
    /// While one becomes the other, and after an error in between.
    Neither,
}

// A call may come from another thread than the one before.
const _: fn(State) = |state| _ = Box::new(state) as Box<dyn Send>;

impl State {
    /// Rows in order, if no more are taken.
    fn giving(&mut self) -> Result<&mut Sorted, Failure> {
        match self {
            State::Giving(sorted) => Ok(sorted),
            _ => Err(Failure::BadArgument),
        }
    }

    /// Sorts what has come, unless it is sorted already.
    fn finish(&mut self) -> Result<(), Error> {
        *self = match mem::replace(self, State::Neither) {
            State::Taking(sorter) => State::Giving(Box::new(sorter.finish()?)),
            other => other,
        };
        Ok(())
    }
}

/// What an error of the library is to C.
fn failure(error: &Error) -> Failure {
    match error {
        Error::Cancelled => Failure::Stopped,
        Error::Memory { .. } => Failure::NoMemory,
        Error::TooLong => Failure::BadArgument,
        _ => Failure::Storage,
    }
}

/// A sorter that holds no row.
///
/// # Safety
/// The duties of the caller in `include/skipsort.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn skipsort_sorter_new(
    options: *const SorterOptions,
    out: *mut *mut SorterHandle,
) -> c_int {
    fence(|| {
        if out.is_null() || !out.is_aligned() {
            return Err(Failure::BadArgument);
        }
        // SAFETY: the caller's word; it is neither null nor misaligned.
        unsafe { out.write(ptr::null_mut()) };
        // SAFETY: the caller's word.
        let (options, folder) = unsafe { read(options)? };
        let sorter =
            ExternalSorter::new(options, FileStorage::new(folder)).map_err(|error| failure(&error))?;
        let state = State::Taking(Box::new(sorter));
        let handle = Box::new(SorterHandle { state, failure: None, message: CString::default() });
        // SAFETY: as above.
        unsafe { out.write(Box::into_raw(handle)) };
        Ok(())
    })
}

/// Does something with a sorter that has not failed. An error of the library ends it for good, a panic too; a failure
/// inside does not.
///
/// # Safety
/// `handle` is null, or from [`skipsort_sorter_new`] and not yet freed, and no other call is using it.
unsafe fn with(
    handle: *mut SorterHandle,
    body: impl FnOnce(&mut State) -> Result<Result<(), Failure>, Error>,
) -> c_int {
    fence(|| {
        if !handle.is_aligned() {
            return Err(Failure::BadArgument);
        }
        // SAFETY: null, or the caller's word; it is aligned.
        let handle = unsafe { handle.as_mut() }.ok_or(Failure::BadArgument)?;
        if let Some(failure) = handle.failure {
            return Err(failure);
        }
        handle.failure = Some(Failure::Panic);
        let done = body(&mut handle.state).map_err(|error| {
            handle.message = CString::new(error.to_string()).unwrap_or_default();
            failure(&error)
        });
        handle.failure = done.err();
        done?
    })
}

/// Takes a row.
///
/// # Safety
/// The duties of the caller in `include/skipsort.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn skipsort_sorter_push(
    sorter: *mut SorterHandle,
    key: *const c_void,
    key_length: usize,
    payload: *const c_void,
    payload_length: usize,
) -> c_int {
    let push = |state: &mut State| {
        // SAFETY: the caller's word.
        let (key, payload) = unsafe { (bytes(key, key_length), bytes(payload, payload_length)) };
        let (Some(key), Some(payload), State::Taking(sorter)) = (key, payload, state) else {
            return Ok(Err(Failure::BadArgument));
        };
        // The library would end the sort for a row of 4 GiB.
        if u32::try_from(key.len().max(payload.len())).is_err() {
            return Ok(Err(Failure::BadArgument));
        }
        sorter.push(key, payload).map(Ok)
    };
    // SAFETY: the caller's word.
    unsafe { with(sorter, push) }
}

/// Sorts: no more rows come.
///
/// # Safety
/// The duties of the caller in `include/skipsort.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn skipsort_sorter_finish(sorter: *mut SorterHandle) -> c_int {
    // SAFETY: the caller's word.
    unsafe { with(sorter, |state| state.finish().map(Ok)) }
}

/// The next row in order.
///
/// # Safety
/// The duties of the caller in `include/skipsort.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn skipsort_sorter_next(sorter: *mut SorterHandle, out: *mut Record) -> c_int {
    let next = |state: &mut State| {
        let sorted = match state.giving() {
            Ok(sorted) if !out.is_null() && out.is_aligned() => sorted,
            _ => return Ok(Err(Failure::BadArgument)),
        };
        if !sorted.advance()? {
            return Ok(Err(Failure::End));
        }
        // SAFETY: the caller's word; it is neither null nor misaligned.
        unsafe { out.write(current(sorted)) };
        Ok(Ok(()))
    };
    // SAFETY: the caller's word.
    unsafe { with(sorter, next) }
}

/// All rows in order, to a callback.
///
/// # Safety
/// The duties of the caller in `include/skipsort.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn skipsort_sorter_each(
    sorter: *mut SorterHandle,
    take: Option<Take>,
    context: *mut c_void,
) -> c_int {
    let each = |state: &mut State| {
        let Some(take) = take else { return Ok(Err(Failure::BadArgument)) };
        state.finish()?;
        let Ok(sorted) = state.giving() else { return Ok(Err(Failure::BadArgument)) };
        while sorted.advance()? {
            // SAFETY: the caller's word.
            if unsafe { take(context, &current(sorted)) } != 0 {
                return Ok(Err(Failure::Stopped));
            }
        }
        Ok(Ok(()))
    };
    // SAFETY: the caller's word.
    unsafe { with(sorter, each) }
}

/// The row at which the rows in order are; its bytes stay until they go on.
fn current(sorted: &Sorted) -> Record {
    let (key, payload) = sorted.row();
    Record {
        key: key.as_ptr().cast(),
        key_length: key.len(),
        payload: payload.as_ptr().cast(),
        payload_length: payload.len(),
    }
}

/// What the library said of the failure that ended the sorter.
///
/// # Safety
/// The duties of the caller in `include/skipsort.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn skipsort_sorter_message(sorter: *const SorterHandle) -> *const c_char {
    // SAFETY: null, or the caller's word.
    unsafe { sorter.as_ref() }.map_or(c"".as_ptr(), |handle| handle.message.as_ptr())
}

/// Frees a sorter, and its files.
///
/// # Safety
/// The duties of the caller in `include/skipsort.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn skipsort_sorter_free(sorter: *mut SorterHandle) {
    if !sorter.is_null() {
        // SAFETY: `skipsort_sorter_new` made it as a box, and the caller gives it up.
        drop(unsafe { Box::from_raw(sorter) });
    }
}
