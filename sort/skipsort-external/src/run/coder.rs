//! Rows of a run, front-coded: what a key shares with the one before is not written again.
//!
//! ```text
//!   block    [length 8][checksum 4][checksum 4] row row row ...     16 KiB; its first row shares nothing
//!             of rows   of rows     of run, place and what is before
//!   row      [shared][rest of key][more] rest of key, line
//!             numbers of one byte or a few;  more and line depend on the layout: see `Layout`
//! ```
//!
//! The first checksum is made by the thread that codes the block. The second is made when the block gets its place in
//! the run, so a whole block that comes back from elsewhere is told from the right one, and a length is known to be
//! right before memory is taken for it. Both are CRC-32: every change within 32 neighbouring bits is found, any other
//! with a probability of all but 2^-32.

use crate::bytes::push_number;
use crate::order::Layout;
use crate::output::part::Part;

/// Blocks are ended at this size: a merge that starts anywhere reads half of one in vain.
const BLOCK: usize = 16 << 10;
/// Length and checksums, before the rows.
pub(crate) const BLOCK_HEAD: usize = 16;
const LEN: usize = 8;
const ROWS: usize = LEN + 4;

/// What is known of a block before its rows are read.
pub(crate) struct Head {
    pub(crate) len: u64,
    checksum: u32,
}

impl Head {
    /// The head of the block at this place of a run, unless it is damaged.
    pub(crate) fn of(bytes: &[u8; BLOCK_HEAD], run: u64, place: u64) -> Option<Head> {
        let (before, checksum) = bytes.split_at(ROWS);
        if checksum != head_checksum(before, run, place) {
            return None;
        }
        let (len, rows) = before.split_at(LEN);
        let len = u64::from_le_bytes(*len.first_chunk()?);
        Some(Head { len, checksum: u32::from_le_bytes(*rows.first_chunk()?) })
    }

    /// True when these are the block's rows.
    pub(crate) fn vouches_for(&self, rows: &[u8]) -> bool {
        crc32fast::hash(rows) == self.checksum
    }
}

fn head_checksum(before: &[u8], run: u64, place: u64) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&run.to_le_bytes());
    hasher.update(&place.to_le_bytes());
    hasher.update(before);
    hasher.finalize().to_le_bytes()
}

/// Completes the heads of blocks that start at this place of a run.
pub(crate) fn seal(blocks: &mut [u8], run: u64, place: u64) {
    let mut at = 0;
    while let Some(head) = blocks[at..].first_chunk_mut::<BLOCK_HEAD>() {
        let (before, checksum) = head.split_at_mut(ROWS);
        checksum.copy_from_slice(&head_checksum(before, run, place + at as u64));
        let len = u64::from_le_bytes(*before.first_chunk().expect("a length"));
        at += BLOCK_HEAD + usize::try_from(len).expect("a block in memory");
    }
}

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
            let (head, rows) = part.bytes[start..].split_at_mut(BLOCK_HEAD);
            head[..LEN].copy_from_slice(&(rows.len() as u64).to_le_bytes());
            head[LEN..ROWS].copy_from_slice(&crc32fast::hash(rows).to_le_bytes());
        }
    }
}
