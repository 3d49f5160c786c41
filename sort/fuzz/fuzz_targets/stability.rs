//! Stable indices are the oracle's, as are those that threads make.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skipsort::{Scratch, Sorter};
use skipsort_fuzz::{expect, keys, slices};
use skipsort_testkit::oracle;

fuzz_target!(|input: &[u8]| {
    let keys = keys(input);
    let rows = slices(&keys);
    for mut scratch in [Scratch::new(), Scratch::one_buffer(), Scratch::bounded(0)] {
        let order: Vec<usize> = Sorter::new(&mut scratch).indices(&rows);
        expect(oracle::check_stable(&rows, &order));
    }
    expect(oracle::check_stable(&rows, &Sorter::new(&mut Scratch::new()).par_indices::<_, usize>(&rows)));
});
