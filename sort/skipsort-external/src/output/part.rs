//! Parts of output, and what takes them in their order.

use crate::error::Result;
use crate::run::marks::Marks;

/// A piece of output, or part of it: whole records.
#[derive(Default)]
pub(crate) struct Part {
    pub(crate) bytes: Vec<u8>,
    pub(crate) rows: u64,
    /// Coded runs: bytes of the records as lines.
    pub(crate) raw: u64,
    /// Coded runs: where blocks start, from the part's start.
    pub(crate) marks: Marks,
}

impl Part {
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.marks.clear();
        (self.rows, self.raw) = (0, 0);
    }
}

/// Takes parts in their order.
pub(crate) trait Target: Send {
    /// True when more is wanted.
    fn write(&mut self, part: &mut Part) -> Result<bool>;
}
