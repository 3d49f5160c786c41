//! The library: loading it, and safe wrappers of what is called. All `unsafe` of this crate is in this folder.
//!
//! What cannot be proved here is that the file is DuckDB: another library with functions of the same names and other types
//! would break this process. For that reason the worker is a separate process.

mod appender;
mod chunk;
mod database;
mod symbols;

use std::path::Path;

use humdrum_engine_worker::Library;

pub(super) use chunk::Kind;
pub(super) use database::{Connection, Database};
pub(super) use symbols::Symbols;

/// Loads a library and finds its functions.
///
/// # Errors
/// When the file is no library, not DuckDB, or lacks what nothing works without.
pub(super) fn load(path: &Path) -> Result<&'static Symbols, String> {
    let library =
        Library::open(path).map_err(|why| format!("it is not a shared library for this machine: {why}"))?;
    if library.symbol("duckdb_open_ext\0").is_none() {
        return Err("it is not DuckDB: it has no function duckdb_open_ext".to_owned());
    }
    let symbols = Symbols::find(&library).map_err(|missing| format!("it lacks {}", missing.join(", ")))?;
    Ok(Box::leak(Box::new(symbols)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_duckdb_is_refused() {
        let refused = |path: &str| load(Path::new(path)).map(|_| ()).expect_err("refused");
        assert!(refused("/no/such/library.so").contains("not a shared library"));
        // Loaded already by every program, and certainly not DuckDB.
        assert!(refused("libc.so.6").contains("not DuckDB"));
    }
}
