//! Texts and bytes that go to the library and come from it.

use std::ffi::{CStr, CString, c_char};

use super::symbols::{self, Symbols};

/// Runs a call that reports trouble through a pointer to a message.
pub(super) fn checked<T>(symbols: &Symbols, call: impl FnOnce(symbols::Error) -> T) -> Result<T, String> {
    let mut message: *mut c_char = std::ptr::null_mut();
    let value = call(&raw mut message);
    match take_text(symbols, message) {
        None => Ok(value),
        Some(text) => Err(text),
    }
}

/// A string that the library allocated, freed; `None` for null.
pub(super) fn take_text(symbols: &Symbols, text: *mut c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the library's strings end in NUL and are the caller's to free, with this very function.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        (symbols.rocksdb_free)(text.cast());
        Some(copy)
    }
}

/// A text for the library.
pub(super) fn c_text(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| format!("`{}` holds a NUL", text.replace('\0', "\\0")))
}

/// Bytes that the library shows.
///
/// # Safety
/// `start` is null with `length` 0, or points to `length` bytes that live and do not change for `'a`.
pub(super) unsafe fn bytes<'a>(start: *const c_char, length: usize) -> &'a [u8] {
    if start.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(start.cast(), length) }
}
