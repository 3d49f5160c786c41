//! The worker: this very program, started again as `humdrum duckdb-worker`, which `--help` does not show. It loads its
//! subject's library and answers ordered queries.
//!
//! On a failure it writes the reason to standard error, which is the server's log, and exits: with 2 for wrong input of the
//! user, with 1 otherwise.

mod ffi;
mod store;

use std::path::PathBuf;
use std::sync::Arc;

use humdrum_engine_worker::orderby::{self, FAILED, Orders, REFUSED};

use store::DuckStore;

/// The first argument that makes `humdrum` a worker.
pub(crate) const ARGUMENT: &str = "duckdb-worker";
/// The library.
pub(crate) const LIBRARY: &str = "HUMDRUM_DUCKDB_LIBRARY";
/// Set, where a worker is only asked about its library.
pub(crate) const INSPECT: &str = "HUMDRUM_DUCKDB_INSPECT";
/// What such a worker says in front of the release.
pub(crate) const USABLE: &str = "humdrum-worker can use release ";

/// Why a user may not give a setting; `None`: it is the user's.
pub(crate) fn ours(key: &str) -> Option<String> {
    (key == "temp_directory").then(|| "what is spilled goes to the server's own folder".to_owned())
}

/// Plays the worker if this process was started as one; what it ends with.
pub(crate) fn main() -> Option<u8> {
    let library = std::env::var_os(LIBRARY).map(PathBuf::from)?;
    // Seen in lists of processes; the program's own name would be that of the lab.
    let _ = rustix::thread::set_name(c"humdrum-duckdb");
    let symbols = match ffi::load(&library) {
        Ok(symbols) => symbols,
        Err(why) => {
            eprintln!("{REFUSED}cannot use {}: {why}", library.display());
            return Some(2);
        }
    };
    if std::env::var_os(INSPECT).is_some() {
        println!("{USABLE}{}", symbols.release());
        return Some(0);
    }
    let orders = Orders::from_env(|name| std::env::var_os(name))?;
    let store = match DuckStore::open(symbols, &orders) {
        Ok(store) => store,
        Err(why) => {
            eprintln!("{REFUSED}{why}");
            return Some(2);
        }
    };
    let Err(why) = orderby::serve(&orders, Arc::new(store));
    eprintln!("{FAILED}{why}");
    Some(1)
}
