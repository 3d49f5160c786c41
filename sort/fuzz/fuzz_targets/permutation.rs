//! Indices name each row once; owned rows are neither lost nor doubled, whatever the key says.
#![no_main]

use std::cell::Cell;

use libfuzzer_sys::fuzz_target;
use skipsort_fuzz::{expect, keys, outlive_panics, slices};
use skipsort_testkit::oracle;

fuzz_target!(|input: &[u8]| {
    let mut keys = keys(input);
    let order: Vec<u64> = skipsort::sort_indices(&slices(&keys));
    let order: Vec<usize> = order.into_iter().map(|row| row as usize).collect();
    expect(oracle::check_order(&slices(&keys), &order));

    let mut expected = keys.clone();
    expected.sort();
    let calls = Cell::new(0);
    // The standard library, which sorts few rows, may panic over a liar.
    outlive_panics(|| {
        skipsort::SkipSort::skip_sort_by_key(&mut keys[..], |key| {
            // A liar: the answer depends on how often it was asked.
            calls.set(calls.get() + 1);
            &key[..(key.len() * (calls.get() % 3) / 2).min(key.len())]
        });
    });
    keys.sort();
    assert_eq!(keys, expected);
});
