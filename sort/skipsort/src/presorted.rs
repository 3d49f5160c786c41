//! Input that is in order already, or in reverse: one pass and done.
//!
//! The pass stops at the first pair that breaks the pattern, so other inputs lose next to nothing.

use alloc::vec::Vec;

/// True when `rows` were in order, or strictly descending and now reversed.
pub(crate) fn done<T>(rows: &mut [T], key: impl Fn(&T) -> &[u8]) -> bool {
    if rows.is_sorted_by(|a, b| key(a) <= key(b)) {
        return true;
    }
    // Only strictly: reversing equal rows would not be stable.
    let descending = rows.is_sorted_by(|a, b| key(a) > key(b));
    if descending {
        rows.reverse();
    }
    descending
}

/// The row numbers, if rows are in order or strictly descending.
pub(crate) fn order<T, I: crate::Index>(rows: &[T], key: impl Fn(&T) -> &[u8]) -> Option<Vec<I>> {
    let numbers = (0..rows.len()).map(I::from_row);
    if rows.is_sorted_by(|a, b| key(a) <= key(b)) {
        return Some(numbers.collect());
    }
    rows.is_sorted_by(|a, b| key(a) > key(b)).then(|| numbers.rev().collect())
}
