//! Gets several keys in one call. Values are read in place if the release can do that, else copied.

use std::ffi::c_char;
use std::ptr;

use super::db::Db;
use super::symbols;
use super::text::{bytes, take_text};
use crate::worker::kv::MULTI_GET_MAX;

type BatchedMultiGet = unsafe extern "C" fn(
    *mut symbols::Db,
    *const symbols::ReadOptions,
    *mut symbols::ColumnFamily,
    usize,
    *const *const c_char,
    *const usize,
    *mut *mut symbols::PinnableSlice,
    *mut *mut c_char,
    bool,
);

/// As `Kv::multi_get`.
pub(super) fn multi_get(
    store: &Db,
    keys: &[u8],
    key_bytes: usize,
    see: impl FnMut(usize, &[u8]),
) -> Result<u64, String> {
    let count = keys.len() / key_bytes;
    assert!(count <= MULTI_GET_MAX, "at most {MULTI_GET_MAX} keys at once");
    let mut at = [ptr::null(); MULTI_GET_MAX];
    let sizes = [key_bytes; MULTI_GET_MAX];
    at.iter_mut().zip(keys.chunks_exact(key_bytes)).for_each(|(at, key)| *at = key.as_ptr().cast());
    match (store.symbols.rocksdb_batched_multi_get_cf, store.column_family) {
        (Some(call), Some(family)) => batched(store, call, family, &at[..count], &sizes[..count], see),
        _ => copied(store, &at[..count], &sizes[..count], see),
    }
}

fn batched(
    store: &Db,
    call: BatchedMultiGet,
    family: *mut symbols::ColumnFamily,
    keys: &[*const c_char],
    sizes: &[usize],
    mut see: impl FnMut(usize, &[u8]),
) -> Result<u64, String> {
    let mut slices = [ptr::null_mut(); MULTI_GET_MAX];
    let mut errors = [ptr::null_mut(); MULTI_GET_MAX];
    // SAFETY: all four arrays have at least `keys.len()` elements (asserted by the caller); each key is as long
    // as its size says and lives in the caller's frame.
    unsafe {
        let (keys_at, sizes_at) = (keys.as_ptr(), sizes.as_ptr());
        let (slices_at, errors_at) = (slices.as_mut_ptr(), errors.as_mut_ptr());
        call(store.db, store.read, family, keys.len(), keys_at, sizes_at, slices_at, errors_at, false);
    }
    let mut found = 0;
    for (number, slice) in slices[..keys.len()].iter().enumerate() {
        found += u64::from(store.show(*slice, |value| see(number, value)));
    }
    first_error(store, &errors[..keys.len()]).map_or(Ok(found), Err)
}

fn copied(
    store: &Db,
    keys: &[*const c_char],
    sizes: &[usize],
    mut see: impl FnMut(usize, &[u8]),
) -> Result<u64, String> {
    let mut values: [*mut c_char; MULTI_GET_MAX] = [ptr::null_mut(); MULTI_GET_MAX];
    let mut lengths = [0; MULTI_GET_MAX];
    let mut errors = [ptr::null_mut(); MULTI_GET_MAX];
    let mut found = 0;
    // SAFETY: as in `batched`; each value is null or `length` bytes that are ours to free.
    unsafe {
        let (keys_at, sizes_at) = (keys.as_ptr(), sizes.as_ptr());
        let (values_at, lengths_at) = (values.as_mut_ptr(), lengths.as_mut_ptr());
        let count = keys.len();
        let call = store.symbols.rocksdb_multi_get;
        call(store.db, store.read, count, keys_at, sizes_at, values_at, lengths_at, errors.as_mut_ptr());
        for number in (0..count).filter(|number| !values[*number].is_null()) {
            see(number, bytes(values[number], lengths[number]));
            (store.symbols.rocksdb_free)(values[number].cast());
            found += 1;
        }
    }
    first_error(store, &errors[..keys.len()]).map_or(Ok(found), Err)
}

/// The first of some messages; all are freed.
fn first_error(store: &Db, errors: &[*mut c_char]) -> Option<String> {
    errors.iter().fold(None, |first, error| first.or(take_text(store.symbols, *error)))
}
