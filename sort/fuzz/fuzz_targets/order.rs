//! Sorted slices are those of the oracle, with each kind of memory.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skipsort::{Scratch, Sorter};
use skipsort_fuzz::{expect, keys, slices};
use skipsort_testkit::oracle;

fuzz_target!(|input: &[u8]| {
    let keys = keys(input);
    let rows = slices(&keys);
    for mut scratch in [Scratch::new(), Scratch::one_buffer(), Scratch::bounded(rows.len() * 20)] {
        let mut sorted = rows.clone();
        Sorter::new(&mut scratch).unstable().sort(&mut sorted);
        expect(oracle::check_sorted(&rows, &sorted));
    }
});
