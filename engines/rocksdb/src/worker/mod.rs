//! The worker: a process of its own for each subject, which loads that subject's library and does what the lab
//! asks. It is this very program, started again: `humdrum rocksdb-worker`, which `--help` does not show.
//!
//! ```text
//!   lab ──socket──▶ thread per connection ──▶ steps.rs (the loops) ──▶ ffi (the library)
//!                        └── writer.rs, beside steps that want one ──────▲
//! ```
//!
//! On a failure it writes the reason to standard error, which is the server's log, and exits: with 2 for
//! wrong input of the user, with 1 otherwise.

mod data;
pub(crate) mod ffi;
mod histogram;
mod kv;
mod orders;
mod quiet;
mod serve;
mod steps;
mod store;
mod writer;

use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use humdrum_contract::KvData;
use humdrum_engine_worker::heap;

use ffi::{Cache, CacheKind, Options};
pub(crate) use orders::Orders;
use serve::Worker;
use store::{Manner, Store};

/// The first argument that makes `humdrum` a worker.
pub(crate) const ARGUMENT: &str = "rocksdb-worker";

/// The prefix of a worker's last message in its log.
pub(crate) const REFUSED: &str = "humdrum-worker refuses: ";
/// The same for failures that are not the user's fault.
pub(crate) const FAILED: &str = "humdrum-worker fails: ";
/// Said by a worker that was only asked about its library.
pub(crate) const USABLE: &str = "humdrum-worker can use it";

/// An end before the work began.
enum End {
    Refused(String),
    Failed(String),
}

/// Plays the worker if this process was started as one; what it ends with.
pub(crate) fn main() -> Option<u8> {
    let orders = Orders::from_env(|name| std::env::var_os(name))?;
    if orders.limited {
        heap::share();
    }
    // Seen in lists of processes; the program's own name would be that of the lab.
    let _ = rustix::thread::set_name(c"humdrum-rocksdb");
    Some(match work(&orders) {
        Ok(()) => 0,
        Err(End::Refused(what)) => {
            eprintln!("{REFUSED}{what}");
            2
        }
        Err(End::Failed(what)) => {
            eprintln!("{FAILED}{what}");
            1
        }
    })
}

fn work(orders: &Orders) -> Result<(), End> {
    let path = orders.library.display();
    let symbols =
        ffi::load(&orders.library).map_err(|why| End::Refused(format!("cannot use {path}: {why}")))?;
    if orders.inspect {
        println!("{USABLE}");
        return Ok(());
    }
    let kind = if orders.cache == "hyper_clock" { CacheKind::HyperClock } else { CacheKind::Lru };
    let cache = Cache::new(symbols, kind, orders.cache_bytes as usize).map_err(End::Refused)?;
    let refused = |said: String| End::Refused(format!("an option is not taken: {said}"));
    let mut ordinary = Options::parse(symbols, &cache, &orders.options).map_err(refused)?;
    let mut bulk = Options::parse(symbols, &cache, &orders.bulk_options).map_err(refused)?;
    bulk.use_vector_memtable();
    if orders.statistics && !(ordinary.enable_statistics() && bulk.enable_statistics()) {
        return Err(End::Refused(
            "this release cannot count inside the library; leave statistics out".into(),
        ));
    }
    let level0_trigger = orders.level0_trigger.clone();
    let manner = Manner { ordinary, bulk, level0_trigger, gives_back: orders.limited };
    let worker = Worker {
        symbols,
        lost: symbols.lost().iter().map(|(name, lost)| format!("without {name}: {lost}")).collect(),
        cache,
        cache_percent: orders.cache_percent,
        cache_bytes_max: orders.cache_bytes_max,
        manner,
        main: Store::closed(orders.data.join("main")),
        scratch: Store::closed(orders.data.join("scratch")),
        put_bytes: Arc::default(),
        got_bytes: AtomicU64::default(),
        stall_ms: AtomicU64::default(),
        writers: Arc::default(),
    };
    start_threads(&worker, &orders.data).map_err(|said| blame("cannot make a store", &said))?;
    worker.main.open(&worker.manner).map_err(|said| blame("cannot open the store", &said))?;
    let socket = orders.socket.display();
    let listener = UnixListener::bind(&orders.socket)
        .map_err(|error| End::Failed(format!("cannot listen at {socket}: {error}")))?;
    serve::serve(Arc::new(worker), &listener);
    Ok(())
}

/// Has the library start its background threads, which it does when it first needs them. They inherit the
/// processors of the thread that first needs them. That must not be a session, because the lab binds sessions
/// to one processor. A store of one key that is written out and merged needs all of them, and is removed
/// again.
fn start_threads(worker: &Worker, data: &Path) -> Result<(), String> {
    let store = Store::closed(data.join("begin"));
    let one = KvData { keys: 1, seed: 0, key_bytes: 8, value_bytes: 16, compressed_percent: 100 };
    store.create(&worker.manner, one, false)?;
    store.write_behind(0)?;
    store.settle(&worker.manner, true).map_err(|trouble| format!("{trouble:?}"))?;
    store.remove(&worker.manner)
}

/// The library calls what it does not take an invalid argument, or not supported.
fn blame(what: &str, said: &str) -> End {
    let users = ["Invalid argument", "Not implemented"].iter().any(|start| said.starts_with(start));
    let text = format!("{what}: {said}");
    if users { End::Refused(text) } else { End::Failed(text) }
}
