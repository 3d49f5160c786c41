//! The library: loading it, and safe wrappers of what is called. All `unsafe` of this crate is in this folder.
//!
//! What cannot be proved here is that the file is RocksDB: another library with functions of the same names and
//! other types would break this process. It is a process of its own for that reason.

mod db;
mod multi_get;
mod options;
#[expect(non_snake_case, reason = "fields are named as the library's functions")]
mod symbols;

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;

pub(crate) use db::Db;
pub(crate) use options::{Cache, CacheKind, Options};
pub(crate) use symbols::Symbols;

/// An open shared library; never closed, because RocksDB's own threads may run until the process ends.
pub(crate) struct Handle(*mut c_void);

/// Why a file cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotUsable {
    /// The loader refuses it, in its own words.
    NotALibrary(String),
    /// No function of RocksDB's C interface is in it.
    NotRocksdb,
    /// These are missing, which nothing works without.
    Missing(Vec<&'static str>),
}

impl std::fmt::Display for NotUsable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotALibrary(why) => write!(f, "it is not a shared library for this machine: {why}"),
            Self::NotRocksdb => f.write_str("it is not RocksDB: it has no function rocksdb_open"),
            Self::Missing(names) => write!(f, "it lacks {}", names.join(", ")),
        }
    }
}

/// Loads a library and finds its functions.
///
/// # Errors
/// When the file is no library, not RocksDB, or lacks what nothing works without.
pub(crate) fn load(path: &Path) -> Result<&'static Symbols, NotUsable> {
    let library = Handle::open(path)?;
    if library.symbol("rocksdb_open\0").is_none() {
        return Err(NotUsable::NotRocksdb);
    }
    let symbols = Symbols::find(&library).map_err(NotUsable::Missing)?;
    Ok(Box::leak(Box::new(symbols)))
}

impl Handle {
    fn open(path: &Path) -> Result<Self, NotUsable> {
        let shown = path.display();
        let name = CString::new(path.as_os_str().as_encoded_bytes())
            .map_err(|_| NotUsable::NotALibrary(format!("{shown} has a NUL in its name")))?;
        // SAFETY: `name` is a live string that ends in NUL. The library's constructors run here: what they do is
        // the user's choice of a library, in a process of its own.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            return Err(NotUsable::NotALibrary(loader_says().unwrap_or_else(|| shown.to_string())));
        }
        Ok(Self(handle))
    }

    /// Address of a function, by its name with a NUL at the end.
    fn symbol(&self, name: &'static str) -> Option<*mut c_void> {
        let name = CStr::from_bytes_with_nul(name.as_bytes()).ok()?;
        // SAFETY: the handle came from `dlopen` and is never closed; `name` ends in NUL.
        let found = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        (!found.is_null()).then_some(found)
    }
}

fn loader_says() -> Option<String> {
    // SAFETY: `dlerror` returns null or a string that lives until this thread's next call of it; copied at once.
    unsafe {
        let text = libc::dlerror();
        (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
    }
}

/// Runs a call that reports trouble through a pointer to a message.
fn checked<T>(symbols: &Symbols, call: impl FnOnce(symbols::Error) -> T) -> Result<T, String> {
    let mut message: *mut c_char = std::ptr::null_mut();
    let value = call(&raw mut message);
    match take_text(symbols, message) {
        None => Ok(value),
        Some(text) => Err(text),
    }
}

/// A string that the library allocated, freed; `None` for null.
fn take_text(symbols: &Symbols, text: *mut c_char) -> Option<String> {
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
fn c_text(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| format!("`{}` holds a NUL", text.replace('\0', "\\0")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_rocksdb_is_refused() {
        assert!(matches!(load(Path::new("/no/such/library.so")), Err(NotUsable::NotALibrary(_))));
        assert!(matches!(load(Path::new("/proc/self/status")), Err(NotUsable::NotALibrary(_))));
        // Loaded already by every program, and certainly not RocksDB.
        assert!(matches!(load(Path::new("libc.so.6")), Err(NotUsable::NotRocksdb)));
    }
}
