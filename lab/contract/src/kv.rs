//! Sessions with key-value engines.
//!
//! An operation on an embedded store takes a microsecond or two, less than passing it from one process to
//! another. So a session runs whole batches: the loop over operations is in the engine's own process, and the
//! lab's client makes one call per slice. An operation is a function of its seed, so that every subject does
//! the same ones:
//!
//! ```text
//!   seed ──▶ key number below `KvData::keys` ──▶ key      8 bytes big-endian, then `0`s
//!                └── with the seed ────────────▶ value    key number, seed, a piece of compressible noise
//! ```
//!
//! A value contains its key and the seed that wrote it, so that a reader can check every byte without knowing
//! the last writer.

use std::time::Duration;

use humdrum_model::Quantity;

use crate::Outcome;

/// One of a server's stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KvStore {
    /// Holds the loaded data; there from the start.
    Main,
    /// Made and dropped by tests that fill an empty store.
    Scratch,
}

/// The data of a store: enough to make every key and value again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KvData {
    /// Key numbers run from 0 to here.
    pub keys: u64,
    /// Seed of the noise in values and of the values first written.
    pub seed: u64,
    /// Bytes of a key, at least 8.
    pub key_bytes: u32,
    /// Bytes of a value, at least 16.
    pub value_bytes: u32,
    /// Part of the noise that remains when it is compressed, per cent.
    pub compressed_percent: u32,
}

impl KvData {
    /// Bytes of all keys and values once.
    pub fn bytes(&self) -> u64 {
        self.keys * u64::from(self.key_bytes + self.value_bytes)
    }
}

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KvOperation {
    /// Puts the key of the operation's own number: filling in order of keys.
    PutNext,
    /// Puts a key at random.
    Put,
    /// Gets a key at random.
    Get,
    /// Gets the key of the operation's own number: reading every key once.
    GetNext,
    /// Gets as many keys at random in one call.
    MultiGet(u32),
    /// Seeks a key at random and reads as many entries forwards.
    Forwards(u32),
    /// Seeks a key at random and reads as many entries backwards.
    Backwards(u32),
}

impl KvOperation {
    /// Whether it changes data.
    pub fn writes(self) -> bool {
        matches!(self, Self::PutNext | Self::Put)
    }
}

/// A batch of operations. Operation `i` has the seed `first_seed + i × seed_step`, wrapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KvBatch {
    /// Where.
    pub store: KvStore,
    /// What.
    pub operation: KvOperation,
    /// Number of the first operation.
    pub first_number: u64,
    /// Seed of the first.
    pub first_seed: u64,
    /// From one seed to the next.
    pub seed_step: u64,
    /// How many.
    pub count: u64,
    /// Only the first so many keys are used; `KvData::keys` or less.
    pub span: u64,
    /// Check every byte that is read, and hash the keys. Not measured.
    pub checked: bool,
    /// A writer beside the batch overwrites keys at random at this rate, each at its intended time; 0 for none.
    pub writer_bytes_per_second: u64,
}

/// The result of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KvDone {
    /// Entries read or written.
    pub rows: u64,
    /// Sum over entries read of a hash of their keys, if the batch was checked.
    pub checksum: u64,
    /// From the first operation's start to the last one's end, by the worker's own clock, ns.
    pub wall_ns: u64,
}

/// The contents of a store after reading all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KvContents {
    /// Entries, in strictly ascending order of keys, every byte as it must be.
    pub rows: u64,
    /// Sum over entries of a hash of key number and writing seed. For keys that the writer beside a batch may
    /// overwrite, the hash is of the key number alone. Equal for stores with the same operations by one
    /// client.
    pub checksum: u64,
    /// Sum over entries of a hash of the key number.
    pub keys_checksum: u64,
    /// Bytes of the store's files.
    pub bytes: u64,
    /// (files, bytes) of each level, if the store has levels.
    pub levels: Vec<(u64, u64)>,
}

/// A connection to a key-value server.
pub trait KvSession: Send {
    /// Makes a store anew, with nothing in it. `bulk`: for filling in order of keys, without a log.
    ///
    /// # Errors
    /// Crash, timeout, or an error of the library.
    fn create(&mut self, store: KvStore, data: &KvData, bulk: bool) -> Outcome<()>;
    /// Ends a bulk load: writes out what is in memory and opens the store in the ordinary way.
    ///
    /// # Errors
    /// As `create`.
    fn end_bulk(&mut self, store: KvStore) -> Outcome<()>;
    /// Closes a store and removes its files.
    ///
    /// # Errors
    /// As `create`.
    fn remove(&mut self, store: KvStore) -> Outcome<()>;
    /// Sets the size of what is configured as a share of the data (a block cache).
    ///
    /// # Errors
    /// As `create`.
    fn fit(&mut self, data_bytes: u64) -> Outcome<()>;
    /// Does a batch; `latency` receives (highest ns of a bucket, operations in it). The hot path.
    ///
    /// # Errors
    /// As `create`, and wrong answer if a checked batch read wrong bytes.
    fn run(&mut self, batch: &KvBatch, latency: &mut dyn FnMut(u64, u64)) -> Outcome<KvDone>;
    /// Writes out memory, with `level0` also merges the first level, and waits until the store has no
    /// background work left. Returns how long it took; nothing for a store that does not exist.
    ///
    /// # Errors
    /// As `create`.
    fn settle(&mut self, store: KvStore, level0: bool) -> Outcome<Duration>;
    /// Reads the whole store, checks every byte and the order of keys; `None` for a store that does not
    /// exist.
    ///
    /// # Errors
    /// As `run`.
    fn inspect(&mut self, store: KvStore) -> Outcome<Option<KvContents>>;
    /// A property by the library's own name; `None` if there is no such property or store.
    ///
    /// # Errors
    /// As `create`.
    fn property(&mut self, store: KvStore, name: &str) -> Outcome<Option<String>>;
    /// The shape and the debt of a store. Cheap. Nothing for a store that does not exist.
    ///
    /// # Errors
    /// As `create`.
    fn state(&mut self, store: KvStore) -> Outcome<Vec<Quantity>>;
    /// (name, value) of the engine's own counters, which only grow; nothing if it does not count.
    ///
    /// # Errors
    /// As `create`.
    fn counters(&mut self) -> Outcome<Vec<(String, f64)>> {
        Ok(Vec::new())
    }
    /// Answers of this session are due within this time from now on.
    ///
    /// # Errors
    /// Environment, when the timeout cannot be set.
    fn set_timeout(&mut self, timeout: Duration) -> Outcome<()>;
    /// The thread that serves this session, if the host can see it.
    fn server_process(&self) -> Option<u32>;
}
