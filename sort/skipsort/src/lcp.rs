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
use core::ops::Range;

use crate::bytes::Bytes;
use crate::index::Index;
use crate::prefetch::{self, AHEAD};
use crate::prefix;

/// What each row, in the order given, shares with the one before it; 0 for the first.
///
/// ```
/// let rows = ["fit", "pear", "figure", "fig"];
/// let order: Vec<u32> = skipsort::sort_indices(&rows);
/// assert_eq!(order, [3, 2, 0, 1]);
/// assert_eq!(skipsort::lcp_array(&rows, &order), [0, 3, 2, 0]);
/// ```
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

/// Ranges of rows, in order, that share enough with the row before to be in one group with it: at least `enough(row)` bytes.
///
/// With the row's own length, rows of equal keys are a group; with a constant, rows of a common prefix.
///
/// ```
/// let words = ["apple", "fig", "fig", "figure"];
/// let order: Vec<usize> = (0..4).collect();
/// let lcps = skipsort::lcp_array(&words, &order);
/// let equal: Vec<_> = skipsort::groups(&lcps, |row| words[row].len()).collect();
/// assert_eq!(equal, [0..1, 1..3, 3..4]);
/// let of_one_letter: Vec<_> = skipsort::groups(&lcps, |_| 1).collect();
/// assert_eq!(of_one_letter, [0..1, 1..4]);
/// let distinct: Vec<&str> = skipsort::groups(&lcps, |row| words[row].len()).map(|group| words[group.start]).collect();
/// assert_eq!(distinct, ["apple", "fig", "figure"]);
/// ```
pub fn groups(lcps: &[usize], enough: impl Fn(usize) -> usize) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    core::iter::from_fn(move || {
        let group =
            start..start + 1 + (start + 1..lcps.len()).take_while(|row| lcps[*row] >= enough(*row)).count();
        (start < lcps.len()).then(|| {
            start = group.end;
            group
        })
    })
}
