//! Longest common prefixes of neighbours, beside the order.
//!
//! ```text
//!   in order   "fig"  "figure"  "fit"  "pear"
//!   lcp          0        3       2       0      shared with the row before
//! ```
//!
//! A merge of sorted runs that knows them compares from there on (Ng and Kakehi's LCP merge), a group
//! boundary is where the value falls below the grouping prefix, and front coding writes them down.

use alloc::vec::Vec;

use crate::bytes::Bytes;
use crate::indices::{Index, sort_stable_indices};
use crate::prefetch::{self, AHEAD};
use crate::prefix;

/// Stable [`sort_indices`](crate::sort_indices), and what each row shares with the one before it.
///
/// ```
/// let rows = ["fit", "pear", "figure", "fig"];
/// let (order, lcps) = skipsort::sort_indices_lcp::<_, u32>(&rows);
/// assert_eq!(order, [3, 2, 0, 1]);
/// assert_eq!(lcps, [0, 3, 2, 0]);
/// ```
pub fn sort_indices_lcp<T: Bytes, I: Index>(rows: &[T]) -> (Vec<I>, Vec<usize>) {
    let order: Vec<I> = sort_stable_indices(rows);
    let lcps = lcp_array(rows, &order);
    (order, lcps)
}

/// What each row, in the order given, shares with the one before it; 0 for the first.
///
/// # Panics
/// If `order` names a row that does not exist.
pub fn lcp_array<T: Bytes, I: Index>(rows: &[T], order: &[I]) -> Vec<usize> {
    let key = |at: usize| rows[order[at].row()].bytes();
    let mut before: &[u8] = &[];
    let lcp = |at: usize| {
        if at + 2 * AHEAD < order.len() {
            prefetch::line(rows.as_ptr().wrapping_add(order[at + 2 * AHEAD].row()).cast());
            prefetch::line(key(at + AHEAD).as_ptr());
        }
        let this = key(at);
        prefix::common(core::mem::replace(&mut before, this), this, 0, usize::MAX)
    };
    (0..order.len()).map(lcp).collect()
}
