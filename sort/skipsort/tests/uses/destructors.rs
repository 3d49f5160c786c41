//! Rows that own something, and rows that are nothing: each is dropped once, whatever the key function does.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use skipsort::{Bytes, SkipSort, Sorted};
use skipsort_testkit::rows::{Counted, Nothing, Row, rows};

const ROWS: usize = if cfg!(miri) { 60 } else { 1_000 };

/// What a key function does at each call.
type Behaviour = fn(call: usize, key: &[u8]) -> &[u8];

const BEHAVIOURS: &[(&str, Behaviour)] = &[
    ("tells the truth", |_, key| key),
    ("panics late", |call, key| if call < 3 * ROWS { key } else { panic!("the test's own panic") }),
    ("panics soon", |call, key| if call < ROWS / 2 { key } else { panic!("the test's own panic") }),
    ("gives a shorter key later", |call, key| &key[..key.len().saturating_sub(call / ROWS)]),
    ("gives a longer key later", |call, key| if call < 2 * ROWS { &key[..1] } else { key }),
    ("gives any part of the key", |call, key| &key[call * 7919 % (key.len() + 1)..]),
    ("gives another's key", |call, _| &ZEROS[..call * 7919 % ZEROS.len()]),
];

static ZEROS: [u8; 100] = [0; 100];

/// The standard library may panic over keys that are not in one order, and so may the sort.
#[test]
fn each_row_is_dropped_once() {
    for (name, behaviour) in BEHAVIOURS {
        for few in [false, true] {
            let calls = Cell::new(0);
            let mut all: Vec<Counted> = rows(if few { 20 } else { ROWS });
            let alive = Counted::alive();
            let sort = || {
                all.skip_sort_by_key(|row| behaviour(calls.replace(calls.get() + 1), row.key()));
            };
            let _ = catch_unwind(AssertUnwindSafe(sort));
            let count = all.len();
            let keys = |rows: Vec<Counted>| {
                let mut keys: Vec<Vec<u8>> = rows.iter().map(|row| row.key().to_vec()).collect();
                keys.sort();
                keys
            };
            assert_eq!(keys(all), keys(rows(count)), "{name}");
            assert_eq!(Counted::alive(), alive - if few { 20 } else { ROWS as isize }, "{name}");
        }
    }
}

/// Rows without bytes can have keys that differ: the key function is free to give any.
#[test]
fn rows_of_no_size() {
    for (name, behaviour) in BEHAVIOURS {
        let mut all: Vec<Nothing> = rows(ROWS);
        let calls = Cell::new(0);
        let sort = || {
            all.skip_sort_by_key(|_| {
                behaviour(calls.replace(calls.get() + 1), &b"0123456789"[calls.get() % 10..])
            });
        };
        let _ = catch_unwind(AssertUnwindSafe(sort));
        assert_eq!(all.len(), ROWS, "{name}");
    }
    [(); if cfg!(miri) { 1 << 8 } else { 1 << 20 }].skip_sort_by_key(|()| b"the same");
}

/// A key that can be told to panic.
struct Touchy(Counted, fn());

impl Bytes for Touchy {
    fn bytes(&self) -> &[u8] {
        (self.1)();
        self.0.key()
    }
}

fn touchy(behaviour: fn()) -> Vec<Touchy> {
    rows::<Counted>(ROWS).into_iter().map(|row| Touchy(row, behaviour)).collect()
}

#[test]
fn a_lazy_sort_that_is_not_finished_owns_nothing() {
    let all = touchy(|| ());
    let alive = Counted::alive();
    let mut dropped = Sorted::new(&all);
    assert!(dropped.nth(ROWS / 2).is_some());
    drop(dropped);
    let mut leaked = Sorted::new(&all);
    assert!(leaked.next().is_some());
    // Its memory is lost with it, which is safe; Miri would say so at the end of the program.
    if !cfg!(miri) {
        std::mem::forget(leaked);
    }
    assert_eq!(Counted::alive(), alive);
    let first: Vec<&Touchy> = Sorted::new(&all).take(3).collect();
    assert!(first.is_sorted_by(|a, b| a.0.key() <= b.0.key()));
}

#[test]
fn a_lazy_sort_that_was_panicked_through_is_over() {
    thread_local!(static LEFT: Cell<usize> = const { Cell::new(0) });
    let all = touchy(|| LEFT.set(LEFT.get().checked_sub(1).expect("the test's own panic")));
    for calls in [0, 1, ROWS / 2, ROWS + 5] {
        LEFT.set(calls);
        let mut sorted = Sorted::new(&all);
        let caught = catch_unwind(AssertUnwindSafe(|| sorted.by_ref().count()));
        LEFT.set(usize::MAX);
        assert!(caught.is_err() && sorted.next().is_none() && sorted.next_index().is_none());
        drop(sorted);
        assert_eq!(Sorted::new(&all).count(), ROWS, "the rows are as they were");
    }
}
