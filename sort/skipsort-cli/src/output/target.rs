//! What pieces of output are written to: lines to the destination; coded runs see `run/coded.rs`.

use super::destination::Destination;
use crate::fault::Result;
use crate::meter::Meter;
use crate::run::marks::Marks;
use crate::shape::Frame;

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
    fn write(&mut self, part: &Part) -> Result<bool>;
}

/// Lines to the destination, as many as are wanted.
pub(crate) struct LineTarget<'d> {
    pub(crate) destination: &'d mut Destination,
    pub(crate) frame: Frame,
    /// Rows that may still be written.
    pub(crate) left: u64,
    pub(crate) meter: &'d Meter,
}

impl Target for LineTarget<'_> {
    fn write(&mut self, part: &Part) -> Result<bool> {
        let rows = part.rows.min(self.left);
        let bytes = if rows == part.rows { &*part.bytes } else { self.first(&part.bytes, rows) };
        self.destination.write(bytes)?;
        self.left -= rows;
        self.meter.wrote(rows, bytes.len());
        Ok(self.left > 0)
    }
}

impl LineTarget<'_> {
    fn first<'b>(&self, bytes: &'b [u8], rows: u64) -> &'b [u8] {
        let mut len = 0;
        for record in self.frame.records(bytes).take(usize::try_from(rows).unwrap_or(usize::MAX)) {
            len += record.len() + self.frame.tail();
        }
        &bytes[..len]
    }
}
