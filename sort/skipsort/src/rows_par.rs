//! Sorting rows in place, on several threads: always stable.

use alloc::vec::Vec;
use core::num::NonZeroUsize;

use crate::bytes::Bytes;
use crate::crew::{self, Crew};
use crate::how::How;
use crate::keys::Indexed;
use crate::memory::Scratch;
use crate::{packed, parallel, permute, presorted, rows};

/// Sorts rows by their bytes.
pub(crate) fn sort<T: Bytes + Send + Sync>(
    rows: &mut [T],
    scratch: &mut Scratch,
    how: How,
    threads: Option<NonZeroUsize>,
) {
    let Some(threads) = parallel::crew_of(rows.len(), scratch, threads) else {
        return rows::sort(rows, scratch, how);
    };
    if !presorted::done(rows, T::bytes, how) {
        crew::with(threads, |crew| {
            if !packed::par_sort(rows, scratch, crew, how) {
                indexed(rows, T::bytes, scratch, crew, how);
            }
        });
    }
}

/// Sorts rows by a key in them.
pub(crate) fn sort_by_key<T: Send + Sync>(
    rows: &mut [T],
    key: impl Fn(&T) -> &[u8] + Sync,
    scratch: &mut Scratch,
    how: How,
    threads: Option<NonZeroUsize>,
) {
    let Some(threads) = parallel::crew_of(rows.len(), scratch, threads) else {
        return rows::sort_by_key(rows, key, scratch, how);
    };
    if !presorted::done(rows, &key, how) {
        crew::with(threads, |crew| indexed(rows, key, scratch, crew, how));
    }
}

/// Sorts rows by keys that are made for each of them once, by all threads.
pub(crate) fn sort_by_cached_key<T: Send + Sync, K: Bytes + Send + Sync>(
    rows: &mut [T],
    key: impl Fn(&T) -> K + Sync,
    scratch: &mut Scratch,
    how: How,
    threads: Option<NonZeroUsize>,
) {
    let Some(threads) = parallel::crew_of(rows.len(), scratch, threads) else {
        return rows::sort_by_cached_key(rows, key, scratch, how);
    };
    crew::with(threads, |crew| {
        let made = crew.stretches(rows, |_, part| part.iter().map(&key).collect::<Vec<K>>());
        let keys: Vec<K> = made.into_iter().flatten().collect();
        let (main, spare) = scratch.entries(rows.len());
        parallel::order(&Indexed { rows: &keys, key_of: K::bytes }, main, spare, crew, how);
        // SAFETY: there are as many keys as rows, and `order` has filled the entries with each number once, and moved
        // them among their places since.
        unsafe { permute::apply(rows, scratch) }
    });
}

fn indexed<T: Send + Sync>(
    rows: &mut [T],
    key_of: impl Fn(&T) -> &[u8] + Sync,
    scratch: &mut Scratch,
    crew: &mut Crew<'_>,
    how: How,
) {
    let (main, spare) = scratch.entries(rows.len());
    parallel::order(&Indexed { rows: &*rows, key_of }, main, spare, crew, how);
    // SAFETY: `order` has filled the entries with each row's number once, and moved them among their places since.
    unsafe { permute::apply(rows, scratch) }
}
