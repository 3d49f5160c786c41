//! Distribution in place (American flag sort), for the one-buffer mode.
//!
//! ```text
//!   heads   v       v     v           each bucket has a head that moves right over rows that are
//!          [0 1 2 | 1 0 | 2 2 0]      at home; a row that is not is swapped to its bucket's head
//! ```
//!
//! Half the memory of a distribution between two buffers and no stability: each row is moved about
//! once, to places that cannot be foreseen. P. M. McIlroy, K. Bostic and M. D. McIlroy, "Engineering
//! Radix Sort", Computing Systems 6(1), 1993.

use crate::entry::Entry;
use crate::radix::{Digit, MOST_BITS, to_starts};

/// Rows of a bucket that are sent home one after the other before those that came instead are looked at.
const SWEEP: usize = 16;

/// Distributes `rows` among themselves. Afterwards `ends[b]` is where bucket `b` ends.
pub(crate) fn distribute<H: Copy>(rows: &mut [Entry<H>], digit: &Digit, ends: &mut [usize; 1 << MOST_BITS]) {
    for row in &*rows {
        ends[digit.of(row.cache)] += 1;
    }
    to_starts(&mut ends[..digit.buckets()]);
    let mut heads = [0; 1 << MOST_BITS];
    let buckets = digit.buckets();
    heads[..buckets].copy_from_slice(&ends[..buckets]);
    for bucket in 0..buckets {
        ends[bucket] = if bucket + 1 < buckets { ends[bucket + 1] } else { rows.len() };
    }
    for bucket in 0..buckets {
        while heads[bucket] < ends[bucket] {
            // Each swap sends one row home. What it brings is looked at in the next sweep, so that the swaps of one
            // sweep do not wait for each other. `at` is never before the bucket's head: both move by one at most.
            for at in heads[bucket]..ends[bucket].min(heads[bucket] + SWEEP) {
                let home = digit.of(rows[at].cache);
                rows.swap(at, heads[home]);
                heads[home] += 1;
            }
        }
    }
}
