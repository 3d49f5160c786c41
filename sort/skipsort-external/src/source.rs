//! Where sorted rows come from: lines of an input, or a spilled run.

use crate::error::Result;

/// Sorted records, one at a time.
pub(crate) trait Source {
    /// Goes to the next record; false when there is none.
    fn advance(&mut self) -> Result<bool>;
    /// The current record's key.
    fn key(&self) -> &[u8];
    /// The current record without its delimiter.
    fn line(&self) -> &[u8];
    /// What the current key shares with the one before it in this source.
    fn shared(&self) -> usize;
}
