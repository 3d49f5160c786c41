//! Input that is in order already, or in reverse: a pass or two and done.
//!
//! ```text
//!   in reverse     d  c2 c1 b  a        numbers tell equal rows apart
//!   turned round   a  b  c1 c2 d        a tie stands the wrong way round now, if that matters
//!   its ties too   a  b  c2 c1 d        and every row is where a stable sort puts it
//! ```
//!
//! The pass stops at the first pair that breaks the pattern, so other inputs lose next to nothing.

use alloc::vec::Vec;

use crate::how::How;
use crate::index::Index;

/// What the keys of rows are like, if they never rise.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Falling {
    Strictly,
    /// Some neighbours are equal.
    WithTies,
}

fn falling<T>(rows: &[T], key: impl Fn(&T) -> &[u8], how: How) -> Option<Falling> {
    let mut ties = false;
    let falls = rows.is_sorted_by(|a, b| {
        let order = how.compare(key(a), key(b));
        ties |= order.is_eq();
        order.is_ge()
    });
    falls.then_some(if ties { Falling::WithTies } else { Falling::Strictly })
}

/// True when no row comes before the one before it.
pub(crate) fn in_order<T>(rows: &[T], key: impl Fn(&T) -> &[u8], how: How) -> bool {
    rows.is_sorted_by(|a, b| how.compare(key(a), key(b)).is_le())
}

/// True when `rows` were in order, or in reverse and now turned round.
pub(crate) fn done<T>(rows: &mut [T], key: impl Fn(&T) -> &[u8], how: How) -> bool {
    if in_order(rows, &key, how) {
        return true;
    }
    let Some(falling) = falling(rows, &key, how) else { return false };
    // Whether each row ties with the next; asked before anything moves, as a key function may panic.
    let mut ties: Vec<bool> = Vec::new();
    if falling == Falling::WithTies && how.stable {
        ties.extend(rows.windows(2).map(|pair| key(&pair[0]) == key(&pair[1])).chain([false]));
    }
    rows.reverse();
    // Their last run is the first now.
    let mut rest = rows;
    for run in ties.chunk_by(|tie, _| *tie).rev() {
        let (run, after) = rest.split_at_mut(run.len());
        run.reverse();
        rest = after;
    }
    true
}

/// The row numbers, if rows are in order or in reverse; equal rows in their old order.
pub(crate) fn order<T, I: Index>(rows: &[T], key: impl Fn(&T) -> &[u8], how: How) -> Option<Vec<I>> {
    let numbers = (0..rows.len()).map(I::from_row);
    if in_order(rows, &key, how) {
        return Some(numbers.collect());
    }
    let falling = falling(rows, &key, how)?;
    let mut order: Vec<I> = numbers.rev().collect();
    if falling == Falling::WithTies {
        let tied = |a: &I, b: &I| key(&rows[a.row()]) == key(&rows[b.row()]);
        order.chunk_by_mut(tied).for_each(<[I]>::reverse);
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows with numbers: what is in order by key first and then in the old order.
    #[test]
    fn rows_in_reverse_end_where_a_stable_sort_puts_them() {
        for keys in ["", "a", "aa", "abc", "cba", "ccba", "cbba", "cbaa", "ccbbaa", "dccccba", "abab", "cbab"]
        {
            let mut rows: Vec<(usize, &str)> = (0..keys.len()).map(|at| (at, &keys[at..=at])).collect();
            let mut expected = rows.clone();
            expected.sort_by_key(|row| row.1);
            let orderly = keys.as_bytes().is_sorted() || keys.bytes().rev().is_sorted();
            let numbers: Option<Vec<usize>> = order(&rows, |row| row.1.as_bytes(), How::STABLE);
            assert_eq!(numbers, orderly.then(|| expected.iter().map(|row| row.0).collect()), "{keys}");
            let mut unstable = rows.clone();
            assert_eq!(done(&mut unstable, |row| row.1.as_bytes(), How::UNSTABLE), orderly, "{keys}");
            assert_eq!(done(&mut rows, |row| row.1.as_bytes(), How::STABLE), orderly, "{keys}");
            if orderly {
                assert_eq!(rows, expected);
                assert!(unstable.is_sorted_by_key(|row| row.1));
            }
        }
    }
}
