//! Results before the end: rows come out in order while the rest is unsorted.
//!
//! ```text
//!   rows   [ out already | final | group | group | untouched ............. ]
//!                         ^ next   ^ sorted when the iterator gets there
//! ```
//!
//! The descent works leftmost first, so an iterator has only to stop it when a batch of rows is
//! final. To have the first of them early, a fiftieth of the rows is parted from the rest before
//! anything else (`front.rs`).

use crate::buffers::Buffers;
use crate::bytes::Bytes;
use crate::descent::{Agenda, Descent};
use crate::keys::{Indexed, RowHandle};
use crate::memory::Scratch;
use crate::rows;

/// Rows at least made final when the iterator runs dry.
const BATCH: usize = 256;

/// An iterator over rows in order that sorts as far as it is asked; equal rows in any order.
///
/// Making one reads nothing; the first `next` visits every key once. For a few rows of many
/// [`top_k`](crate::top_k()) is faster.
///
/// ```
/// let rows: Vec<String> = (0..1000).rev().map(|n| format!("{n:04}")).collect();
/// let first: Vec<&String> = skipsort::Sorted::new(&rows).take(3).collect();
/// assert_eq!(first, ["0000", "0001", "0002"]);
/// ```
#[derive(Debug)]
pub struct Sorted<'r, T> {
    rows: &'r [T],
    scratch: Scratch,
    agenda: Option<Agenda>,
    next: usize,
    end: usize,
}

impl<'r, T: Bytes> Sorted<'r, T> {
    /// Starts with memory of its own, 32 bytes per row.
    pub fn new(rows: &'r [T]) -> Self {
        Sorted { rows, scratch: Scratch::new(), agenda: None, next: 0, end: 0 }
    }

    /// The number of the next row in the slice, instead of the row.
    pub fn next_index(&mut self) -> Option<usize> {
        if self.next == self.end && !self.advance() {
            return None;
        }
        // SAFETY: a row handle is an integer; `advance` has filled all entries.
        let (main, _) = unsafe { self.scratch.entries::<RowHandle>(self.rows.len()) };
        let row = main[self.next].handle.row();
        self.next += 1;
        Some(row)
    }

    /// Makes more rows final; false at the end.
    fn advance(&mut self) -> bool {
        if self.end == self.rows.len() {
            return false;
        }
        // SAFETY: a row handle is an integer, and the entries are filled here the first time.
        let (main, spare) = unsafe { self.scratch.entries::<RowHandle>(self.rows.len()) };
        let keys = Indexed { rows: self.rows, key_of: T::bytes };
        let agenda = self.agenda.take().unwrap_or_else(|| {
            rows::fill(&keys, main);
            Agenda::front_first(main.len())
        });
        let agenda = Descent::new(&keys, Buffers::new(main, spare), agenda).run_until(self.end + BATCH);
        self.end = agenda.frontier();
        self.agenda = Some(agenda);
        true
    }
}

impl<'r, T: Bytes> Iterator for Sorted<'r, T> {
    type Item = &'r T;

    fn next(&mut self) -> Option<&'r T> {
        let rows = self.rows;
        self.next_index().map(|row| &rows[row])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.rows.len() - self.next;
        (left, Some(left))
    }
}

impl<T: Bytes> ExactSizeIterator for Sorted<'_, T> {}
impl<T: Bytes> core::iter::FusedIterator for Sorted<'_, T> {}
