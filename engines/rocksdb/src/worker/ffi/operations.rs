//! The operations of workloads on an open store.

use super::db::Db;
use super::multi_get::multi_get;
use super::text::{bytes, checked};
use crate::worker::kv::Kv;

impl Kv for Db {
    #[inline]
    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), String> {
        checked(self.symbols, |error| {
            let (key_at, value_at) = (key.as_ptr().cast(), value.as_ptr().cast());
            // SAFETY: an open store; both slices are as long as said, and copied before the call returns.
            unsafe {
                let put = self.symbols.rocksdb_put;
                put(self.db, self.write, key_at, key.len(), value_at, value.len(), error);
            }
        })
    }

    #[inline]
    fn get(&self, key: &[u8], see: impl FnOnce(&[u8])) -> Result<bool, String> {
        let slice = checked(self.symbols, |error| {
            // SAFETY: an open store; the key is as long as said.
            unsafe {
                let get = self.symbols.rocksdb_get_pinned;
                get(self.db, self.read, key.as_ptr().cast(), key.len(), error)
            }
        })?;
        Ok(self.show(slice, see))
    }

    fn multi_get(&self, keys: &[u8], key_bytes: usize, see: impl FnMut(usize, &[u8])) -> Result<u64, String> {
        multi_get(self, keys, key_bytes, see)
    }

    fn scan(
        &self,
        from: Option<&[u8]>,
        entries: u64,
        backwards: bool,
        mut see: impl FnMut(&[u8], &[u8]),
    ) -> Result<u64, String> {
        let symbols = self.symbols;
        // SAFETY: an open store, live options; the iterator is ours until destroyed below.
        let iterator = unsafe { (symbols.rocksdb_create_iterator)(self.db, self.read) };
        let step = if backwards { symbols.rocksdb_iter_prev } else { symbols.rocksdb_iter_next };
        let mut seen = 0;
        // SAFETY: the iterator is live; key and value are asked for only while it is valid, and are not kept
        // beyond `see`, before it moves.
        unsafe {
            match from {
                Some(key) => (symbols.rocksdb_iter_seek)(iterator, key.as_ptr().cast(), key.len()),
                None => (symbols.rocksdb_iter_seek_to_first)(iterator),
            }
            while seen < entries && (symbols.rocksdb_iter_valid)(iterator) != 0 {
                let (mut key_bytes, mut value_bytes) = (0, 0);
                let key = (symbols.rocksdb_iter_key)(iterator, &raw mut key_bytes);
                let value = (symbols.rocksdb_iter_value)(iterator, &raw mut value_bytes);
                see(bytes(key, key_bytes), bytes(value, value_bytes));
                seen += 1;
                step(iterator);
            }
            let ended = checked(symbols, |error| (symbols.rocksdb_iter_get_error)(iterator, error));
            (symbols.rocksdb_iter_destroy)(iterator);
            ended.map(|()| seen)
        }
    }
}
