//! The LCP array is the oracle's.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skipsort_fuzz::{expect, keys, slices};
use skipsort_testkit::oracle;

fuzz_target!(|input: &[u8]| {
    let keys = keys(input);
    let rows = slices(&keys);
    let order: Vec<usize> = skipsort::sort_indices(&rows);
    let lcps = skipsort::lcp_array(&rows, &order);
    let sorted: Vec<&[u8]> = order.iter().map(|&row| rows[row]).collect();
    expect(oracle::check_sorted(&rows, &sorted));
    expect(oracle::check_equal("lcp", &oracle::lcps(&sorted), &lcps));
});
