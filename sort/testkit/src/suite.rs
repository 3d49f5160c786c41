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
//! Sizes cross every threshold of the sort. Miri runs the small half: fewer rows, same patterns. With `SKIPSORT_KEYS=N` in
//! the environment each test goes on with patterns, sizes and seeds drawn at random, until N keys have gone through it.

use crate::Keys;
use crate::patterns::{self, Pattern};
use crate::rng::Rng;

/// Numbers of rows to try.
pub fn sizes() -> &'static [usize] {
    if cfg!(miri) { &[3, 25, 110] } else { &[0, 1, 2, 3, 24, 128, 129, 300, 2_000] }
}

/// Rows of the one large case per pattern: more than a chunk.
const LARGE: usize = 40_000;

/// Rows of any pattern that the naive oracle can bear.
const SMALL: usize = 2_000;

/// Runs `check` on each pattern and size, saying which one failed.
pub fn each(check: impl Fn(&[&[u8]]) -> Result<(), String>) {
    for pattern in patterns::all() {
        for &rows in sizes() {
            if cfg!(miri) && rows > 3 && !affordable(pattern, LARGE) {
                continue;
            }
            run(pattern, rows, rows as u64, &check);
        }
        if !cfg!(miri) && affordable(pattern, LARGE) {
            run(pattern, LARGE, LARGE as u64, &check);
        }
    }
    let more =
        std::env::var("SKIPSORT_KEYS").map_or(0, |keys| keys.parse().expect("SKIPSORT_KEYS is a number"));
    at_random(more, &check);
}

/// Cases drawn at random, as many of ten rows as of ten thousand, until so many keys have gone through.
fn at_random(keys: usize, check: &impl Fn(&[&[u8]]) -> Result<(), String>) {
    let patterns: Vec<&Pattern> = patterns::all().collect();
    // Tests run in threads that bear their names: each test draws cases of its own, and the same ones every time.
    let thread = std::thread::current();
    let name = thread.name().unwrap_or_default().bytes();
    let mut rng = Rng::new(name.fold(0, |seed, byte| Rng::new(seed ^ u64::from(byte)).word()));
    let mut through = 0;
    while through < keys {
        let pattern = patterns[rng.below(patterns.len())];
        let most = if affordable(pattern, LARGE) { LARGE } else { SMALL };
        let rows = (most as f64).powf(rng.unit()) as usize;
        run(pattern, rows, rng.word(), check);
        through += rows;
    }
}

fn run(pattern: &Pattern, rows: usize, seed: u64, check: &impl Fn(&[&[u8]]) -> Result<(), String>) {
    let keys: Keys = pattern.keys(rows, seed);
    if let Err(complaint) = check(&keys.slices()) {
        panic!("{} x {rows}, seed {seed}: {complaint}", pattern.name);
    }
}

/// The naive oracle compares whole keys; some adversaries make that too slow for a default test run.
fn affordable(pattern: &Pattern, rows: usize) -> bool {
    rows <= SMALL || !matches!(pattern.name, "ladder" | "huge" | "last_bit" | "fan")
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
