//! Every code, and that nothing has happened where it says so.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;

use skipsort_c::{
    Options, Row, SKIPSORT_BAD_ARGUMENT, SKIPSORT_DESCENDING, SKIPSORT_NO_MEMORY, SKIPSORT_OK,
    SKIPSORT_PANIC, SKIPSORT_STOPPED, ScratchHandle, skipsort_indices32, skipsort_indices64,
    skipsort_scratch_bytes, skipsort_scratch_free, skipsort_sort, skipsort_strerror, skipsort_top_k,
    skipsort_version,
};

use crate::harness::{Scratch, numbers, rows, sort};

const KEYS: [&[u8]; 3] = [b"pear", b"apple", b"fig"];

unsafe extern "C" fn go_on(_: *mut c_void) -> c_int {
    0
}

/// What all functions say to these arguments.
fn all(rows: *mut Row, count: usize, options: *const Options) -> [c_int; 3] {
    // SAFETY: the arguments are refused before anything is read or written.
    unsafe {
        [
            skipsort_sort(rows, count, options),
            skipsort_indices32(rows, count, options, ptr::dangling_mut()),
            skipsort_indices64(rows, count, options, ptr::dangling_mut()),
        ]
    }
}

#[test]
fn null_without_rows_is_fine() {
    // SAFETY: nothing is there to be read or written.
    let statuses = unsafe {
        [
            skipsort_sort(ptr::null_mut(), 0, ptr::null()),
            skipsort_indices32(ptr::null(), 0, ptr::null(), ptr::null_mut()),
            skipsort_indices64(ptr::null(), 0, ptr::null(), ptr::null_mut()),
            skipsort_top_k(ptr::null(), 0, 5, ptr::null_mut()),
        ]
    };
    assert_eq!(statuses, [SKIPSORT_OK; 4]);
    let mut rows = rows(&KEYS);
    // SAFETY: no row is asked for.
    assert_eq!(unsafe { skipsort_top_k(rows.as_ptr(), 3, 0, ptr::null_mut()) }, SKIPSORT_OK);
    rows[0] = Row { key: ptr::null(), length: 0, payload: 7 };
    assert_eq!(sort(&mut rows, None), SKIPSORT_OK);
    assert_eq!(numbers(&rows), [7, 1, 2]);
}

#[test]
fn null_with_rows_is_refused() {
    assert_eq!(all(ptr::null_mut(), 3, ptr::null()), [SKIPSORT_BAD_ARGUMENT; 3]);
    let rows = rows(&KEYS);
    // SAFETY: refused before anything is written.
    let statuses = unsafe {
        [
            skipsort_indices32(rows.as_ptr(), 3, ptr::null(), ptr::null_mut()),
            skipsort_indices64(rows.as_ptr(), 3, ptr::null(), ptr::null_mut()),
            skipsort_top_k(rows.as_ptr(), 3, 2, ptr::null_mut()),
            skipsort_top_k(ptr::null(), 3, 2, ptr::dangling_mut()),
        ]
    };
    assert_eq!(statuses, [SKIPSORT_BAD_ARGUMENT; 4]);
}

#[test]
fn keys_that_cannot_be_there_are_refused() {
    let impossible = [
        Row { key: ptr::null(), length: 1, payload: 0 },
        Row { key: b"a".as_ptr().cast(), length: isize::MAX as usize + 1, payload: 0 },
    ];
    for row in impossible {
        let mut rows = rows(&KEYS);
        rows[1] = row;
        assert_eq!(all(rows.as_mut_ptr(), 3, ptr::null()), [SKIPSORT_BAD_ARGUMENT; 3]);
        let mut out = rows.clone();
        // SAFETY: there is room for two rows.
        let status = unsafe { skipsort_top_k(rows.as_ptr(), 3, 2, out.as_mut_ptr()) };
        assert_eq!((status, out[0].payload), (SKIPSORT_BAD_ARGUMENT, 0));
        assert_eq!(rows[1], row);
    }
}

