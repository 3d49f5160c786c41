//! The stop callback: at every moment, and what it leaves.

use std::ffi::{c_int, c_void};
use std::ptr;

use skipsort_c::{Options, SKIPSORT_OK, SKIPSORT_STOPPED, skipsort_indices64};
use skipsort_testkit::{oracle, patterns, suite};

use crate::harness::{Scratch, indices, numbers, rows, sort};

/// Counts its calls in the context, and stops at none left.
unsafe extern "C" fn count_down(context: *mut c_void) -> c_int {
    // SAFETY: the tests hand over a number that nobody else uses during the call.
    let left = unsafe { &mut *context.cast::<usize>() };
    *left = left.wrapping_sub(1);
    c_int::from(*left == usize::MAX)
}

fn options(left: &mut usize) -> Options {
    Options { stop: Some(count_down), context: ptr::from_mut(left).cast(), ..Options::default() }
}

#[test]
fn a_callback_that_goes_on_changes_nothing() {
    suite::each(|keys| {
        let mut left = usize::MAX - 1;
        let mut sorted = rows(keys);
        assert_eq!(sort(&mut sorted, Some(&options(&mut left))), SKIPSORT_OK);
        assert!(left < usize::MAX - 1 || keys.len() < 2);
        oracle::check_stable(keys, &numbers(&sorted))?;
        oracle::check_stable(keys, &indices(&rows(keys), Some(&options(&mut left))))
    });
}

#[test]
fn stopped_at_every_moment_each_row_is_there_once() {
    let count = if cfg!(miri) { 200 } else { 20_000 };
    let keys = patterns::find("url").expect("a pattern").keys(count, 1);
    let scratch = Scratch::new(0);
    let mut calls = 0;
    loop {
        let mut sorted = rows(&keys.slices());
        let mut left = calls;
        let status = sort(&mut sorted, Some(&Options { scratch: scratch.0, ..options(&mut left) }));
        let mut seen = numbers(&sorted);
        if status == SKIPSORT_OK {
            break;
        }
        assert_eq!(status, SKIPSORT_STOPPED);
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..count));
        calls += 1;
    }
    // Several looks at each key, of which one in 4096 asks; Miri's rows are too few for a second.
    assert!(calls >= if cfg!(miri) { 1 } else { count / 4096 }, "{calls} calls");
}

#[test]
fn stopped_indices_write_nothing() {
    let keys = patterns::find("uuid").expect("a pattern").keys(500, 1);
    let rows = rows(&keys.slices());
    let mut out = vec![7_u64; rows.len()];
    let mut left = 0;
    // SAFETY: `out` has as many elements as there are rows.
    let status =
        unsafe { skipsort_indices64(rows.as_ptr(), rows.len(), &options(&mut left), out.as_mut_ptr()) };
    assert_eq!(status, SKIPSORT_STOPPED);
    assert!(out.iter().all(|&number| number == 7));
}
