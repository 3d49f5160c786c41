//! An open shared library.

use std::ffi::{CStr, CString, c_void};
use std::path::Path;

/// An open shared library; never closed, because its own threads may run until the process ends.
#[derive(Debug)]
pub struct Library(*mut c_void);

impl Library {
    /// Opens a file as a library, whose constructors run; that is for a process of its own.
    ///
    /// # Errors
    /// The loader refuses it, in its own words.
    pub fn open(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let name = CString::new(path.as_os_str().as_encoded_bytes())
            .map_err(|_| format!("{shown} has a NUL in its name"))?;
        // SAFETY: `name` is a live string that ends in NUL. The library's constructors run here: what they do is
        // the user's choice of a library, in a process of its own.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            return Err(loader_says().unwrap_or_else(|| shown.to_string()));
        }
        Ok(Self(handle))
    }

    /// Address of a function, by its name with a NUL at the end.
    pub fn symbol(&self, name: &'static str) -> Option<*mut c_void> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_library_is_refused_in_words() {
        assert!(Library::open(Path::new("/no/such/library.so")).expect_err("none").contains("/no/such"));
        assert!(Library::open(Path::new("/proc/self/status")).is_err());
        // Loaded already by every program.
        let c = Library::open(Path::new("libc.so.6")).expect("the C library");
        assert!(c.symbol("strlen\0").is_some() && c.symbol("no_such_function\0").is_none());
    }
}
