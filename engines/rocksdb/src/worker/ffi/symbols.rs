//! Every function of the library that is called: its type, and what is missing in releases without it.
//!
//! The types are those of RocksDB's C header, which has kept them since 6.29; functions come and go between
//! releases, types of functions do not. `size_t` is `usize`, C's `unsigned char` truth values are `u8`.

use std::ffi::{c_char, c_int, c_void};

use humdrum_engine_worker::Library;

/// Declares opaque types of the library, which are only ever pointed to.
macro_rules! opaque {
    ($($name:ident)*) => {
        $(
            #[repr(C)]
            pub(crate) struct $name { _opaque: [u8; 0] }
        )*
    };
}

opaque! {
    BlockBasedOptions Cache ColumnFamily Db FlushOptions Iter LiveFiles LruCacheOptions Options PinnableSlice
    ReadOptions WriteOptions
}

/// Where the library puts a message; null before the call, and after it when all went well.
pub(crate) type Error = *mut *mut c_char;

/// Makes the struct of function pointers and the two functions that fill it.
macro_rules! symbols {
    (
        required { $($name:ident: fn($($in:ty),*) $(-> $out:ty)?;)* }
        optional { $($may:ident: fn($($may_in:ty),*) $(-> $may_out:ty)?, $lost:literal;)* }
    ) => {
        /// The functions, as found in one library.
        pub(crate) struct Symbols {
            $(pub(crate) $name: unsafe extern "C" fn($($in),*) $(-> $out)?,)*
            $(pub(crate) $may: Option<unsafe extern "C" fn($($may_in),*) $(-> $may_out)?>,)*
        }

        impl Symbols {
            /// Finds all of them; `Err` lists required ones that the library lacks.
            pub(super) fn find(library: &Library) -> Result<Self, Vec<&'static str>> {
                let mut missing = Vec::new();
                $(
                    let $name = library.symbol(concat!(stringify!($name), "\0"));
                    if $name.is_none() { missing.push(stringify!($name)); }
                )*
                if !missing.is_empty() {
                    return Err(missing);
                }
                Ok(Self {
                    $($name: {
                        let found = $name.expect("none is missing");
                        // SAFETY: `found` is the address of the function of this name in a library that calls
                        // itself RocksDB, whose C header gives it this type (see this file's head); an address
                        // and a function pointer have the same size and representation here.
                        unsafe {
                            std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($in),*) $(-> $out)?>(found)
                        }
                    },)*
                    $($may: library.symbol(concat!(stringify!($may), "\0")).map(|found| {
                        // SAFETY: as above.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn($($may_in),*) $(-> $may_out)?,
                            >(found)
                        }
                    }),)*
                })
            }

            /// (function, what is lost without it) of each optional one that the library lacks.
            pub(crate) fn lost(&self) -> Vec<(&'static str, &'static str)> {
                let mut lost = Vec::new();
                $(if self.$may.is_none() { lost.push((stringify!($may), $lost)); })*
                lost
            }
        }
    };
}

