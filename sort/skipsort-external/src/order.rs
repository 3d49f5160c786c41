//! How rows lie in memory and in runs, and what of them is compared.
//!
//! ```text
//!   whole     the line|\n                                   the row is the line; nothing is added to it
//!   keyed     [len of key 4][len of line 4] key | line|\n
//!                                           ^ the row: the key, and the line where it breaks ties
//! ```
//!
//! One and the same byte order everywhere: rows by their bytes, equal rows in input order. Only the whole lines
//! of a descending order are read from the other end.

use std::cmp::Ordering;

use skipsort::{ReadFrom, Text, TextRow};

use crate::bytes;
use crate::error::{Error, Result};

/// Bytes before a keyed row.
pub(crate) const HEAD: usize = 8;

/// What a row's key consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// The key is the line.
    Whole,
    /// The key is key bytes and then the line.
    KeyThenLine,
    /// The line stands behind the key and does not belong to it.
    KeyAndLine,
}

/// The order and the form of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub(crate) layout: Layout,
    /// The byte behind each line, in memory and in the output.
    pub(crate) end: Option<u8>,
    /// Only for whole lines.
    pub(crate) descending: bool,
    /// Of rows with equal keys the first.
    pub(crate) unique: bool,
}

impl Order {
    pub(crate) fn from(self) -> ReadFrom {
        if self.descending { ReadFrom::End } else { ReadFrom::Start }
    }

    /// Bytes behind each line that do not belong to it.
    #[inline(always)]
    pub(crate) fn tail(self) -> usize {
        usize::from(self.end.is_some())
    }

    /// The order of two keys that share `from` bytes, and what they share.
    #[inline]
    pub(crate) fn compare(self, a: &[u8], b: &[u8], from: usize) -> (Ordering, usize) {
        let (order, shared) = bytes::compare(a, b, from);
        (if self.descending { order.reverse() } else { order }, shared)
    }

    /// True when `key` comes before `bound`.
    pub(crate) fn before(self, key: &[u8], bound: &[u8]) -> bool {
        self.compare(key, bound, 0).0.is_lt()
    }

    /// How long the row is that starts where these key bytes do.
    #[inline]
    pub(crate) fn row_len(self, key_len: usize, line_len: usize) -> usize {
        match self.layout {
            Layout::KeyAndLine => key_len,
            Layout::KeyThenLine | Layout::Whole => key_len + line_len,
        }
    }

    /// The line of a row with its delimiter, and how many key bytes are before it.
    #[inline(always)]
    pub(crate) fn line<'t>(self, text: &Text<'t>, row: TextRow) -> (&'t [u8], usize) {
        let start = row.start();
        if self.layout == Layout::Whole {
            return (&text.bytes()[start..][..text.key_len(row) + self.tail()], 0);
        }
        let (key_len, line_len) = lengths(text.bytes(), start);
        (&text.bytes()[start + key_len..][..line_len + self.tail()], key_len)
    }
}

/// What stands before a keyed row.
pub(crate) fn head(key_len: usize, line_len: usize) -> Result<[u8; HEAD]> {
    let length = |len: usize| u32::try_from(len).map(u32::to_le_bytes).map_err(|_| Error::TooLong);
    let mut head = [0; HEAD];
    head[..HEAD / 2].copy_from_slice(&length(key_len)?);
    head[HEAD / 2..].copy_from_slice(&length(line_len)?);
    Ok(head)
}

/// Lengths of the key bytes and of the line of the keyed row whose key bytes start at `start`.
#[inline]
pub(crate) fn lengths(text: &[u8], start: usize) -> (usize, usize) {
    let number = |at: usize| u32::from_le_bytes(*text[at..].first_chunk().expect("a head")) as usize;
    (number(start - HEAD), number(start - HEAD / 2))
}
