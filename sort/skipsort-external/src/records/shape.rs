//! How records are told apart, and what of them is compared.

use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::order::{HEAD, Layout, Order, head};

/// Where records end.
///
/// ```
/// use skipsort_external::records::Frame;
///
/// assert_ne!(Frame::Delimited(b'\n'), Frame::Fixed(100));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
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
                Err(Error::InputCut { name: name.to_owned(), more: bytes % size as u64, size })
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
///
/// ```
/// use skipsort_external::records::{Frame, Shape, Tie};
///
/// assert_eq!(Shape::lines(b'\n').tie, Tie::Line);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// The record's bytes. No record's key bytes may be the start of another's then.
    Line,
    /// The order of the input.
    Input,
}

/// Turns a record into bytes whose order is that of the records.
///
/// ```
/// use std::sync::Arc;
/// use skipsort_external::records::{KeyEncoder, Shape, Tie};
///
/// /// Shorter lines first.
/// #[derive(Debug)]
/// struct Length;
///
/// impl KeyEncoder for Length {
///     fn encode(&self, line: &[u8], into: &mut Vec<u8>) {
///         into.extend_from_slice(&line.len().to_be_bytes());
///     }
///     fn encoded_most(&self, _: usize) -> usize {
///         size_of::<usize>()
///     }
/// }
///
/// let shape = Shape { keys: Some(Arc::new(Length)), tie: Tie::Input, ..Shape::lines(b'\n') };
/// assert!(!shape.unique);
/// ```
pub trait KeyEncoder: Debug + Send + Sync {
    /// Appends the key bytes of a record, which is given without its delimiter.
    fn encode(&self, record: &[u8], into: &mut Vec<u8>);

    /// The most bytes that [`KeyEncoder::encode`] may append for a record of so many bytes. Of two records it is at most
    /// that of one as long as both, and that of an empty one. A sort panics when more is appended.
    fn encoded_most(&self, record_len: usize) -> usize;
}

/// Everything about the order and the form of records.
///
/// ```
/// use skipsort_external::records::{Frame, Shape};
///
/// let distinct_descending = Shape { descending: true, unique: true, ..Shape::lines(b'\n') };
/// let records_of_100_bytes = Shape { frame: Frame::Fixed(100), ..Shape::lines(b'\n') };
/// assert_ne!(distinct_descending.frame, records_of_100_bytes.frame);
/// ```
#[derive(Clone, Debug)]
pub struct Shape {
    /// Where records end. The output has the same delimiters, also behind a last record that lacks one.
    pub frame: Frame,
    /// `None`: records are compared whole.
    pub keys: Option<Arc<dyn KeyEncoder>>,
    /// What breaks ties of keys.
    pub tie: Tie,
    /// The largest first. Only heeded for whole records; keys are turned over by their encoder.
    pub descending: bool,
    /// Of records with equal keys the first.
    pub unique: bool,
}

impl Shape {
    /// Whole lines that end with this byte, the smallest first.
    pub fn lines(end: u8) -> Self {
        Shape { frame: Frame::Delimited(end), keys: None, tie: Tie::Line, descending: false, unique: false }
    }

    pub(crate) fn order(&self) -> Order {
        let layout = match (&self.keys, self.tie) {
            (None, _) => Layout::Whole,
            (Some(_), Tie::Line) => Layout::KeyThenLine,
            (Some(_), Tie::Input) => Layout::KeyAndLine,
        };
        let descending = self.descending && layout == Layout::Whole;
        Order { layout, end: self.end(), descending, unique: self.unique }
    }

    fn end(&self) -> Option<u8> {
        match self.frame {
            Frame::Delimited(end) => Some(end),
            Frame::Fixed(_) => None,
        }
    }

    /// Appends a record with its key bytes as it shall lie in memory.
    pub(crate) fn push_keyed(&self, keys: &dyn KeyEncoder, line: &[u8], into: &mut Vec<u8>) -> Result<()> {
        let start = into.len() + HEAD;
        into.extend_from_slice(&[0; HEAD]);
        keys.encode(line, into);
        let head = head(into.len() - start, line.len())?;
        into[start - HEAD..start].copy_from_slice(&head);
        into.extend_from_slice(line);
        into.extend(self.end());
        Ok(())
    }

    /// The most bytes that [`Shape::push_keyed`] may append for so many records of so many bytes together.
    pub(crate) fn keyed_most(&self, keys: &dyn KeyEncoder, records: usize, bytes: usize) -> usize {
        // As if all records were as long as they are together: a bound, and address space is all it costs.
        keys.encoded_most(bytes) + bytes + records * (HEAD + 1 + keys.encoded_most(0))
    }
}
