//! Records of a run, front-coded: what a key shares with the one before is not written again.
//!
//! ```text
//!   block    [length 8] record record record ...          16 KiB; its first record shares nothing
//!   record   [shared][rest of key][more] rest of key, line
//!             numbers of one byte or a few;  more and line depend on the layout: see `Layout`
//! ```
//!
//! What two neighbours share is known to the merge without a look at their bytes. A key is put together where its rest
//! lies in the buffer: what it shares moves to before it, over numbers and bytes that have been read.

use crate::bytes::{common, push_number, read_number};
use crate::fault::Result;
use crate::input::fetch::Fetch;
use crate::output::target::Part;
use crate::shape::{Layout, Shape};
use crate::source::Source;

/// Blocks are ended at this size: a merge that starts anywhere reads half of one in vain.
const BLOCK: usize = 16 << 10;
/// Length of a block's records, before them.
const BLOCK_HEAD: usize = 8;

/// Writes blocks to parts.
pub(crate) struct Coder {
    layout: Layout,
    /// Where the open block starts in the part.
    block: Option<usize>,
}

impl Coder {
    pub(crate) fn new(layout: Layout) -> Self {
        Coder { layout, block: None }
    }

    /// `shared` bytes are those of the key pushed before.
    #[inline(always)]
    pub(crate) fn push(&mut self, part: &mut Part, key: &[u8], line: &[u8], shared: usize) {
        let (block, shared) = match self.block {
            Some(block) => (block, shared),
            None => (self.start_block(part, key), 0),
        };
        let out = &mut part.bytes;
        push_number(out, shared);
        push_number(out, key.len() - shared);
        match self.layout {
            Layout::Whole => {}
            Layout::KeyThenLine => push_number(out, key.len() - line.len()),
            Layout::KeyAndLine => push_number(out, line.len()),
        }
        out.extend_from_slice(&key[shared..]);
        if self.layout == Layout::KeyAndLine {
            out.extend_from_slice(line);
        }
        part.rows += 1;
        part.raw += line.len() as u64 + 1;
        if part.bytes.len() - block >= BLOCK {
            self.end_block(part);
        }
    }

    fn start_block(&mut self, part: &mut Part, key: &[u8]) -> usize {
        let start = part.bytes.len();
        part.marks.push(start as u64, key);
        part.bytes.extend_from_slice(&[0; BLOCK_HEAD]);
        self.block = Some(start);
        start
    }

    /// Ends the open block, if there is one.
    pub(crate) fn end_block(&mut self, part: &mut Part) {
        if let Some(start) = self.block.take() {
            let len = (part.bytes.len() - start - BLOCK_HEAD) as u64;
            part.bytes[start..start + BLOCK_HEAD].copy_from_slice(&len.to_le_bytes());
        }
    }
}

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
    shape: &'b Shape,
    layout: Layout,
    fetch: Fetch,
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
    pub(crate) fn new(shape: &'b Shape, fetch: Fetch, bounds: Bounds<'b>, size: usize, reuse: Reuse) -> Self {
        let Reuse { mut buffer, last } = reuse;
        buffer.resize(size, 0);
        Coded {
            shape,
            layout: shape.layout(),
            fetch,
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
            if !self.bounds.from.is_some_and(|from| self.shape.before(self.key(), from)) {
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
        if !self.have(BLOCK_HEAD)? {
            return Ok(false);
        }
        let offset = self.passed + self.at as u64;
        self.doubtful = self.bounds.to.is_some() && offset >= self.bounds.doubtful;
        let head = self.buffer[self.at..].first_chunk().expect("a head");
        let len = usize::try_from(u64::from_le_bytes(*head)).expect("a block that was in memory once");
        let whole = self.have(BLOCK_HEAD + len)?;
        assert!(whole, "runs end with a block");
        self.at += BLOCK_HEAD;
        self.block_end = self.at + len;
        self.first = true;
        Ok(true)
    }

    /// Reads until so many bytes from `at` on are there; false if there are none at all.
    fn have(&mut self, bytes: usize) -> Result<bool> {
        while self.filled - self.at < bytes {
            self.buffer.copy_within(self.at..self.filled, 0);
            self.passed += self.at as u64;
            self.filled -= self.at;
            self.at = 0;
            if self.buffer.len() < bytes {
                self.buffer.resize(bytes, 0);
            }
            let read = self.fetch.read(&mut self.buffer[self.filled..])?;
            self.filled += read;
            if read == 0 {
                return Ok(false);
            }
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
        let more = if self.layout == Layout::Whole { 0 } else { read_number(&self.buffer, &mut at) };
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
        match self.layout {
            Layout::Whole => self.line = self.key,
            Layout::KeyThenLine => self.line = (start + more, at),
            Layout::KeyAndLine => {
                self.line = (at, at + more);
                at += more;
            }
        }
        self.at = at;
        Ok(!self.doubtful || self.bounds.to.is_none_or(|to| self.shape.before(self.key(), to)))
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
