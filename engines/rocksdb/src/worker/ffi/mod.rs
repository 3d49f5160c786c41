//! The library: loading it, and safe wrappers of what is called. All `unsafe` of this crate is in this folder.
//!
//! What cannot be proved here is that the file is RocksDB: another library with functions of the same names
//! and other types would break this process. For that reason the worker is a separate process.

mod db;
mod multi_get;
mod not_usable;
mod operations;
mod options;
#[expect(non_snake_case, reason = "fields are named as the library's functions")]
mod symbols;
mod text;

use std::path::Path;

use humdrum_engine_worker::Library;

pub(crate) use db::Db;
pub(crate) use not_usable::NotUsable;
pub(crate) use options::{Cache, CacheKind, Options};
pub(crate) use symbols::Symbols;

/// Loads a library and finds its functions.
///
/// # Errors
/// When the file is no library, not RocksDB, or lacks what nothing works without.
pub(crate) fn load(path: &Path) -> Result<&'static Symbols, NotUsable> {
    let library = Library::open(path).map_err(NotUsable::NotALibrary)?;
    if library.symbol("rocksdb_open\0").is_none() {
        return Err(NotUsable::NotRocksdb);
    }
    let symbols = Symbols::find(&library).map_err(NotUsable::Missing)?;
    Ok(Box::leak(Box::new(symbols)))
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
