//! The contents of key-value stores: key numbers and the seeds that wrote them.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;

use humdrum_contract::{KvData, KvStore, Outcome};
use humdrum_model::Fault;

/// Both stores of a server.
#[derive(Debug, Default)]
pub(crate) struct Stores {
    main: Option<Store>,
    scratch: Option<Store>,
    /// Writes of the background writer so far.
    pub writer_number: u64,
}

/// The contents of one store.
#[derive(Debug)]
pub(crate) struct Store {
    pub data: KvData,
    /// Seeds by key number.
    pub entries: BTreeMap<u64, u64>,
}

/// Counters of the writer beside batches.
#[derive(Debug, Default)]
pub(crate) struct WriterCounters {
    pub writes: AtomicU64,
    pub due: AtomicU64,
}

impl Stores {
    /// The place of a store, whether or not it is open.
    pub(crate) fn slot(&mut self, store: KvStore) -> &mut Option<Store> {
        match store {
            KvStore::Main => &mut self.main,
            KvStore::Scratch => &mut self.scratch,
        }
    }

    /// An open store.
    pub(crate) fn open(&mut self, store: KvStore) -> Outcome<&mut Store> {
        self.slot(store).as_mut().ok_or_else(|| Fault::crash("the store is not open"))
    }
}