symbols! {
    required {
        rocksdb_block_based_options_create: fn() -> *mut BlockBasedOptions;
        rocksdb_block_based_options_destroy: fn(*mut BlockBasedOptions);
        rocksdb_block_based_options_set_block_cache: fn(*mut BlockBasedOptions, *mut Cache);
        rocksdb_cache_create_lru: fn(usize) -> *mut Cache;
        rocksdb_cache_destroy: fn(*mut Cache);
        rocksdb_cache_get_usage: fn(*mut Cache) -> usize;
        rocksdb_cache_set_capacity: fn(*mut Cache, usize);
        rocksdb_close: fn(*mut Db);
        rocksdb_create_iterator: fn(*mut Db, *const ReadOptions) -> *mut Iter;
        rocksdb_destroy_db: fn(*const Options, *const c_char, Error);
        rocksdb_flush: fn(*mut Db, *const FlushOptions, Error);
        rocksdb_flushoptions_create: fn() -> *mut FlushOptions;
        rocksdb_flushoptions_destroy: fn(*mut FlushOptions);
        rocksdb_free: fn(*mut c_void);
        rocksdb_get_options_from_string: fn(*const Options, *const c_char, *mut Options, Error);
        rocksdb_get_pinned: fn(*mut Db, *const ReadOptions, *const c_char, usize, Error) -> *mut PinnableSlice;
        rocksdb_iter_destroy: fn(*mut Iter);
        rocksdb_iter_get_error: fn(*const Iter, Error);
        rocksdb_iter_key: fn(*const Iter, *mut usize) -> *const c_char;
        rocksdb_iter_next: fn(*mut Iter);
        rocksdb_iter_prev: fn(*mut Iter);
        rocksdb_iter_seek: fn(*mut Iter, *const c_char, usize);
        rocksdb_iter_seek_to_first: fn(*mut Iter);
        rocksdb_iter_valid: fn(*const Iter) -> u8;
        rocksdb_iter_value: fn(*const Iter, *mut usize) -> *const c_char;
        rocksdb_livefiles: fn(*mut Db) -> *const LiveFiles;
        rocksdb_livefiles_count: fn(*const LiveFiles) -> c_int;
        rocksdb_livefiles_destroy: fn(*const LiveFiles);
        rocksdb_livefiles_level: fn(*const LiveFiles, c_int) -> c_int;
        rocksdb_livefiles_size: fn(*const LiveFiles, c_int) -> usize;
        rocksdb_multi_get: fn(
            *mut Db, *const ReadOptions, usize, *const *const c_char, *const usize, *mut *mut c_char,
            *mut usize, *mut *mut c_char
        );
        rocksdb_open: fn(*const Options, *const c_char, Error) -> *mut Db;
        rocksdb_options_create: fn() -> *mut Options;
        rocksdb_options_destroy: fn(*mut Options);
        rocksdb_options_set_block_based_table_factory: fn(*mut Options, *mut BlockBasedOptions);
        rocksdb_options_set_memtable_vector_rep: fn(*mut Options);
        rocksdb_pinnableslice_destroy: fn(*mut PinnableSlice);
        rocksdb_pinnableslice_value: fn(*const PinnableSlice, *mut usize) -> *const c_char;
        rocksdb_property_int: fn(*mut Db, *const c_char, *mut u64) -> c_int;
        rocksdb_property_value: fn(*mut Db, *const c_char) -> *mut c_char;
        rocksdb_put: fn(
            *mut Db, *const WriteOptions, *const c_char, usize, *const c_char, usize, Error
        );
        rocksdb_readoptions_create: fn() -> *mut ReadOptions;
        rocksdb_readoptions_destroy: fn(*mut ReadOptions);
        rocksdb_set_options: fn(*mut Db, c_int, *const *const c_char, *const *const c_char, Error);
        rocksdb_writeoptions_create: fn() -> *mut WriteOptions;
        rocksdb_writeoptions_destroy: fn(*mut WriteOptions);
        rocksdb_writeoptions_disable_WAL: fn(*mut WriteOptions, c_int);
    }
    optional {
        rocksdb_batched_multi_get_cf: fn(
            *mut Db, *const ReadOptions, *mut ColumnFamily, usize, *const *const c_char, *const usize,
            *mut *mut PinnableSlice, *mut *mut c_char, bool
        ), "multireadrandom copies each value out of the library";
        rocksdb_cache_create_hyper_clock: fn(usize, usize) -> *mut Cache,
            "block_cache=hyper_clock cannot be used";
        rocksdb_cache_create_lru_opts: fn(*const LruCacheOptions) -> *mut Cache,
            "the LRU cache chooses its number of shards itself";
        rocksdb_get_default_column_family_handle: fn(*mut Db) -> *mut ColumnFamily,
            "multireadrandom copies each value out of the library";
        rocksdb_lru_cache_options_create: fn() -> *mut LruCacheOptions,
            "the LRU cache chooses its number of shards itself";
        rocksdb_lru_cache_options_destroy: fn(*mut LruCacheOptions),
            "the LRU cache chooses its number of shards itself";
        rocksdb_lru_cache_options_set_capacity: fn(*mut LruCacheOptions, usize),
            "the LRU cache chooses its number of shards itself";
        rocksdb_lru_cache_options_set_num_shard_bits: fn(*mut LruCacheOptions, c_int),
            "the LRU cache chooses its number of shards itself";
        rocksdb_options_enable_statistics: fn(*mut Options), "statistics=on cannot be used";
        rocksdb_options_statistics_get_string: fn(*mut Options) -> *mut c_char,
            "statistics cannot be read";
        rocksdb_set_perf_level: fn(c_int), "each operation is counted in its thread's perf context";
    }
}

/// `rocksdb_disable` of the C header: nothing is counted in the thread's perf context.
const PERF_DISABLED: c_int = 1;

impl Symbols {
    /// Turns off the perf context of this thread, which is on by default. It is not read, db_bench turns it
    /// off, and it would count every comparison of keys.
    pub(crate) fn leave_thread_uncounted(&self) {
        if let Some(set) = self.rocksdb_set_perf_level {
            // SAFETY: a level that every release has; it is the thread's own.
            unsafe { set(PERF_DISABLED) }
        }
    }
}
