//! Calls of the C functions with Rust's slices.

use std::ffi::c_int;
use std::ptr;

use skipsort_c::{
    Options, Row, SKIPSORT_OK, ScratchHandle, skipsort_indices32, skipsort_indices64, skipsort_scratch_bytes,
    skipsort_scratch_free, skipsort_scratch_new, skipsort_sort, skipsort_top_k,
};

/// Rows of these keys; the payload is the number of the row.
pub fn rows(keys: &[&[u8]]) -> Vec<Row> {
    let row = |(number, key): (usize, &&[u8])| Row {
        key: key.as_ptr().cast(),
        length: key.len(),
        payload: number as u64,
    };
    keys.iter().enumerate().map(row).collect()
}

/// Rows sorted by `skipsort_sort`.
pub fn sort(rows: &mut [Row], options: Option<&Options>) -> c_int {
    let options = options.map_or(ptr::null(), ptr::from_ref);
    // SAFETY: a slice of rows whose keys the tests keep; options are a reference or null.
    unsafe { skipsort_sort(rows.as_mut_ptr(), rows.len(), options) }
}

/// Numbers by `skipsort_indices32`; those of `skipsort_indices64` are the same.
pub fn indices(rows: &[Row], options: Option<&Options>) -> Vec<usize> {
    let options = options.map_or(ptr::null(), ptr::from_ref);
    let mut small = vec![u32::MAX; rows.len()];
    let mut large = vec![u64::MAX; rows.len()];
    // SAFETY: as in `sort`, and `small` has as many elements as there are rows.
    let status = unsafe { skipsort_indices32(rows.as_ptr(), rows.len(), options, small.as_mut_ptr()) };
    assert_eq!(status, SKIPSORT_OK);
    // SAFETY: the same of `large`.
    let status = unsafe { skipsort_indices64(rows.as_ptr(), rows.len(), options, large.as_mut_ptr()) };
    assert_eq!(status, SKIPSORT_OK);
    assert!(small.iter().map(|&row| u64::from(row)).eq(large.iter().copied()));
    large.into_iter().map(|row| row as usize).collect()
}

/// Rows by `skipsort_top_k`; a row behind them stays as it was.
pub fn top_k(rows: &[Row], k: usize) -> Vec<Row> {
    let unused = Row { key: ptr::null(), length: 0, payload: u64::MAX };
    let kept = k.min(rows.len());
    let mut out = vec![unused; kept + 1];
    // SAFETY: as in `sort`, and `out` has room for more than the smaller one of both numbers.
    let status = unsafe { skipsort_top_k(rows.as_ptr(), rows.len(), k, out.as_mut_ptr()) };
    assert_eq!((status, out.pop()), (SKIPSORT_OK, Some(unused)));
    out
}

/// A scratch that is freed.
pub struct Scratch(pub *mut ScratchHandle);

impl Scratch {
    pub fn new(most_bytes: usize) -> Scratch {
        let scratch = Scratch(skipsort_scratch_new(most_bytes));
        assert!(!scratch.0.is_null());
        scratch
    }

    pub fn bytes(&self) -> usize {
        // SAFETY: it is freed by `drop` alone.
        unsafe { skipsort_scratch_bytes(self.0) }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // SAFETY: made in `new`, and freed once.
        unsafe { skipsort_scratch_free(self.0) };
    }
}

/// The payloads of rows that were numbered by [`rows`], as row numbers.
pub fn numbers(rows: &[Row]) -> Vec<usize> {
    rows.iter().map(|row| row.payload as usize).collect()
}
