//! One sorted input as a source of a merge, or to be checked.

use super::fetch::Fetch;
use super::shape::{Frame, Shape};
use crate::bytes;
use crate::error::Result;
use crate::order::{Layout, Order};
use crate::source::Source;

/// Records of a file or a pipe, one at a time, with what each shares with the one before.
pub(crate) struct Lines<'s> {
    shape: &'s Shape,
    order: Order,
    fetch: Fetch<'s>,
    buffer: Vec<u8>,
    filled: usize,
    ended: bool,
    /// The current record without its delimiter, and where the next one starts.
    start: usize,
    end: usize,
    next: usize,
    /// Keyed shapes: key bytes of the current record and, when it is needed, the one before.
    key: Vec<u8>,
    before: Vec<u8>,
    shared: usize,
}

impl<'s> Lines<'s> {
    pub(crate) fn new(shape: &'s Shape, fetch: Fetch<'s>, buffer: usize) -> Self {
        Lines::with_buffer(shape, fetch, vec![0; buffer])
    }

    /// With a buffer that served another source.
    pub(crate) fn with_buffer(shape: &'s Shape, fetch: Fetch<'s>, buffer: Vec<u8>) -> Self {
        Lines {
            shape,
            order: shape.order(),
            fetch,
            buffer,
            filled: 0,
            ended: false,
            start: 0,
            end: 0,
            next: 0,
            key: Vec::new(),
            before: Vec::new(),
            shared: 0,
        }
    }

    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }

    /// The current record's own bytes.
    pub(crate) fn record(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Makes the end of the record that starts at `self.next` known; `None` at the end of the input. Bytes from
    /// `keep` on stay in the buffer; the amount by which they have moved is returned with it.
    fn find_end(&mut self, keep: usize) -> Result<Option<(usize, usize)>> {
        let (mut moved, mut known) = (0, 0);
        loop {
            let rest = &self.buffer[self.next..self.filled];
            if let Some(len) = self.shape.frame.first_end(rest, known) {
                return Ok(Some((self.next + len, moved)));
            }
            known = if matches!(self.shape.frame, Frame::Delimited(_)) { rest.len() } else { 0 };
            if self.ended {
                self.shape.frame.check_end(self.fetch.name(), rest.len() as u64)?;
                return Ok((!rest.is_empty()).then_some((self.filled, moved)));
            }
            moved += self.refill(keep - moved)?;
        }
    }

    fn refill(&mut self, keep: usize) -> Result<usize> {
        self.buffer.copy_within(keep..self.filled, 0);
        self.filled -= keep;
        self.next -= keep;
        if self.filled == self.buffer.len() {
            self.buffer.resize(2 * self.filled, 0);
        }
        let read = self.fetch.read(&mut self.buffer[self.filled..])?;
        self.filled += read;
        self.ended = read == 0;
        Ok(keep)
    }

    fn advance_whole(&mut self) -> Result<bool> {
        let Some((next, moved)) = self.find_end(self.start)? else { return Ok(false) };
        let before = self.start - moved..self.end - moved;
        self.take(next);
        self.shared = bytes::common(&self.buffer[before], &self.buffer[self.start..self.end], 0);
        Ok(true)
    }

    fn advance_keyed(&mut self) -> Result<bool> {
        let Some((next, _)) = self.find_end(self.next)? else { return Ok(false) };
        self.take(next);
        std::mem::swap(&mut self.key, &mut self.before);
        self.key.clear();
        let line = &self.buffer[self.start..self.end];
        self.shape.keys.as_ref().expect("a keyed shape").encode(line, &mut self.key);
        if self.order.layout == Layout::KeyThenLine {
            self.key.extend_from_slice(line);
        }
        self.shared = bytes::common(&self.before, &self.key, 0);
        Ok(true)
    }

    /// The record up to `next` becomes the current one.
    fn take(&mut self, next: usize) {
        self.start = self.next;
        let whole = match self.shape.frame {
            Frame::Delimited(end) => self.buffer[next - 1] != end,
            Frame::Fixed(_) => true,
        };
        self.end = if whole { next } else { next - 1 };
        self.next = next;
    }
}

impl Source for Lines<'_> {
    fn advance(&mut self) -> Result<bool> {
        if self.order.layout == Layout::Whole { self.advance_whole() } else { self.advance_keyed() }
    }

    #[inline]
    fn key(&self) -> &[u8] {
        if self.order.layout == Layout::Whole { self.record() } else { &self.key }
    }

    #[inline]
    fn line(&self) -> &[u8] {
        self.record()
    }

    #[inline]
    fn shared(&self) -> usize {
        self.shared
    }
}
