//! A sort with its memory, its direction and its threads.

#[cfg(feature = "parallel")]
use core::num::NonZeroUsize;

use alloc::vec::Vec;

use crate::bytes::Bytes;
use crate::how::How;
use crate::index::Index;
use crate::memory::Scratch;
#[cfg(feature = "parallel")]
use crate::rows_par;
use crate::{indices, rows};

/// Sorts with memory that is kept or bounded, in either direction, on so many threads.
///
/// ```
/// use skipsort::{Scratch, Sorter};
///
/// let mut scratch = Scratch::new();
/// let mut sorter = Sorter::new(&mut scratch).descending();
/// for mut batch in [vec!["a", "b"], vec!["c", "d"]] {
///     sorter.sort(&mut batch); // allocates once
///     assert!(batch.is_sorted_by(|a, b| a >= b));
/// }
/// let order: Vec<u32> = sorter.indices(&["pear", "apple", "fig"]);
/// assert_eq!(order, [0, 2, 1]);
/// ```
#[derive(Debug)]
pub struct Sorter<'s> {
    scratch: &'s mut Scratch,
    how: How,
    /// None for as many as there are processors.
    #[cfg(feature = "parallel")]
    threads: Option<NonZeroUsize>,
}

impl<'s> Sorter<'s> {
    /// Ascending, stable, and on as many threads as there are processors where it is [`par_sort`](Sorter::par_sort).
    pub fn new(scratch: &'s mut Scratch) -> Self {
        Sorter {
            scratch,
            how: How::STABLE,
            #[cfg(feature = "parallel")]
            threads: None,
        }
    }

    /// Largest key first; equal rows still in their order.
    pub fn descending(mut self) -> Self {
        self.how.descending = true;
        self
    }

    /// Equal rows in any order, which saves a pass in one buffer, and the numbers of rows where no memory is allowed.
    pub fn unstable(mut self) -> Self {
        self.how.stable = false;
        self
    }

    /// On so many threads, for the forms whose names begin with `par`; on one, where the memory is bounded to less than 32
    /// bytes per row.
    #[cfg(feature = "parallel")]
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Sorts rows by their bytes.
    pub fn sort<T: Bytes>(&mut self, rows: &mut [T]) {
        rows::sort(rows, self.scratch, self.how);
    }

    /// Sorts rows by a key that is part of them.
    pub fn sort_by_key<T>(&mut self, rows: &mut [T], key: impl Fn(&T) -> &[u8]) {
        rows::sort_by_key(rows, key, self.scratch, self.how);
    }

    /// Sorts rows by keys that are made once for each.
    pub fn sort_by_cached_key<T, K: Bytes>(&mut self, rows: &mut [T], key: impl FnMut(&T) -> K) {
        rows::sort_by_cached_key(rows, key, self.scratch, self.how);
    }

    /// The numbers of rows in the order of their bytes; what is returned does not count as scratch memory.
    pub fn indices<T: Bytes, I: Index>(&mut self, rows: &[T]) -> Vec<I> {
        indices::of(rows, T::bytes, self.scratch, self.how)
    }

    /// The numbers of rows in the order of a key that is part of them.
    pub fn indices_by_key<T, I: Index>(&mut self, rows: &[T], key: impl Fn(&T) -> &[u8]) -> Vec<I> {
        indices::of(rows, key, self.scratch, self.how)
    }
}

/// On several threads.
#[cfg(feature = "parallel")]
impl Sorter<'_> {
    /// [`Sorter::sort`] on several threads.
    pub fn par_sort<T: Bytes + Send + Sync>(&mut self, rows: &mut [T]) {
        rows_par::sort(rows, self.scratch, self.how, self.threads);
    }

    /// [`Sorter::sort_by_key`] on several threads.
    pub fn par_sort_by_key<T: Send + Sync>(&mut self, rows: &mut [T], key: impl Fn(&T) -> &[u8] + Sync) {
        rows_par::sort_by_key(rows, key, self.scratch, self.how, self.threads);
    }

    /// [`Sorter::sort_by_cached_key`] on several threads, which make the keys too.
    pub fn par_sort_by_cached_key<T: Send + Sync, K: Bytes + Send + Sync>(
        &mut self,
        rows: &mut [T],
        key: impl Fn(&T) -> K + Sync,
    ) {
        rows_par::sort_by_cached_key(rows, key, self.scratch, self.how, self.threads);
    }

    /// [`Sorter::indices`] on several threads.
    pub fn par_indices<T: Bytes + Sync, I: Index>(&mut self, rows: &[T]) -> Vec<I> {
        indices::par_of(rows, T::bytes, self.scratch, self.how, self.threads)
    }

    /// [`Sorter::indices_by_key`] on several threads.
    pub fn par_indices_by_key<T: Sync, I: Index>(
        &mut self,
        rows: &[T],
        key: impl Fn(&T) -> &[u8] + Sync,
    ) -> Vec<I> {
        indices::par_of(rows, key, self.scratch, self.how, self.threads)
    }
}
