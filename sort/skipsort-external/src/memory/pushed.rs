//! Rows that a caller pushes, one behind the other.
//!
//! ```text
//!   text    [len of key][len of payload] key payload | ...       reserved at once, so nothing moves
//!   rows    [ 16 bytes for each .....                   ]        and as many to move them in while they are sorted
//! ```
//!
//! Not an arena, whose zeroed pages cost nothing in a process that has just begun, but are written where the allocator has
//! recycled them: here nothing is touched before a row is there.

use skipsort::{Loader, TextRow};

use super::arena::{Batch, ROW_BYTES, ask_for_large_pages};
use crate::error::{Error, Result};
use crate::order::{HEAD, head, lengths};

/// Keys that tell what all may share.
const SAMPLE: usize = 64;

/// Rows of one run.
pub(crate) struct Pushed {
    /// What text and rows may take.
    total: usize,
    text: Vec<u8>,
    rows: Vec<TextRow>,
    spare: Vec<TextRow>,
    /// (start, length) of keys that are long, by start.
    long: Vec<(usize, usize)>,
    loader: Option<Loader>,
    /// The most text and the most rows that any run had: their pages stay.
    touched: (usize, usize),
}

impl Pushed {
    pub(crate) fn new(total: usize) -> Result<Self> {
        let (rows, spare, long) = (Vec::new(), Vec::new(), Vec::new());
        let text = Vec::new();
        let mut pushed = Pushed { total, text, rows, spare, long, loader: None, touched: (0, 0) };
        pushed.reserve()?;
        Ok(pushed)
    }

    /// Makes room for all that may come; memory is taken when it is written.
    fn reserve(&mut self) -> Result<()> {
        let rows = self.total / (ROW_BYTES + HEAD) + 1;
        let text = self.text.try_reserve_exact(self.total);
        let reserved = text
            .and_then(|()| self.rows.try_reserve_exact(rows))
            .and_then(|()| self.spare.try_reserve_exact(rows));
        reserved.map_err(|_| Error::Memory { bytes: self.total.saturating_add(rows * ROW_BYTES) })?;
        ask_for_large_pages(self.text.spare_capacity_mut());
        ask_for_large_pages(self.rows.spare_capacity_mut());
        ask_for_large_pages(self.spare.spare_capacity_mut());
        Ok(())
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Bytes of keys and payloads.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len() - self.rows.len() * HEAD
    }

    /// True when a row of so many bytes fits beside the others.
    pub(crate) fn fits(&self, bytes: usize) -> bool {
        let rows = (self.rows.len() + 1) * ROW_BYTES;
        self.text.len().saturating_add(bytes).saturating_add(HEAD + rows) <= self.total
    }

    /// Adds a row, also one that does not fit.
    pub(crate) fn push(&mut self, key: &[u8], payload: &[u8]) -> Result<()> {
        let head = head(key.len(), payload.len())?;
        let bytes = HEAD.saturating_add(key.len()).saturating_add(payload.len());
        if self.text.try_reserve(bytes).is_err() {
            return Err(Error::Memory { bytes });
        }
        self.text.extend_from_slice(&head);
        let start = self.text.len();
        self.text.extend_from_slice(key);
        self.text.extend_from_slice(payload);
        let row = self.loader.get_or_insert_default().row(key, start);
        if row.is_long() {
            self.long.push((start, key.len()));
        }
        self.rows.push(row);
        if self.rows.len() == SAMPLE {
            self.guess();
        }
        Ok(())
    }

    /// Makes the rows anew, and all after them, behind what the keys so far share.
    fn guess(&mut self) {
        let key = |start: usize| &self.text[start..][..lengths(&self.text, start).0];
        let mut loader = Loader::new(self.rows.iter().map(|row| key(row.start())));
        for row in &mut self.rows {
            *row = loader.row(key(row.start()), row.start());
        }
        self.loader = Some(loader);
    }

    /// The rows, to be sorted.
    pub(crate) fn batch(&mut self) -> Batch<'_> {
        self.spare.clear();
        self.spare.extend_from_slice(&self.rows);
        Batch {
            text: &self.text,
            long: &self.long,
            rows: &mut self.rows,
            spare: &mut self.spare,
            loader: self.loader.get_or_insert_default(),
        }
    }

    /// Forgets all rows, and gives pages back if rows of another form would stand beside them.
    pub(crate) fn clear(&mut self) -> Result<()> {
        let touched = (self.touched.0.max(self.text.len()), self.touched.1.max(self.rows.len()));
        self.text.clear();
        self.rows.clear();
        self.long.clear();
        self.loader = None;
        self.touched = touched;
        if touched.0 + touched.1 * ROW_BYTES > self.total + self.total / 16 {
            let total = self.total;
            // Freed before as much is reserved again.
            (self.text, self.rows, self.spare) = (Vec::new(), Vec::new(), Vec::new());
            *self = Pushed::new(total)?;
        }
        Ok(())
    }

    /// Where in the text the row at this place starts.
    pub(crate) fn row(&self, at: usize) -> Option<usize> {
        self.rows.get(at).map(|row| row.start())
    }

    /// The bytes that rows start in.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }
}