#[test]
fn counts_that_overflow_are_refused() {
    let mut rows = rows(&KEYS);
    for count in [usize::MAX, isize::MAX as usize, isize::MAX as usize / size_of::<Row>() + 1] {
        assert_eq!(all(rows.as_mut_ptr(), count, ptr::null()), [SKIPSORT_BAD_ARGUMENT; 3]);
    }
    // SAFETY: refused before anything is read.
    let status =
        unsafe { skipsort_indices32(rows.as_ptr(), (1 << 32) + 1, ptr::null(), ptr::dangling_mut()) };
    assert_eq!(status, SKIPSORT_BAD_ARGUMENT);
    // SAFETY: the same.
    let status = unsafe { skipsort_top_k(rows.as_ptr(), usize::MAX, usize::MAX, ptr::dangling_mut()) };
    assert_eq!(status, SKIPSORT_BAD_ARGUMENT);
}

#[test]
fn misaligned_arrays_are_refused() {
    let mut rows = rows(&KEYS);
    let odd = rows.as_mut_ptr().wrapping_byte_add(1);
    assert_eq!(all(odd, 2, ptr::null()), [SKIPSORT_BAD_ARGUMENT; 3]);
    let odd_options = ptr::from_ref(&Options::default()).wrapping_byte_add(1);
    assert_eq!(all(rows.as_mut_ptr(), 3, odd_options), [SKIPSORT_BAD_ARGUMENT; 3]);
    assert_eq!(numbers(&rows), [0, 1, 2]);
}

#[test]
fn options_that_do_not_exist_are_refused() {
    let mut rows = rows(&KEYS);
    let bad = [
        Options { flags: 4, ..Options::default() },
        Options { flags: SKIPSORT_DESCENDING | 1 << 31, ..Options::default() },
        Options { threads: 2, stop: Some(go_on), ..Options::default() },
        Options { threads: 1025, ..Options::default() },
        Options { threads: u32::MAX, ..Options::default() },
        Options { scratch: ptr::without_provenance_mut(1), ..Options::default() },
    ];
    for options in bad {
        assert_eq!(all(rows.as_mut_ptr(), 3, &options), [SKIPSORT_BAD_ARGUMENT; 3], "{options:?}");
    }
    assert_eq!(numbers(&rows), [0, 1, 2]);
}

/// Sorts with the scratch that its own call is using.
unsafe extern "C" fn nested(context: *mut c_void) -> c_int {
    let scratch = context.cast::<ScratchHandle>();
    let options = Options { scratch, ..Options::default() };
    // SAFETY: the test's scratch, not freed yet.
    assert_eq!(unsafe { skipsort_scratch_bytes(scratch) }, 0);
    assert_eq!(sort(&mut rows(&KEYS), Some(&options)), SKIPSORT_BAD_ARGUMENT);
    0
}

#[test]
fn a_scratch_in_use_is_refused() {
    let scratch = Scratch::new(0);
    let context = scratch.0.cast();
    let options = Options { scratch: scratch.0, stop: Some(nested), context, ..Options::default() };
    let mut rows = rows(&KEYS);
    assert_eq!(sort(&mut rows, Some(&options)), SKIPSORT_OK);
    assert_eq!(numbers(&rows), [1, 2, 0]);
}

#[test]
fn null_is_a_scratch_that_holds_nothing() {
    // SAFETY: null is allowed.
    unsafe {
        assert_eq!(skipsort_scratch_bytes(ptr::null()), 0);
        skipsort_scratch_free(ptr::null_mut());
    }
}

#[test]
fn every_code_has_a_meaning_of_its_own() {
    let codes = [SKIPSORT_OK, SKIPSORT_NO_MEMORY, SKIPSORT_BAD_ARGUMENT, SKIPSORT_PANIC, SKIPSORT_STOPPED];
    // SAFETY: a constant that ends with a zero byte.
    let meaning = |code: c_int| unsafe { CStr::from_ptr(skipsort_strerror(code)) };
    let mut meanings: Vec<&CStr> = codes.into_iter().chain([-1]).map(meaning).collect();
    assert_eq!(meaning(99), meaning(-1));
    meanings.sort();
    meanings.dedup();
    assert_eq!(meanings.len(), codes.len() + 1);
    // SAFETY: the same.
    assert_eq!(unsafe { CStr::from_ptr(skipsort_version()) }.to_str(), Ok(env!("CARGO_PKG_VERSION")));
}
