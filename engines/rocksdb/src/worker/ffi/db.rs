//! An open store, safe to use.

use std::path::Path;

use super::options::Options;
use super::symbols::{self, Symbols};
use super::text::{bytes, c_text, checked, take_text};

/// An open store; closed when dropped.
pub(crate) struct Db {
    pub(super) symbols: &'static Symbols,
    pub(super) db: *mut symbols::Db,
    pub(super) read: *mut symbols::ReadOptions,
    pub(super) write: *mut symbols::WriteOptions,
    pub(super) column_family: Option<*mut symbols::ColumnFamily>,
}

// SAFETY: RocksDB's stores may be used from any thread at once; `read` and `write` are never changed after `open`.
unsafe impl Send for Db {}
// SAFETY: as above.
unsafe impl Sync for Db {}

impl Db {
    /// Opens a store, or makes it.
    ///
    /// # Errors
    /// What the library says.
    pub(crate) fn open(options: &Options, path: &Path, log: bool) -> Result<Self, String> {
        let symbols = options.symbols;
        let path = c_text(&path.to_string_lossy())?;
        // SAFETY: live options, a string that ends in NUL.
        let db = checked(symbols, |error| unsafe {
            (symbols.rocksdb_open)(options.options, path.as_ptr(), error)
        })?;
        // SAFETY: both calls return new options that are ours; the second's are changed before anyone sees them.
        let (read, write) = unsafe {
            let write = (symbols.rocksdb_writeoptions_create)();
            (symbols.rocksdb_writeoptions_disable_WAL)(write, i32::from(!log));
            ((symbols.rocksdb_readoptions_create)(), write)
        };
        // SAFETY: `db` is open. The handle belongs to the store; the few bytes around it are not freed, because
        // not every release's function for that spares the store's own part.
        let column_family = symbols.rocksdb_get_default_column_family_handle.map(|get| unsafe { get(db) });
        Ok(Self { symbols, db, read, write, column_family })
    }

    /// Removes a closed store's files.
    ///
    /// # Errors
    /// What the library says.
    pub(crate) fn destroy(options: &Options, path: &Path) -> Result<(), String> {
        let symbols = options.symbols;
        let path = c_text(&path.to_string_lossy())?;
        // SAFETY: live options, a string that ends in NUL.
        checked(symbols, |error| unsafe {
            (symbols.rocksdb_destroy_db)(options.options, path.as_ptr(), error);
        })
    }

    /// Writes out what is in memory, and waits for it.
    ///
    /// # Errors
    /// What the library says.
    pub(crate) fn flush(&self) -> Result<(), String> {
        // SAFETY: the options are new, ours, and destroyed after their one use; waiting is their default.
        unsafe {
            let options = (self.symbols.rocksdb_flushoptions_create)();
            let flushed =
                checked(self.symbols, |error| (self.symbols.rocksdb_flush)(self.db, options, error));
            (self.symbols.rocksdb_flushoptions_destroy)(options);
            flushed
        }
    }

    /// Changes an option of the open store.
    ///
    /// # Errors
    /// What the library says.
    pub(crate) fn set_option(&self, name: &str, value: &str) -> Result<(), String> {
        let (name, value) = (c_text(name)?, c_text(value)?);
        let (names, values) = ([name.as_ptr()], [value.as_ptr()]);
        // SAFETY: both arrays have the one element that the count says, a string that ends in NUL.
        checked(self.symbols, |error| unsafe {
            (self.symbols.rocksdb_set_options)(self.db, 1, names.as_ptr(), values.as_ptr(), error);
        })
    }

    /// A property as text.
    pub(crate) fn property(&self, name: &str) -> Option<String> {
        let name = c_text(name).ok()?;
        // SAFETY: an open store, a string that ends in NUL; returns null or a string that is ours to free.
        take_text(self.symbols, unsafe { (self.symbols.rocksdb_property_value)(self.db, name.as_ptr()) })
    }

    /// A property that is a number.
    pub(crate) fn property_number(&self, name: &str) -> Option<u64> {
        let name = c_text(name).ok()?;
        let mut value = 0;
        // SAFETY: as above, and `value` is live.
        let failed = unsafe { (self.symbols.rocksdb_property_int)(self.db, name.as_ptr(), &raw mut value) };
        (failed == 0).then_some(value)
    }

    /// (files, bytes) of each level that has files or lies above one that has.
    pub(crate) fn levels(&self) -> Vec<(u64, u64)> {
        let mut levels: Vec<(u64, u64)> = Vec::new();
        // SAFETY: the list is a copy of ours until it is destroyed; numbers below its count are asked for.
        unsafe {
            let files = (self.symbols.rocksdb_livefiles)(self.db);
            for file in 0..(self.symbols.rocksdb_livefiles_count)(files) {
                let level = (self.symbols.rocksdb_livefiles_level)(files, file).max(0) as usize;
                let bytes = (self.symbols.rocksdb_livefiles_size)(files, file) as u64;
                if levels.len() <= level {
                    levels.resize(level + 1, (0, 0));
                }
                levels[level].0 += 1;
                levels[level].1 += bytes;
            }
            (self.symbols.rocksdb_livefiles_destroy)(files);
        }
        levels
    }

    /// A value that the library holds, shown and let go.
    pub(super) fn show(&self, slice: *mut symbols::PinnableSlice, see: impl FnOnce(&[u8])) -> bool {
        if slice.is_null() {
            return false;
        }
        let mut length = 0;
        // SAFETY: the slice is live until destroyed, after `see` has returned; the library says its length.
        unsafe {
            let value = (self.symbols.rocksdb_pinnableslice_value)(slice, &raw mut length);
            see(bytes(value, length));
            (self.symbols.rocksdb_pinnableslice_destroy)(slice);
        }
        true
    }
}

impl Drop for Db {
    fn drop(&mut self) {
        // SAFETY: opened by `open`, dropped once, and no borrow of it is left. Closing waits for background work
        // that cannot be stopped.
        unsafe {
            (self.symbols.rocksdb_readoptions_destroy)(self.read);
            (self.symbols.rocksdb_writeoptions_destroy)(self.write);
            (self.symbols.rocksdb_close)(self.db);
        }
    }
}
