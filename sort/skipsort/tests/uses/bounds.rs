//! What is said of time and stack, whatever the input: by counting, since a clock proves nothing.

use std::cell::Cell;
use std::thread;

use skipsort::{Bytes, Scratch, SkipSort, Sorted, Sorter};
use skipsort_testkit::{oracle, patterns};

/// A key that counts how often it is asked for.
struct Counting<'k>(&'k [u8], &'k Cell<usize>);

impl Bytes for Counting<'_> {
    fn bytes(&self) -> &[u8] {
        self.1.set(self.1.get() + 1);
        self.0
    }
}

/// How often keys are asked for: once and again where they were found, unless the sort goes through rows at each visit, as
/// the lazy one does.
fn calls(rows: &[&[u8]], sort: impl FnOnce(&mut Vec<Counting<'_>>)) -> usize {
    let calls = Cell::new(0);
    let mut counting: Vec<Counting<'_>> = rows.iter().map(|row| Counting(row, &calls)).collect();
    sort(&mut counting);
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
            let lazily = calls(&keys.slices(), |rows| assert_eq!(Sorted::new(rows).count(), rows.len()));
            let at_once = calls(&keys.slices(), |rows| rows.skip_sort());
            assert!(
                lazily <= 5 * (rows + words) && at_once <= 5 * (rows + words),
                "{}: {rows} rows, {words} words, {lazily} calls, {at_once} at once",
                pattern.name
            );
            if matches!(pattern.name, "sorted" | "reversed" | "all_equal") {
                assert!(at_once <= 2 * rows, "{}: {at_once} calls", pattern.name);
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
    // A level for every eight rungs, as there would be without `comb.rs`, and a frame of a hundred bytes for each would be
    // too much.
    thread::scope(|scope| {
        let small = thread::Builder::new().stack_size(192 << 10).spawn_scoped(scope, sort).expect("a thread");
        small.join().expect("in order");
    });
}
