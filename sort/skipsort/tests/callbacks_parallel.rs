//! Key functions that panic or lie, on several threads: no row is lost or doubled, and nobody waits for ever.
#![cfg(feature = "parallel")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Enough rows for threads.
const ROWS: usize = if cfg!(miri) { 300 } else { 50_000 };

fn rows() -> Vec<String> {
    (0..ROWS).map(|n| format!("shared prefix {:05}", n * 7919 % ROWS)).collect()
}

/// Same rows, in any order.
fn assert_same_rows(mut got: Vec<String>) {
    let mut expected = rows();
    got.sort();
    expected.sort();
    assert!(got == expected);
}

#[test]
fn a_panic_leaves_all_rows() {
    for calls in [0, 2, ROWS, 2 * ROWS, 3 * ROWS, 4 * ROWS] {
        let mut rows = rows();
        let asked = AtomicUsize::new(0);
        let sort = || {
            skipsort::par_sort_by_key(&mut rows, |row| {
                assert!(asked.fetch_add(1, Ordering::Relaxed) < calls, "the test's own panic");
                row.as_bytes()
            });
        };
        let panicked = catch_unwind(AssertUnwindSafe(sort)).is_err();
        assert!(panicked || asked.into_inner() <= calls);
        assert_same_rows(rows);
    }
}

#[test]
fn lies_leave_all_rows() {
    let answers: [&[u8]; 5] =
        [b"", b"shared prefix", b"shared prefix 0001", b"zzzzzzzzzzzzzzzzzzzz", &[0; 40]];
    for seed in 0..if cfg!(miri) { 1 } else { 10 } {
        let mut rows = rows();
        let asked = AtomicUsize::new(seed);
        skipsort::par_sort_by_key(&mut rows, |_| {
            let dice = asked.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            answers[(dice >> 40) % answers.len()]
        });
        assert_same_rows(rows);
    }
}
