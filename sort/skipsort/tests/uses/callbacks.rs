//! Key functions that panic or lie: no row is lost or doubled.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use skipsort::{SkipSort, Sorter};

const ROWS: usize = if cfg!(miri) { 200 } else { 5_000 };

fn rows() -> Vec<String> {
    (0..ROWS).map(|n| format!("shared prefix {:04}", n * 7919 % ROWS)).collect()
}

/// Same rows, in any order.
fn assert_same_rows(mut got: Vec<String>) {
    let mut expected = rows();
    got.sort();
    expected.sort();
    assert_eq!(got, expected);
}

#[test]
fn a_panic_leaves_all_rows() {
    for calls in [0, 1, 2, 100, ROWS, ROWS + 1, 2 * ROWS, 3 * ROWS] {
        let mut rows = rows();
        let left = Cell::new(calls);
        let sort = || {
            rows.skip_sort_by_key(|row| {
                left.set(left.get().checked_sub(1).expect("the test's own panic"));
                row.as_bytes()
            });
        };
        if catch_unwind(AssertUnwindSafe(sort)).is_err() {
            assert_eq!(rows, self::rows(), "as they were");
        } else {
            assert_same_rows(rows);
        }
    }
}

#[test]
fn lies_leave_all_rows() {
    let answers: [&[u8]; 5] =
        [b"", b"shared prefix", b"shared prefix 0001", b"zzzzzzzzzzzzzzzzzzzz", &[0; 40]];
    for seed in 0..if cfg!(miri) { 2 } else { 20 } {
        let mut rows = rows();
        let state = Cell::new(seed);
        rows.skip_sort_by_key(|_| {
            state.set((state.get() * 1_103_515_245 + 12_345) % 2_147_483_648u64);
            answers[state.get() as usize / 65_536 % answers.len()]
        });
        assert_same_rows(rows);
    }
}

/// Lengths of 16 MiB and more are in no handle: the function is asked for them again and again.
#[test]
fn lies_about_very_long_keys_leave_all_rows() {
    const ROWS: usize = 500;
    for seed in 0..if cfg!(miri) { 1 } else { 20 } {
        // Rows that are moved through spare room, and in cycles.
        let mut rows: Vec<Box<str>> = (0..ROWS).map(|n| format!("{n:03}").into()).collect();
        let liar = Liar::new(ROWS, seed);
        rows.skip_sort_by_key(|_| liar.key());
        assert!(liar.calls.get() > liar.long_until + ROWS, "lies were told");
        rows.sort();
        assert!(rows.iter().map(|row| row.parse()).eq((0..ROWS).map(Ok)));
        let mut wide: Vec<(String, [u64; 4])> = rows.iter().map(|row| (row.to_string(), [7; 4])).collect();
        let liar = Liar::new(ROWS, seed);
        wide.skip_sort_by_key(|_| liar.key());
        wide.sort();
        assert!(wide.iter().map(|row| row.0.parse()).eq((0..ROWS).map(Ok)));
    }
}

/// Neither in order nor in reverse at first, then one very long key for each row, and then any length that the dice say.
struct Liar {
    calls: Cell<usize>,
    long_until: usize,
    dice: Cell<u64>,
}

impl Liar {
    fn new(rows: usize, seed: u64) -> Self {
        Self { calls: Cell::new(0), long_until: 4 + rows, dice: Cell::new(seed) }
    }

    fn key(&self) -> &'static [u8] {
        static ZEROS: [u8; 1 << 24] = [0; 1 << 24];
        let call = self.calls.replace(self.calls.get() + 1);
        match call {
            0..4 => [b"b", b"a", b"a", b"b"][call],
            _ if call < self.long_until => &ZEROS,
            _ => {
                self.dice.set((self.dice.get() * 1_103_515_245 + 12_345) % 2_147_483_648);
                &ZEROS[..self.dice.get() as usize / 65_536 % 20]
            }
        }
    }
}

#[test]
fn lies_about_few_rows_leave_all_of_them() {
    for seed in 0..if cfg!(miri) { 2 } else { 200 } {
        let mut few: Vec<String> = (0..60).map(|n| format!("{n:02}")).collect();
        let state = Cell::new(seed);
        // The standard library's sort, which these are given to, may panic over it.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            few.skip_sort_by_key(|row| {
                state.set((state.get() * 1_103_515_245 + 12_345) % 2_147_483_648u64);
                &row.as_bytes()[..state.get() as usize / 65_536 % 3]
            });
        }));
        few.sort();
        assert!(few.iter().map(|row| row.parse()).eq((0..60).map(Ok)));
    }
}

#[test]
fn a_lazy_sort_is_over_after_a_panic() {
    struct Touchy<'c>(String, &'c Cell<usize>);
    impl skipsort::Bytes for Touchy<'_> {
        fn bytes(&self) -> &[u8] {
            self.1.set(self.1.get().checked_sub(1).expect("the test's own panic"));
            self.0.as_bytes()
        }
    }
    for calls in [0, 1, ROWS, 2 * ROWS, 5 * ROWS] {
        let left = Cell::new(usize::MAX);
        let rows: Vec<Touchy<'_>> = rows().into_iter().map(|name| Touchy(name, &left)).collect();
        let mut sorted = skipsort::Sorted::new(&rows);
        left.set(calls);
        let got = Cell::new(0);
        let drain = || sorted.by_ref().for_each(|_| got.set(got.get() + 1));
        let panicked = catch_unwind(AssertUnwindSafe(drain)).is_err();
        left.set(usize::MAX);
        assert_eq!(sorted.count(), 0);
        assert!(panicked || got.get() == ROWS, "{calls} calls");
    }
}

#[test]
fn rows_of_any_size_and_alignment() {
    #[derive(Clone, PartialEq, Debug)]
    #[repr(align(64))]
    struct Wide([u8; 100], String);
    let mut rows: Vec<Wide> = rows().into_iter().map(|name| Wide([7; 100], name)).collect();
    let mut expected = rows.clone();
    expected.sort_by(|a, b| a.1.cmp(&b.1));
    rows.skip_sort_by_key(|row| row.1.as_bytes());
    assert_eq!(rows, expected);
    let mut bytes: Vec<[u8; 1]> = (0..ROWS).map(|n| [(n * 31) as u8]).collect();
    skipsort::sort(&mut bytes);
    assert!(bytes.is_sorted());
}

#[test]
fn memory_is_what_was_said() {
    let words = rows();
    for (mut scratch, most) in [
        (skipsort::Scratch::new(), 32 * ROWS),
        (skipsort::Scratch::bounded(20 * ROWS), 20 * ROWS),
        (skipsort::Scratch::bounded(0), 0),
    ] {
        let mut rows: Vec<&str> = words.iter().map(|word| &**word).collect();
        Sorter::new(&mut scratch).unstable().sort(&mut rows);
        assert!(rows.is_sorted() && scratch.capacity() <= most, "{} > {most}", scratch.capacity());
    }
}
