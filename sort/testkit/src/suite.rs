//! One property suite; a line per sort.
//!
//! ```
//! skipsort_testkit::order_suite!(std_stable, |rows: &[&[u8]]| {
//!     let mut order: Vec<usize> = (0..rows.len()).collect();
//!     order.sort_by_key(|&row| rows[row]);
//!     order
//! });
//! ```
//!
//! Sizes cross every threshold of the sort. Miri runs the small half: fewer rows, same patterns.

use crate::Keys;
use crate::patterns::{self, Pattern};

/// Numbers of rows to try.
pub fn sizes() -> &'static [usize] {
    if cfg!(miri) { &[3, 25, 110] } else { &[0, 1, 2, 3, 24, 128, 129, 300, 2_000] }
}

/// Rows of the one large case per pattern: more than a chunk.
const LARGE: usize = 40_000;

/// Runs `check` on each pattern and size, saying which one failed.
pub fn each(check: impl Fn(&[&[u8]]) -> Result<(), String>) {
    for pattern in patterns::all() {
        for &rows in sizes() {
            if cfg!(miri) && rows > 3 && !affordable(pattern, LARGE) {
                continue;
            }
            run(pattern, rows, &check);
        }
        if !cfg!(miri) && affordable(pattern, LARGE) {
            run(pattern, LARGE, &check);
        }
    }
}

fn run(pattern: &Pattern, rows: usize, check: &impl Fn(&[&[u8]]) -> Result<(), String>) {
    let keys: Keys = pattern.keys(rows, rows as u64);
    if let Err(complaint) = check(&keys.slices()) {
        panic!("{} x {rows}: {complaint}", pattern.name);
    }
}

/// The naive oracle compares whole keys; some adversaries make that too slow for a default test run.
fn affordable(pattern: &Pattern, rows: usize) -> bool {
    rows <= 2_000 || !matches!(pattern.name, "ladder" | "huge" | "last_bit" | "fan")
}

/// Tests that a closure from rows to row numbers orders them.
#[macro_export]
macro_rules! order_suite {
    ($name:ident, $order:expr) => {
        #[test]
        fn $name() {
            $crate::suite::each(|rows| {
                let order: Vec<usize> = ($order)(rows);
                $crate::oracle::check_order(rows, &order)
            });
        }
    };
}

/// Tests that a closure from rows to row numbers orders them and keeps equals in order.
#[macro_export]
macro_rules! stable_suite {
    ($name:ident, $order:expr) => {
        #[test]
        fn $name() {
            $crate::suite::each(|rows| {
                let order: Vec<usize> = ($order)(rows);
                $crate::oracle::check_stable(rows, &order)
            });
        }
    };
}

/// Tests that a closure that sorts a slice of keys in place does so.
#[macro_export]
macro_rules! sort_suite {
    ($name:ident, $sort:expr) => {
        #[test]
        fn $name() {
            $crate::suite::each(|rows| {
                let mut sorted = rows.to_vec();
                let sort: fn(&mut [&[u8]]) = $sort;
                sort(&mut sorted);
                $crate::oracle::check_sorted(rows, &sorted)
            });
        }
    };
}
