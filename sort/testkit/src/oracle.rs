//! The obvious answers, slow and beyond doubt.

use std::fmt::Debug;

/// The order of `rows` as numbers; equal keys in row order.
pub fn order(rows: &[&[u8]]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|&a, &b| rows[a].cmp(rows[b]));
    order
}

/// Length of the prefix each row shares with the one before it; 0 for the first.
pub fn lcps(sorted: &[&[u8]]) -> Vec<usize> {
    let common = |a: &[u8], b: &[u8]| a.iter().zip(b).take_while(|(x, y)| x == y).count();
    (0..sorted.len()).map(|row| if row == 0 { 0 } else { common(sorted[row - 1], sorted[row]) }).collect()
}

/// Bytes that must be read to tell the keys apart: the distinguishing prefixes, D.
pub fn distinguishing_bytes(sorted: &[&[u8]]) -> u64 {
    let lcps = lcps(sorted);
    let next = |row: usize| lcps.get(row + 1).copied().unwrap_or(0);
    (0..sorted.len()).map(|row| (lcps[row].max(next(row)) + 1).min(sorted[row].len()) as u64).sum()
}

/// Complains unless `sorted` is `rows` in order.
pub fn check_sorted(rows: &[&[u8]], sorted: &[&[u8]]) -> Result<(), String> {
    let expected: Vec<&[u8]> = order(rows).into_iter().map(|row| rows[row]).collect();
    check_equal("row", &expected, sorted)
}

/// Complains unless `order` names each row once, in order.
pub fn check_order(rows: &[&[u8]], order: &[usize]) -> Result<(), String> {
    let mut seen = vec![false; rows.len()];
    for &row in order {
        if std::mem::replace(seen.get_mut(row).ok_or(format!("no row {row}"))?, true) {
            return Err(format!("row {row} twice"));
        }
    }
    let sorted: Vec<&[u8]> = order.iter().map(|&row| rows[row]).collect();
    check_sorted(rows, &sorted)
}

/// Complains unless `order` is the stable order.
pub fn check_stable(rows: &[&[u8]], got: &[usize]) -> Result<(), String> {
    check_equal("row number", &order(rows), got)
}

/// Complains about the first difference.
pub fn check_equal<T: PartialEq + Debug>(what: &str, expected: &[T], got: &[T]) -> Result<(), String> {
    if expected.len() != got.len() {
        return Err(format!("{} {what}s instead of {}", got.len(), expected.len()));
    }
    match expected.iter().zip(got).position(|(a, b)| a != b) {
        Some(at) => Err(format!("{what} {at}: expected {:?}, got {:?}", expected[at], got[at])),
        None => Ok(()),
    }
}
