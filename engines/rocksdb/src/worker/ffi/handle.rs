//! An open shared library, and the reason if a file cannot be opened as one.

use std::ffi::{CStr, CString, c_void};
use std::path::Path;

/// An open shared library; never closed, because RocksDB's own threads may run until the process ends.
pub(super) struct Handle(*mut c_void);

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

impl Handle {
    pub(super) fn open(path: &Path) -> Result<Self, NotUsable> {
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
    pub(super) fn symbol(&self, name: &'static str) -> Option<*mut c_void> {
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
