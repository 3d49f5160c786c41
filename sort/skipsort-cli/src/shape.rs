//! How records lie in memory, and what of them is compared.
//!
//! ```text
//!   whole     the line|\n                                   the row is the line; nothing is added to it
//!   keyed     [len of key bytes 4][len of line 4] key bytes | the line|\n
//!                                                 ^ the row: the key bytes, and the line where it breaks ties
//! ```
//!
//! One and the same byte order everywhere: rows by their bytes, equal rows in input order. Only the whole lines
//! of `-r` are read from the other end.

use std::cmp::Ordering;
use std::path::Path;

use skipsort::{ReadFrom, Text, TextRow};

use crate::bytes;
use crate::fault::{Fault, Result, shown};
use crate::keys::KeyList;

/// Where records end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// At this byte.
    Delimited(u8),
    /// After so many bytes.
    Fixed(usize),
}

impl Frame {
    /// Bytes behind each record that do not belong to it.
    pub(crate) fn tail(self) -> usize {
        usize::from(matches!(self, Frame::Delimited(_)))
    }

    /// How many records end in `bytes`.
    pub(crate) fn count(self, bytes: &[u8]) -> usize {
        match self {
            Frame::Delimited(end) => memchr::memchr_iter(end, bytes).count(),
            Frame::Fixed(size) => bytes.len() / size,
        }
    }

    /// Where the last record that ends in `bytes[from..]` ends, counted from the start, its delimiter included.
    /// A record starts at the start.
    pub(crate) fn last_end(self, bytes: &[u8], from: usize) -> Option<usize> {
        match self {
            Frame::Delimited(end) => memchr::memrchr(end, &bytes[from..]).map(|at| from + at + 1),
            Frame::Fixed(size) => Some(bytes.len() / size * size).filter(|end| *end > 0),
        }
    }

    /// Refuses an input of so many bytes if it ends within a record of fixed length.
    pub(crate) fn check_end(self, name: &Path, bytes: u64) -> Result<()> {
        match self {
            Frame::Fixed(size) if !bytes.is_multiple_of(size as u64) => {
                let (name, more) = (shown(name), bytes % size as u64);
                Err(Fault::new(format!("{name} ends with {more} bytes of a record of {size}"))
                    .hint("check --record-size, or cut the file to whole records"))
            }
            _ => Ok(()),
        }
    }

    /// Where the first record of `bytes` ends, its delimiter included; `from` bytes are known to hold no end.
    pub(crate) fn first_end(self, bytes: &[u8], from: usize) -> Option<usize> {
        match self {
            Frame::Delimited(end) => memchr::memchr(end, &bytes[from..]).map(|at| from + at + 1),
            Frame::Fixed(size) => Some(size).filter(|size| *size <= bytes.len()),
        }
    }

    /// The records of `bytes`, which end with the last one, without delimiters.
    pub(crate) fn records(self, bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
        let mut rest = bytes;
        std::iter::from_fn(move || {
            let end = self.first_end(rest, 0)?;
            let (record, after) = rest.split_at(end);
            rest = after;
            Some(&record[..end - self.tail()])
        })
    }
}

/// What breaks a tie of key bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tie {
    /// The line's bytes.
    Line,
    /// The order of the input.
    Input,
}

/// Everything about the order and the form of records.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) frame: Frame,
    /// `None`: lines are compared whole.
    pub(crate) keys: Option<KeyList>,
    pub(crate) tie: Tie,
    /// `-r` of whole lines.
    pub(crate) descending: bool,
    /// `-u`: of rows with equal keys the first.
    pub(crate) unique: bool,
}

/// Bytes before a keyed row.
pub(crate) const HEAD: usize = 8;

/// What a key row consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// The key is the line.
    Whole,
    /// The key is key bytes and then the line.
    KeyThenLine,
    /// The line stands behind the key and does not belong to it.
    KeyAndLine,
}

impl Shape {
    pub(crate) fn layout(&self) -> Layout {
        match (&self.keys, self.tie) {
            (None, _) => Layout::Whole,
            (Some(_), Tie::Line) => Layout::KeyThenLine,
            (Some(_), Tie::Input) => Layout::KeyAndLine,
        }
    }

    pub(crate) fn from(&self) -> ReadFrom {
        if self.descending { ReadFrom::End } else { ReadFrom::Start }
    }

    /// The order of two rows that share `from` bytes, and what they share.
    #[inline]
    pub(crate) fn compare(&self, a: &[u8], b: &[u8], from: usize) -> (Ordering, usize) {
        let (order, shared) = bytes::compare(a, b, from);
        (if self.descending { order.reverse() } else { order }, shared)
    }

    /// True when `key` comes before `bound`.
    pub(crate) fn before(&self, key: &[u8], bound: &[u8]) -> bool {
        self.compare(key, bound, 0).0.is_lt()
    }

    /// Appends a line as it shall lie in memory. Only for keyed shapes.
    ///
    /// # Panics
    /// If the line has 4 GiB or more; the input refuses those.
    pub(crate) fn push_keyed(&self, keys: &KeyList, line: &[u8], into: &mut Vec<u8>) {
        let head = into.len();
        into.extend_from_slice(&[0; HEAD]);
        keys.encode(line, into);
        let length = |len: usize| u32::try_from(len).expect("lines are below 4 GiB").to_le_bytes();
        let key_len = into.len() - head - HEAD;
        into[head..head + 4].copy_from_slice(&length(key_len));
        into[head + 4..head + HEAD].copy_from_slice(&length(line.len()));
        into.extend_from_slice(line);
        if let Frame::Delimited(end) = self.frame {
            into.push(end);
        }
    }

    /// Lengths of the key bytes and of the line of the keyed record whose key bytes start at `start`.
    #[inline]
    pub(crate) fn lengths(&self, text: &[u8], start: usize) -> (usize, usize) {
        let number = |at: usize| u32::from_le_bytes(*text[at..].first_chunk().expect("a head")) as usize;
        (number(start - HEAD), number(start - HEAD + 4))
    }

    /// How long the row is that starts where these key bytes do.
    #[inline]
    pub(crate) fn row_len(&self, key_len: usize, line_len: usize) -> usize {
        match self.tie {
            Tie::Line => key_len + line_len,
            Tie::Input => key_len,
        }
    }

    /// The line of a row with its delimiter, and how many key bytes are before it.
    #[inline(always)]
    pub(crate) fn line<'t>(&self, text: &Text<'t>, row: TextRow) -> (&'t [u8], usize) {
        let (start, tail) = (row.start(), self.frame.tail());
        if self.keys.is_none() {
            return (&text.bytes()[start..][..text.key_len(row) + tail], 0);
        }
        let (key_len, line_len) = self.lengths(text.bytes(), start);
        (&text.bytes()[start + key_len..][..line_len + tail], key_len)
    }
}
