//! Rows to parts: as lines, or coded for a run.

use super::part::Part;
use super::sink::Sink;
use crate::order::{self, Order};
use crate::run::coder::Coder;

/// What rows become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Lines,
    /// Lengths, key and line.
    Rows,
    /// Front-coded blocks of a run.
    Coded,
}

/// Where and how a piece is written.
#[derive(Clone, Copy)]
pub(crate) struct Piece<'s, 't> {
    pub(crate) sink: &'s Sink<'t>,
    pub(crate) order: Order,
    pub(crate) form: Form,
    /// Size of a part.
    pub(crate) part: usize,
}

impl Piece<'_, '_> {
    fn new_part(&self) -> Part {
        // A row more than the size is in it when a part is handed in.
        self.sink.part(self.part + self.part / 8)
    }
}

/// Writes the rows of one piece.
pub(crate) struct Writer<'s, 't> {
    piece: Piece<'s, 't>,
    at: usize,
    part: Part,
    coder: Option<Coder>,
    end: Option<u8>,
}

impl<'s, 't> Writer<'s, 't> {
    /// Starts the piece at position `at`.
    pub(crate) fn new(piece: Piece<'s, 't>, at: usize) -> Self {
        let coder = (piece.form == Form::Coded).then(|| Coder::new(piece.order.layout));
        Writer { piece, at, part: piece.new_part(), coder, end: piece.order.end }
    }

    /// A row that becomes a line, with its delimiter.
    #[inline(always)]
    pub(crate) fn push_line(&mut self, line_and_end: &[u8]) {
        self.part.bytes.extend_from_slice(line_and_end);
        self.part.rows += 1;
        if self.part.bytes.len() >= self.piece.part {
            self.flush();
        }
    }

    /// A row that shares `shared` bytes of its key with the row before.
    #[inline(always)]
    pub(crate) fn push(&mut self, key: &[u8], line: &[u8], shared: usize) {
        match &mut self.coder {
            None => {
                if self.piece.form == Form::Rows {
                    self.part
                        .bytes
                        .extend_from_slice(&order::head(key.len(), line.len()).expect("below 4 GiB"));
                    self.part.bytes.extend_from_slice(key);
                }
                self.part.bytes.reserve(line.len() + 1);
                self.part.bytes.extend_from_slice(line);
                self.part.bytes.extend(self.end);
                self.part.rows += 1;
            }
            Some(coder) => coder.push(&mut self.part, key, line, shared),
        }
        if self.part.bytes.len() >= self.piece.part {
            self.flush();
        }
    }

    #[cold]
    fn flush(&mut self) {
        if let Some(coder) = &mut self.coder {
            coder.end_block(&mut self.part);
        }
        let part = std::mem::replace(&mut self.part, self.piece.new_part());
        self.piece.sink.submit(self.at, None, part);
    }

    /// False when the rest is not wanted; asked once for a batch.
    pub(crate) fn wanted(&self) -> bool {
        self.piece.sink.goes_on()
    }

    /// The piece is complete; `next` is the position of the one after it.
    pub(crate) fn finish(mut self, next: usize) {
        if let Some(coder) = &mut self.coder {
            coder.end_block(&mut self.part);
        }
        self.piece.sink.submit(self.at, Some(next), self.part);
    }
}

/// Says which rows of a sorted sequence are wanted: with `-u` those that differ from the one before.
pub(crate) struct Distinct {
    unique: bool,
    last_len: usize,
    none_yet: bool,
}

impl Distinct {
    pub(crate) fn new(order: Order) -> Self {
        Distinct { unique: order.unique, last_len: 0, none_yet: true }
    }

    /// False when all rows are wanted, whatever they share.
    pub(crate) fn counts(&self) -> bool {
        self.unique
    }

    /// `shared` is what the key shares with the key before.
    #[inline(always)]
    pub(crate) fn wants(&mut self, key_len: usize, shared: usize) -> bool {
        if !self.unique {
            return true;
        }
        let same = shared == key_len && key_len == self.last_len && !self.none_yet;
        self.last_len = key_len;
        self.none_yet = false;
        !same
    }
}
