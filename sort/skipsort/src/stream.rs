//! Results before the end: rows come out in order while the rest is unsorted.
//!
//! ```text
//!   rows   [ out already | final | group | group | untouched ............. ]
//!                         ^ next   ^ sorted when the iterator gets there
//! ```
//!
//! The descent works leftmost first, so an iterator has only to stop it when a batch of rows is
//! final. To have the first of them early, a fiftieth of the rows is a sort of its own, and the rest
//! is not touched before that is used up (`front.rs`).

use crate::agenda::Agenda;
use crate::buffers::Buffers;
use crate::bytes::Bytes;
use crate::descent::Descent;
use crate::front;
use crate::keys::{Indexed, RowHandle};
use crate::memory::Scratch;

/// Rows at least made final when the iterator runs dry.
const BATCH: usize = 256;

/// An iterator over rows in order that sorts as far as it is asked; equal rows in their order.
///
/// Making one reads nothing; the first `next` visits every key once. For a few rows of many
/// [`top_k`](crate::top_k()) is faster. After a panic of [`Bytes::bytes`] it is at its end.
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
    /// What is left to do among the rows before `filled`; nothing after a panic.
    agenda: Option<Agenda>,
    /// Entries are those of the first rows before `start`, those being sorted before `filled`.
    start: usize,
    filled: usize,
    next: usize,
    end: usize,
}

impl<'r, T: Bytes> Sorted<'r, T> {
    /// Starts with memory of its own, 32 bytes per row.
    pub fn new(rows: &'r [T]) -> Self {
        let agenda = Some(Agenda::default());
        Sorted { rows, scratch: Scratch::new(), agenda, start: 0, filled: 0, next: 0, end: 0 }
    }

    /// The number of the next row in the slice, instead of the row.
    pub fn next_index(&mut self) -> Option<usize> {
        if self.next == self.end && !self.advance() {
            return None;
        }
        let (main, _) = self.scratch.entries::<RowHandle>(self.rows.len());
        let row = main[self.next].handle.row();
        self.next += 1;
        Some(row)
    }

    /// Makes more rows final; false at the end.
    fn advance(&mut self) -> bool {
        if self.end == self.rows.len() {
            return false;
        }
        let Some(mut agenda) = self.agenda.take() else { return false };
        let (main, spare) = self.scratch.entries::<RowHandle>(self.rows.len());
        let keys = Indexed { rows: self.rows, key_of: T::bytes };
        if self.end == self.filled {
            self.start = self.filled;
            if self.start == 0 {
                self.filled = front::fill(&keys, main);
            } else {
                front::fill_rest(&keys, main, self.start);
                self.filled = self.rows.len();
            }
            agenda = Agenda::new(self.filled - self.start);
        }
        let under_way = self.start..self.filled;
        let buffers = Buffers::new(&mut main[under_way.clone()], &mut spare[under_way]);
        let agenda = Descent::new(&keys, buffers, agenda).run_until(self.end - self.start + BATCH);
        self.end = self.start + agenda.frontier();
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
        let end = if self.agenda.is_some() { self.rows.len() } else { self.end };
        (end - self.next, Some(end - self.next))
    }
}

impl<T: Bytes> ExactSizeIterator for Sorted<'_, T> {}
impl<T: Bytes> core::iter::FusedIterator for Sorted<'_, T> {}
