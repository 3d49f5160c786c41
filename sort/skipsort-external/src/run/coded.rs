//! Rows of a run as a source of a merge.
//!
//! What two neighbours share is known to the merge without a look at their bytes. A key is put together where its rest
//! lies in the buffer: what it shares moves to before it, over numbers and bytes that have been read.

use crate::bytes::{common, read_number};
use crate::error::Result;
use crate::order::{Layout, Order};
use crate::run::coder::{BLOCK_HEAD, Head};
use crate::run::store::Stretch;
use crate::source::Source;

/// What of a run is read: keys from `from` on and before `to`.
#[derive(Clone, Copy, Default)]
pub(crate) struct Bounds<'b> {
    pub(crate) from: Option<&'b [u8]>,
    pub(crate) to: Option<&'b [u8]>,
    /// Blocks from this byte of the stretch on may hold keys that are not before `to`.
    pub(crate) doubtful: u64,
}

/// Reads a stretch of a run.
pub(crate) struct Coded<'b> {
    order: Order,
    stretch: Stretch,
    bounds: Bounds<'b>,
    buffer: Vec<u8>,
    filled: usize,
    /// The next record, and the end of its block.
    at: usize,
    block_end: usize,
    /// Bytes of the stretch before the buffer's first.
    passed: u64,
    doubtful: bool,
    /// The next record is its block's first.
    first: bool,
    /// Where in the buffer the current key and its line are.
    key: (usize, usize),
    line: (usize, usize),
    /// The last key of the block before.
    last: Vec<u8>,
    shared: usize,
}

/// Memory of a source, for the next one.
#[derive(Default)]
pub(crate) struct Reuse {
    buffer: Vec<u8>,
    last: Vec<u8>,
}

impl<'b> Coded<'b> {
    /// `size` is the buffer's, unless a block is larger.
    pub(crate) fn new(order: Order, stretch: Stretch, bounds: Bounds<'b>, size: usize, reuse: Reuse) -> Self {
        let Reuse { mut buffer, last } = reuse;
        buffer.resize(size, 0);
        Coded {
            order,
            stretch,
            bounds,
            buffer,
            filled: 0,
            at: 0,
            block_end: 0,
            passed: 0,
            doubtful: bounds.to.is_some() && bounds.doubtful == 0,
            first: true,
            key: (0, 0),
            line: (0, 0),
            last,
            shared: 0,
        }
    }

    pub(crate) fn into_reuse(self) -> Reuse {
        Reuse { buffer: self.buffer, last: self.last }
    }

    /// Goes to the first record within the bounds; false if there is none.
    pub(crate) fn start(&mut self) -> Result<bool> {
        while self.advance()? {
            if !self.bounds.from.is_some_and(|from| self.order.before(self.key(), from)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Makes the next block complete in the buffer; false at the end.
    #[cold]
    fn next_block(&mut self) -> Result<bool> {
        // What the buffer holds may move, or go.
        self.last.clear();
        self.last.extend_from_slice(&self.buffer[self.key.0..self.key.1]);
        (self.key, self.line) = ((0, 0), (0, 0));
        if self.filled == self.at && self.stretch.left() == 0 {
            return Ok(false);
        }
        let offset = self.passed + self.at as u64;
        if !self.have(BLOCK_HEAD)? {
            return Err(self.stretch.damaged(offset, "a block's head lacks its end"));
        }
        self.doubtful = self.bounds.to.is_some() && offset >= self.bounds.doubtful;
        let head = self.buffer[self.at..].first_chunk().expect("a head");
        let Some(head) = Head::of(head, self.stretch.run(), self.stretch.from() + offset) else {
            return Err(self.stretch.damaged(offset, "a block's head is not what was written"));
        };
        let len = usize::try_from(head.len).expect("a block that was in memory once");
        if !self.have(BLOCK_HEAD + len)? {
            return Err(self.stretch.damaged(offset, "a block lacks its end"));
        }
        self.at += BLOCK_HEAD;
        self.block_end = self.at + len;
        if !head.vouches_for(&self.buffer[self.at..self.block_end]) {
            return Err(self.stretch.damaged(offset, "a block's rows are not what was written"));
        }
        self.first = true;
        Ok(true)
    }

    /// Reads until so many bytes from `at` on are there; false if the stretch has fewer.
    fn have(&mut self, bytes: usize) -> Result<bool> {
        if bytes as u64 > (self.filled - self.at) as u64 + self.stretch.left() {
            return Ok(false);
        }
        while self.filled - self.at < bytes {
            self.buffer.copy_within(self.at..self.filled, 0);
            self.passed += self.at as u64;
            self.filled -= self.at;
            self.at = 0;
            if self.buffer.len() < bytes {
                self.buffer.resize(bytes, 0);
            }
            self.filled += self.stretch.read(&mut self.buffer[self.filled..])?;
        }
        Ok(true)
    }
}

impl Source for Coded<'_> {
    #[inline]
    fn advance(&mut self) -> Result<bool> {
        if self.at == self.block_end && !self.next_block()? {
            return Ok(false);
        }
        let mut at = self.at;
        self.shared = read_number(&self.buffer, &mut at);
        let rest = read_number(&self.buffer, &mut at);
        let more = if self.order.layout == Layout::Whole { 0 } else { read_number(&self.buffer, &mut at) };
        // The shared bytes end where the rest begins: behind all that has been read, so nothing is lost by it.
        let mut start = at;
        if self.first {
            // Written whole, whatever it shares with the key before; the merge wants to know.
            self.first = false;
            self.shared = common(&self.last, &self.buffer[at..at + rest], 0);
        } else {
            start -= self.shared;
            self.buffer.copy_within(self.key.0..self.key.0 + self.shared, start);
        }
        at += rest;
        self.key = (start, at);
        match self.order.layout {
            Layout::Whole => self.line = self.key,
            Layout::KeyThenLine => self.line = (start + more, at),
            Layout::KeyAndLine => {
                self.line = (at, at + more);
                at += more;
            }
        }
        self.at = at;
        Ok(!self.doubtful || self.bounds.to.is_none_or(|to| self.order.before(self.key(), to)))
    }

    #[inline(always)]
    fn key(&self) -> &[u8] {
        &self.buffer[self.key.0..self.key.1]
    }

    #[inline(always)]
    fn line(&self) -> &[u8] {
        &self.buffer[self.line.0..self.line.1]
    }

    #[inline(always)]
    fn shared(&self) -> usize {
        self.shared
    }
}
