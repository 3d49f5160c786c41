//! Options and block caches, safe to use.

use std::ffi::c_char;

use super::symbols::{self, Symbols};
use super::text::{c_text, checked, take_text};

/// Which block cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CacheKind {
    Lru,
    HyperClock,
}

/// A block cache; stores that use it keep it alive.
pub(crate) struct Cache {
    symbols: &'static Symbols,
    cache: *mut symbols::Cache,
}

// SAFETY: the library's caches may be used from any thread at once, and this holds nothing else.
unsafe impl Send for Cache {}
// SAFETY: as above.
unsafe impl Sync for Cache {}

/// 64 shards, as the reference has.
const SHARD_BITS: i32 = 6;

impl Cache {
    /// A cache of `bytes`.
    ///
    /// # Errors
    /// When the release has none of that kind.
    pub(crate) fn new(symbols: &'static Symbols, kind: CacheKind, bytes: usize) -> Result<Self, String> {
        let cache = match kind {
            CacheKind::Lru => lru(symbols, bytes),
            CacheKind::HyperClock => hyper_clock(symbols, bytes),
        };
        match cache {
            Some(cache) if !cache.is_null() => Ok(Self { symbols, cache }),
            _ => Err("this release has no hyper_clock cache in its C interface; use block_cache=lru".into()),
        }
    }

    /// Changes its capacity.
    pub(crate) fn set_capacity(&self, bytes: usize) {
        // SAFETY: `self.cache` is live until `drop`; the library locks it itself.
        unsafe { (self.symbols.rocksdb_cache_set_capacity)(self.cache, bytes) }
    }

    /// Bytes in it.
    pub(crate) fn usage(&self) -> usize {
        // SAFETY: as above.
        unsafe { (self.symbols.rocksdb_cache_get_usage)(self.cache) }
    }
}

fn lru(symbols: &Symbols, bytes: usize) -> Option<*mut symbols::Cache> {
    let parts = (
        symbols.rocksdb_lru_cache_options_create,
        symbols.rocksdb_lru_cache_options_set_capacity,
        symbols.rocksdb_lru_cache_options_set_num_shard_bits,
        symbols.rocksdb_cache_create_lru_opts,
        symbols.rocksdb_lru_cache_options_destroy,
    );
    let (Some(create), Some(set_capacity), Some(set_bits), Some(make), Some(destroy)) = parts else {
        // SAFETY: takes a number, returns a new cache that is ours.
        return Some(unsafe { (symbols.rocksdb_cache_create_lru)(bytes) });
    };
    // SAFETY: the options are new, live until `destroy`, and used by this thread alone.
    unsafe {
        let options = create();
        set_capacity(options, bytes);
        set_bits(options, SHARD_BITS);
        let cache = make(options);
        destroy(options);
        Some(cache)
    }
}

/// Its table has a size of its own, for entries of about this size, until releases that adapt it.
fn hyper_clock(symbols: &Symbols, bytes: usize) -> Option<*mut symbols::Cache> {
    /// A block with its header.
    const ENTRY_BYTES: usize = 8 * 1024 + 256;
    // SAFETY: takes numbers, returns a new cache that is ours.
    symbols.rocksdb_cache_create_hyper_clock.map(|make| unsafe { make(bytes, ENTRY_BYTES) })
}

impl Drop for Cache {
    fn drop(&mut self) {
        // SAFETY: made by `new`, dropped once; stores hold a share of their own.
        unsafe { (self.symbols.rocksdb_cache_destroy)(self.cache) }
    }
}

/// Options of a store.
pub(crate) struct Options {
    pub(super) symbols: &'static Symbols,
    pub(super) options: *mut symbols::Options,
}

// SAFETY: a plain value behind a pointer that nobody else has; the statistics inside lock themselves.
unsafe impl Send for Options {}
// SAFETY: every method that takes `&self` only reads, and the library copies options when it opens a store.
unsafe impl Sync for Options {}

impl Options {
    /// The library's defaults with this cache, and over them `text` in the library's own language.
    ///
    /// # Errors
    /// What the library says against a name or value.
    pub(crate) fn parse(symbols: &'static Symbols, cache: &Cache, text: &str) -> Result<Self, String> {
        let base = Self::defaults(symbols);
        // SAFETY: all three are live; the options keep a share of the cache and a copy of the table's options.
        unsafe {
            let table = (symbols.rocksdb_block_based_options_create)();
            (symbols.rocksdb_block_based_options_set_block_cache)(table, cache.cache);
            (symbols.rocksdb_options_set_block_based_table_factory)(base.options, table);
            (symbols.rocksdb_block_based_options_destroy)(table);
        }
        let parsed = Self::defaults(symbols);
        let text = c_text(text)?;
        checked(symbols, |error| {
            // SAFETY: two live options of ours and a string that ends in NUL.
            unsafe {
                (symbols.rocksdb_get_options_from_string)(base.options, text.as_ptr(), parsed.options, error);
            }
        })?;
        Ok(parsed)
    }

    fn defaults(symbols: &'static Symbols) -> Self {
        // SAFETY: returns new options that are ours.
        Self { symbols, options: unsafe { (symbols.rocksdb_options_create)() } }
    }

    /// A memtable that only appends: for filling.
    pub(crate) fn use_vector_memtable(&mut self) {
        // SAFETY: live, and `&mut` says that nobody else looks.
        unsafe { (self.symbols.rocksdb_options_set_memtable_vector_rep)(self.options) }
    }

    /// Counts inside the library; false where it cannot be had.
    pub(crate) fn enable_statistics(&mut self) -> bool {
        // SAFETY: as above.
        self.symbols.rocksdb_options_enable_statistics.map(|enable| unsafe { enable(self.options) }).is_some()
    }

    /// All counts as text; `None` without statistics.
    pub(crate) fn statistics(&self) -> Option<String> {
        let get = self.symbols.rocksdb_options_statistics_get_string?;
        // SAFETY: live; returns null or a string that is ours to free.
        let text: *mut c_char = unsafe { get(self.options) };
        take_text(self.symbols, text)
    }
}

impl Drop for Options {
    fn drop(&mut self) {
        // SAFETY: made by `defaults`, dropped once.
        unsafe { (self.symbols.rocksdb_options_destroy)(self.options) }
    }
}
