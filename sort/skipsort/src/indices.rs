//! The order of rows as their numbers, the rows staying where they are.
//!
//! ```text
//!   rows      "pear" "apple" "fig"
//!   indices      1      2      0        rows[indices[i]] is in order
//! ```

use alloc::vec::Vec;

use crate::how::How;
use crate::index::Index;
use crate::keys::Indexed;
use crate::memory::{Plan, Scratch};
#[cfg(feature = "parallel")]
use crate::{crew, parallel};
use crate::{permute, presorted, rows};

/// Row numbers in the order of a key.
pub(crate) fn of<T, I: Index>(
    rows: &[T],
    key_of: impl Fn(&T) -> &[u8],
    scratch: &mut Scratch,
    how: How,
) -> Vec<I> {
    if let Some(order) = presorted::order(rows, &key_of, how) {
        return order;
    }
    if rows.len() <= rows::FEW || scratch.plan(rows.len()) == Plan::InPlace {
        return permute::numbers_by_compare(rows.len(), |row| key_of(&rows[row]), how);
    }
    let (main, spare) = scratch.entries(rows.len());
    rows::order(&Indexed { rows, key_of }, main, spare, how);
    main.iter().map(|entry| I::from_row(entry.handle.row())).collect()
}

/// The same on several threads.
#[cfg(feature = "parallel")]
pub(crate) fn par_of<T: Sync, I: Index>(
    rows: &[T],
    key_of: impl Fn(&T) -> &[u8] + Sync,
    scratch: &mut Scratch,
    how: How,
    threads: Option<core::num::NonZeroUsize>,
) -> Vec<I> {
    let Some(threads) = parallel::crew_of(rows.len(), scratch, threads) else {
        return of(rows, key_of, scratch, how);
    };
    if let Some(order) = presorted::order(rows, &key_of, how) {
        return order;
    }
    let (main, spare) = scratch.entries(rows.len());
    crew::with(threads, |crew| parallel::order(&Indexed { rows, key_of }, main, spare, crew, how));
    main.iter().map(|entry| I::from_row(entry.handle.row())).collect()
}
