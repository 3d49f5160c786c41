//! The first rows, by heap and lazily, are the oracle's.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skipsort_fuzz::{expect, keys, slices};
use skipsort_testkit::oracle;

fuzz_target!(|input: &[u8]| {
    let keys = keys(input);
    let rows = slices(&keys);
    let mut sorted = rows.clone();
    sorted.sort();
    let k = input.first().map_or(0, |byte| usize::from(*byte) * rows.len() / 200).min(rows.len());
    let top: Vec<&[u8]> = skipsort::top_k(&rows, k).into_iter().copied().collect();
    expect(oracle::check_equal("row", &sorted[..k], &top));
    let lazy: Vec<&[u8]> = skipsort::Sorted::new(&rows).take(k).copied().collect();
    expect(oracle::check_equal("row", &sorted[..k], &lazy));
});
