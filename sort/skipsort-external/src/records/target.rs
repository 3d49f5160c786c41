//! The caller's output.

use std::io::Write;

use super::shape::Frame;
use crate::error::{Error, Result};
use crate::output::part::{Part, Target};
use crate::progress::Meter;

/// Lines to the output, as many as are wanted.
pub(super) struct LineTarget<'d> {
    pub(super) output: &'d mut (dyn Write + Send),
    pub(super) frame: Frame,
    /// Rows that may still be written.
    pub(super) left: u64,
    pub(super) meter: &'d Meter,
}

impl Target for LineTarget<'_> {
    fn write(&mut self, part: &mut Part) -> Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        let rows = part.rows.min(self.left);
        let bytes = if rows == part.rows { &*part.bytes } else { self.first(&part.bytes, rows) };
        self.output.write_all(bytes).map_err(Error::Output)?;
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
