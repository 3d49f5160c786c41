//! The first few rows of many.
//!
//! ```text
//!   k tiny      a heap of k {cache, row}; a row is out as soon as its eight bytes are too large
//!   k larger    the lazy sort, stopped after k rows
//! ```

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::bytes::Bytes;
use crate::stream::Sorted;
use crate::{cache, front};

/// Of so many rows and more, the heap is used for one of this many: there the two are even, on average over six sets
/// (`top_k` among the examples of `skipsort-bench`).
const HEAP_SHARE: usize = 500;

/// But for so few rows in any case.
const HEAP_LEAST: usize = if crate::TINY { 4 } else { 80 };

/// Of fewer rows than the lazy sort sets the first apart from, it sorts all: the heap is used up to the root of so many times
/// their number (even at 60 of 200, 130 of 1,000 and 280 of 5,000).
const HEAP_SQUARE: usize = 16;

/// The `k` smallest rows in order; of equal rows the first.
///
/// ```
/// assert_eq!(skipsort::top_k(&["pear", "apple", "fig"], 2), [&"apple", &"fig"]);
/// ```
pub fn top_k<T: Bytes>(rows: &[T], k: usize) -> Vec<&T> {
    top_k_indices(rows, k).into_iter().map(|row| &rows[row]).collect()
}

/// The numbers of the `k` smallest rows in order; of equal rows the first, in their order.
///
/// ```
/// assert_eq!(skipsort::top_k_indices(&["pear", "apple", "fig", "apple"], 2), [1, 3]);
/// ```
pub fn top_k_indices<T: Bytes>(rows: &[T], k: usize) -> Vec<usize> {
    let k = k.min(rows.len());
    if heap_is_faster(k, rows.len()) {
        return by_heap(rows, k);
    }
    let mut sorted = Sorted::new(rows);
    core::iter::from_fn(|| sorted.next_index()).take(k).collect()
}

fn heap_is_faster(k: usize, rows: usize) -> bool {
    if rows < front::WORTH { k * k <= HEAP_SQUARE * rows } else { k <= (rows / HEAP_SHARE).max(HEAP_LEAST) }
}

/// A row in the heap.
struct Candidate<'r> {
    cache: u64,
    key: &'r [u8],
    row: usize,
}

impl Ord for Candidate<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_key = || self.key.cmp(other.key);
        self.cache.cmp(&other.cache).then_with(by_key).then(self.row.cmp(&other.row))
    }
}

impl PartialOrd for Candidate<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate<'_> {}

fn by_heap<T: Bytes>(rows: &[T], k: usize) -> Vec<usize> {
    if k == 0 {
        return Vec::new();
    }
    let mut heap: BinaryHeap<Candidate<'_>> = BinaryHeap::with_capacity(k);
    for (row, value) in rows.iter().enumerate() {
        let key = value.bytes();
        let candidate = Candidate { cache: cache::load(key, 0), key, row };
        if heap.len() < k {
            heap.push(candidate);
            continue;
        }
        // Nearly all rows end here, most of them without a look at more than eight bytes.
        let out = |most: &Candidate<'_>| {
            candidate.cache > most.cache || (candidate.cache == most.cache && candidate.key >= most.key)
        };
        if heap.peek().is_some_and(out) {
            continue;
        }
        if let Some(mut largest) = heap.peek_mut() {
            *largest = candidate;
        }
    }
    heap.into_sorted_vec().into_iter().map(|candidate| candidate.row).collect()
}
