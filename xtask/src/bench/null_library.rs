//! The client over a library whose functions do nothing. The time of an operation is then the client's own, with the
//! call into the library and the reading of the clock.

use std::path::{Path, PathBuf};

use humdrum_contract::{KvData, KvOperation, KvStore};
use humdrum_engine_rocksdb::Rocksdb;
use humdrum_model::{Fault, Place};

use super::rig::{DATA, Rig, against_bar, batch, rate};

/// Bounds for the time of an operation, microseconds.
const BAR_US: [f64; 2] = [0.0, 0.15];
const KEYS: u64 = 100_000;
const OPERATIONS: u64 = 2_000_000;
/// Rounds, of which the fastest counts, because disturbances only make a round slower.
const ROUNDS: u32 = 7;

/// Functions with a result. All others return zero, which means success.
const SOURCE: &str = "\
#include <stddef.h>
static char bytes[400];
void *rocksdb_cache_create_lru(size_t size) { return bytes; }
void *rocksdb_get_pinned(void *db, void *options, const char *key, size_t size, char **error) { return bytes; }
const char *rocksdb_pinnableslice_value(void *slice, size_t *size) { *size = 400; return bytes; }
unsigned char rocksdb_iter_valid(void *iterator) { return 1; }
const char *rocksdb_iter_key(void *iterator, size_t *size) { *size = 20; return bytes; }
const char *rocksdb_iter_value(void *iterator, size_t *size) { *size = 400; return bytes; }
";

/// Functions without a result that the engine loads.
const SILENT: [&str; 41] = [
    "block_based_options_create",
    "block_based_options_destroy",
    "block_based_options_set_block_cache",
    "cache_destroy",
    "cache_get_usage",
    "cache_set_capacity",
    "close",
    "create_iterator",
    "destroy_db",
    "flush",
    "flushoptions_create",
    "flushoptions_destroy",
    "free",
    "get_options_from_string",
    "iter_destroy",
    "iter_get_error",
    "iter_next",
    "iter_prev",
    "iter_seek",
    "iter_seek_to_first",
    "livefiles",
    "livefiles_count",
    "livefiles_destroy",
    "livefiles_level",
    "livefiles_size",
    "multi_get",
    "open",
    "options_create",
    "options_destroy",
    "options_set_block_based_table_factory",
    "options_set_memtable_vector_rep",
    "pinnableslice_destroy",
    "property_int",
    "property_value",
    "put",
    "readoptions_create",
    "readoptions_destroy",
    "set_options",
    "writeoptions_create",
    "writeoptions_destroy",
    "writeoptions_disable_WAL",
];

/// Prints the time of each operation.
pub(super) fn over_nothing(rig: &Rig) -> Result<(), Fault> {
    let library = match compiled(&rig.folder("nothing")?) {
        Ok(library) => library,
        Err(why) => {
            println!("\nthe client over a library that does nothing: not measured, {why}");
            return Ok(());
        }
    };
    let (mut session, _server) = rig.started(&Rocksdb::default(), "null", Place::Folder(library), &[])?;
    session.create(KvStore::Main, &KvData { keys: KEYS, ..DATA }, false)?;
    println!("\nthe client over a library that does nothing, µs for one operation");
    let operations = [
        ("put", KvOperation::Put),
        ("get", KvOperation::Get),
        ("seek and 10 entries", KvOperation::Forwards(10)),
    ];
    for (name, operation) in operations {
        let mut best_us = f64::INFINITY;
        for _ in 0..ROUNDS {
            let rate = rate(&mut *session, &batch(operation, OPERATIONS, KEYS, 99))?;
            best_us = best_us.min(1e6 / rate);
        }
        println!("{name:<20} {best_us:>8.3}   {}", against_bar(best_us, BAR_US));
    }
    Ok(())
}

fn compiled(folder: &Path) -> Result<PathBuf, String> {
    let silent = SILENT.iter().map(|name| format!("void *rocksdb_{name}(void) {{ return 0; }}\n"));
    super::shared_library(folder, "librocksdb.so", &(SOURCE.to_owned() + &silent.collect::<String>()))
}
