//! The functions that sort.
//!
//! Each reads its arguments, which checks what can be checked, and hands slices to a safe function of the library.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use skipsort::Index;

use crate::options::{How, Options};
use crate::rows::{self, Checked, Row};
use crate::status::{Failure, check_memory, fence};

/// Up to so many of so many rows and more, the library keeps a heap (`top_k.rs` there).
const HEAP: usize = 80;
const HEAP_FROM: usize = 1 << 14;

/// Bytes at most that such a heap and its result take for each row: 32 of a candidate, 8 of a number, 8 of a reference.
const HEAP_BYTES: usize = 64;

/// Without a heap, row numbers are collected into a list that doubles, the old one beside the new: 8 and 16 bytes.
const NUMBER_BYTES: usize = 24;

/// Bytes of an entry and its scratch entry.
const ENTRY_PAIR_BYTES: usize = 32;

/// Sorts rows in place.
///
/// # Safety
/// The duties of the caller in `include/skipsort.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn skipsort_sort(rows: *mut Row, count: usize, options: *const Options) -> c_int {
    fence(|| {
        // SAFETY: the header asks the caller for what these need, for as long as this call runs.
        let (options, rows) = unsafe { (How::read(options)?, rows::sorted(rows, count)?) };
        options.with_sorter(count, |mut sorter| match &options.watch {
            Some(watch) => sorter.sort_by_key(rows, |row| watch.key(row)),
            None => sorter.par_sort(rows),
        })
    })
}

/// Writes the numbers of the rows in order.
///
/// # Safety
/// The duties of the caller in `include/skipsort.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn skipsort_indices32(
    rows: *const Row,
    count: usize,
    options: *const Options,
    out: *mut u32,
) -> c_int {
    // SAFETY: the caller's word.
    fence(|| unsafe { indices(rows, count, options, out, u64::from(u32::MAX) + 1) })
}

/// Writes the numbers of the rows in order.
///
/// # Safety
/// The duties of the caller in `include/skipsort.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn skipsort_indices64(
    rows: *const Row,
    count: usize,
    options: *const Options,
    out: *mut u64,
) -> c_int {
    // SAFETY: the caller's word.
    fence(|| unsafe { indices(rows, count, options, out, u64::MAX) })
}

/// Writes the numbers of at most so many rows.
///
/// # Safety
/// The duties of the caller in `include/skipsort.h`.
unsafe fn indices<I: Index>(
    rows: *const Row,
    count: usize,
    options: *const Options,
    out: *mut I,
    most: u64,
) -> Result<(), Failure> {
    if count as u64 > most {
        return Err(Failure::BadArgument);
    }
    // SAFETY: the header asks the caller for what these need, for as long as this call runs.
    let (options, rows, out) =
        unsafe { (How::read(options)?, rows::read(rows, count)?, rows::written(out, count)?) };
    check_memory(count.checked_mul(size_of::<I>()))?;
    options.with_sorter(count, |mut sorter| {
        let order: Vec<I> = match &options.watch {
            Some(watch) => sorter.indices_by_key(rows, |row| watch.key(row)),
            None => sorter.par_indices(rows),
        };
        write(out, order);
    })
}

/// Writes the `k` smallest rows in order.
///
/// # Safety
/// The duties of the caller in `include/skipsort.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn skipsort_top_k(rows: *const Row, count: usize, k: usize, out: *mut Row) -> c_int {
    fence(|| {
        // SAFETY: the header asks the caller for what these need, for as long as this call runs.
        let (rows, out) = unsafe { (rows::read(rows, count)?, rows::written(out, k.min(count))?) };
        check_memory(top_k_bytes(count, out.len()))?;
        write(out, skipsort::top_k(rows, k).into_iter().map(Checked::row));
        Ok(())
    })
}

/// Bytes that choosing `k` of `count` rows takes, if there are so many addresses.
fn top_k_bytes(count: usize, k: usize) -> Option<usize> {
    if k <= HEAP && count >= HEAP_FROM {
        return Some(k * HEAP_BYTES);
    }
    count.checked_mul(ENTRY_PAIR_BYTES)?.checked_add(k.checked_mul(NUMBER_BYTES)?)
}

/// Writes as many values as there is room for, from as many.
fn write<T>(out: &mut [MaybeUninit<T>], values: impl IntoIterator<Item = T>) {
    out.iter_mut().zip(values).for_each(|(place, value)| {
        place.write(value);
    });
}
