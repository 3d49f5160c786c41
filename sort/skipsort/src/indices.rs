//! The order of rows as their numbers, the rows staying where they are.
//!
//! ```text
//!   rows      "pear" "apple" "fig"
//!   indices      1      2      0        rows[indices[i]] is in order
//! ```

use alloc::vec::Vec;

use crate::bytes::Bytes;
use crate::keys::Indexed;
use crate::memory::{Plan, Scratch};
use crate::{presorted, rows};

/// A row number: `u32`, `u64` or `usize`.
pub trait Index: Copy + Ord + sealed::Sealed {
    /// The number of a row.
    ///
    /// # Panics
    /// If it does not fit.
    fn from_row(row: usize) -> Self;
    /// Back to the row.
    fn row(self) -> usize;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! index {
    ($($number:ty),*) => {$(
        impl sealed::Sealed for $number {}
        impl Index for $number {
            #[inline(always)]
            fn from_row(row: usize) -> Self {
                Self::try_from(row).expect("the row number fits into the index type")
            }
            #[inline(always)]
            fn row(self) -> usize {
                self as usize
            }
        }
    )*};
}

index!(u32, u64, usize);

/// The numbers of `rows` in the order of their bytes; equal rows in any order.
///
/// ```
/// let indices: Vec<u32> = skipsort::sort_indices(&["pear", "apple", "fig"]);
/// assert_eq!(indices, [1, 2, 0]);
/// ```
///
/// # Panics
/// If the last row's number does not fit into `I`.
pub fn sort_indices<T: Bytes, I: Index>(rows: &[T]) -> Vec<I> {
    sort_indices_with(rows, &mut Scratch::new())
}

/// [`sort_indices`] with memory that is kept, or bounded; the result is not counted.
pub fn sort_indices_with<T: Bytes, I: Index>(rows: &[T], scratch: &mut Scratch) -> Vec<I> {
    indices(rows, T::bytes, scratch, false)
}

/// [`sort_indices`] by a key that is part of the row.
pub fn sort_indices_by_key<T, I: Index>(
    rows: &[T],
    key: impl Fn(&T) -> &[u8],
    scratch: &mut Scratch,
) -> Vec<I> {
    indices(rows, key, scratch, false)
}

/// [`sort_indices`], with equal rows in their order.
pub fn sort_stable_indices<T: Bytes, I: Index>(rows: &[T]) -> Vec<I> {
    sort_stable_indices_with(rows, &mut Scratch::new())
}

/// [`sort_stable_indices`] with memory that is kept, or bounded; the result is not counted.
pub fn sort_stable_indices_with<T: Bytes, I: Index>(rows: &[T], scratch: &mut Scratch) -> Vec<I> {
    indices(rows, T::bytes, scratch, true)
}

/// [`sort_stable_indices`] by a key that is part of the row.
pub fn sort_stable_indices_by_key<T, I: Index>(
    rows: &[T],
    key: impl Fn(&T) -> &[u8],
    scratch: &mut Scratch,
) -> Vec<I> {
    indices(rows, key, scratch, true)
}

fn indices<T, I: Index>(
    rows: &[T],
    key_of: impl Fn(&T) -> &[u8],
    scratch: &mut Scratch,
    stable: bool,
) -> Vec<I> {
    if let Some(order) = presorted::order(rows, &key_of) {
        return order;
    }
    if rows.len() <= rows::FEW || scratch.plan(rows.len()) == Plan::InPlace {
        return by_compare(rows, key_of);
    }
    let (main, spare) = scratch.entries(rows.len());
    rows::order(&Indexed { rows, key_of }, main, spare, stable);
    main.iter().map(|entry| I::from_row(entry.handle.row())).collect()
}

/// Without entries: numbers ordered by comparing keys, and by number where keys are equal.
fn by_compare<T, I: Index>(rows: &[T], key: impl Fn(&T) -> &[u8]) -> Vec<I> {
    let mut order: Vec<I> = (0..rows.len()).map(I::from_row).collect();
    order.sort_unstable_by(|a, b| key(&rows[a.row()]).cmp(key(&rows[b.row()])).then(a.cmp(b)));
    order
}
