//! What is said of time and stack, whatever the input: by counting, since a clock proves nothing.

use std::cell::Cell;
use std::thread;

use skipsort::{Scratch, SkipSort, Sorter};
use skipsort_testkit::{oracle, patterns};

/// Sorts rows by a key function that counts its calls.
fn calls(rows: &[&[u8]]) -> usize {
    let calls = Cell::new(0);
    let mut sorted: Vec<(&[u8], u32)> = rows.iter().map(|row| (*row, 0)).collect();
    sorted.skip_sort_by_key(|row| {
        calls.set(calls.get() + 1);
        row.0
    });
    calls.get()
}

/// No pattern takes more than 3.9 calls per row and word; without the bound a ladder would take rows times rows.
#[test]
fn keys_are_asked_for_as_often_as_they_have_words_to_tell_apart() {
    for pattern in patterns::all() {
        for rows in if cfg!(miri) { [50, 200] } else { [300, 3_000] } {
            let keys = pattern.keys(rows, 1);
            let mut sorted = keys.slices();
            sorted.sort();
            let words = oracle::distinguishing_bytes(&sorted).div_ceil(8) as usize;
            let calls = calls(&keys.slices());
            assert!(
                calls <= 5 * (rows + words),
                "{}: {rows} rows, {words} words, {calls} calls",
                pattern.name
            );
            if matches!(pattern.name, "sorted" | "reversed" | "all_equal") {
                assert!(calls <= 2 * rows, "{}: {calls} calls", pattern.name);
            }
        }
    }
}

#[test]
fn the_stack_does_not_grow_with_depth() {
    // Enough for one buffer to be less than two.
    let rungs = if cfg!(miri) { 300 } else { 40_000 };
    let keys = patterns::find("ladder").expect("a pattern").keys(rungs, 1);
    let sort = || {
        for mut scratch in [Scratch::new(), Scratch::one_buffer()] {
            let mut rows = keys.slices();
            Sorter::new(&mut scratch).sort(&mut rows);
            assert!(rows.is_sorted_by_key(|row| row.len()));
        }
    };
    // Every eight rungs are a level: a frame of a hundred bytes for each would be too much.
    thread::scope(|scope| {
        let small = thread::Builder::new().stack_size(192 << 10).spawn_scoped(scope, sort).expect("a thread");
        small.join().expect("in order");
    });
}
