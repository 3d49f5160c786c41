//! Key functions that panic or lie, on several threads: no row is lost or doubled, and nobody waits for ever.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use skipsort::{Scratch, Sorter};

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

/// A row whose key is what the test makes of it.
struct Row<'t>(String, &'t (dyn Fn(&str) -> &[u8] + Sync));

impl skipsort::Bytes for Row<'_> {
    fn bytes(&self) -> &[u8] {
        (self.1)(&self.0)
    }
}

/// Sorts rows with such keys on three threads, and gives them back, whatever happened.
fn sort(key: &(dyn Fn(&str) -> &[u8] + Sync)) -> (bool, Vec<String>) {
    let mut rows: Vec<Row<'_>> = rows().into_iter().map(|row| Row(row, key)).collect();
    let three = NonZeroUsize::new(3).unwrap();
    let sort = || Sorter::new(&mut Scratch::new()).threads(three).par_sort(&mut rows);
    let panicked = catch_unwind(AssertUnwindSafe(sort)).is_err();
    (panicked, rows.into_iter().map(|row| row.0).collect())
}

/// What a key function keeps for a thread is dropped before the sort returns, not some time after.
#[test]
fn threads_are_gone_when_the_sort_returns() {
    static KEPT: AtomicUsize = AtomicUsize::new(0);
    struct Keeps;
    impl Drop for Keeps {
        fn drop(&mut self) {
            std::thread::sleep(std::time::Duration::from_millis(20));
            KEPT.fetch_sub(1, Ordering::Relaxed);
        }
    }
    thread_local! {
        static KEEPS: Keeps = {
            KEPT.fetch_add(1, Ordering::Relaxed);
            Keeps
        };
    }
    for _ in 0..5 {
        let (panicked, _) = sort(&|row| KEEPS.with(|_| row.as_bytes()));
        assert!(!panicked);
        assert!(KEPT.load(Ordering::Relaxed) <= 1, "but for the caller's own");
    }
}

#[test]
fn a_panic_leaves_all_rows() {
    for calls in [0, 2, ROWS, 2 * ROWS, 3 * ROWS, 4 * ROWS] {
        let asked = AtomicUsize::new(0);
        let (panicked, rows) = sort(&|row| {
            assert!(asked.fetch_add(1, Ordering::Relaxed) < calls, "the test's own panic");
            row.as_bytes()
        });
        // A look at each key is the least.
        assert!(panicked || calls > ROWS);
        match panicked {
            true => assert!(rows == self::rows(), "as they were"),
            false => assert_same_rows(rows),
        }
    }
}

#[test]
fn lies_leave_all_rows() {
    let answers: [&[u8]; 5] =
        [b"", b"shared prefix", b"shared prefix 0001", b"zzzzzzzzzzzzzzzzzzzz", &[0; 40]];
    for seed in 0..if cfg!(miri) { 1 } else { 10 } {
        let asked = AtomicU64::new(seed << 20);
        let (panicked, rows) = sort(&|_| {
            let dice = asked.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            answers[(dice >> 40) as usize % answers.len()]
        });
        assert!(!panicked);
        assert_same_rows(rows);
    }
}
