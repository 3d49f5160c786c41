//! The rows of a sort that fit into memory, and their keys.
//!
//! ```text
//!   text      every row's key, behind its number and its columns            (records.rs)
//!   rows      where each key starts, its length, and eight of its bytes
//!   batches   columns that are not in the rows
//! ```

use datafusion::arrow::array::{Array, RecordBatch};
use datafusion::common::Result;
use skipsort::{Loader, Text, TextRow};

use crate::records::{Buffers, Layout};
use crate::{huge_pages, keys};

/// Bytes of memory that a row takes beside its record: the entries of the sort.
pub(crate) const ROW: usize = 2 * size_of::<TextRow>();

/// Bytes of records that may be all: memory that the process has is at hand for them, where fresh pages would have to be cleared.
const FEW: usize = 1 << 20;

/// Bytes of records that are given back at once.
const GIVEN: usize = 8 << 20;

/// Keys of the first batch that tell what all keys may share.
const SAMPLE: usize = 64;

/// Batches and their keys.
#[derive(Default)]
pub(crate) struct Buffer {
    pub(crate) batches: Vec<RecordBatch>,
    pub(crate) count: usize,
    pub(crate) text: Vec<u8>,
    pub(crate) rows: Vec<TextRow>,
    /// Start and length of the keys that are too long for a `TextRow`.
    pub(crate) long: Vec<(usize, usize)>,
    pub(crate) loader: Option<Loader>,
    /// Where rows without a key start.
    pub(crate) nulls: Vec<usize>,
    pub(crate) buffers: Buffers,
    /// There is address space for more.
    large: bool,
}

impl Buffer {
    /// Keeps a batch and its keys.
    pub(crate) fn push(&mut self, batch: &RecordBatch, keys: &dyn Array, layout: &Layout) -> Result<()> {
        if !self.large && self.text.len() > FEW {
            // Address space for all there may ever be: growing by copies would take time, and memory that the pool does not know of.
            self.large = true;
            huge_pages::reserve(&mut self.text);
            huge_pages::reserve(&mut self.rows);
        }
        let loader = self.loader.get_or_insert_with(|| Loader::new(sample(keys)));
        let text = &mut self.text;
        let mut starts = Vec::with_capacity(batch.num_rows());
        let mut heads = layout.heads(batch, self.count as u32);
        keys::each(keys, &mut |key| {
            heads.next(text);
            let start = text.len();
            starts.push(start);
            let Some(key) = key else {
                return self.nulls.push(start);
            };
            let row = loader.row(key, start);
            if row.is_long() {
                self.long.push((start, key.len()));
            }
            self.rows.push(row);
            text.extend_from_slice(key);
        });
        layout.write(batch, &starts, text, &mut self.buffers);
        self.count += batch.num_rows();
        self.batches.push(layout.others(batch)?);
        Ok(())
    }

    /// Gives all rows back as they came in, in batches of at most `size` rows, and the memory of those that it has given.
    pub(crate) fn unsorted(
        mut self,
        layout: &Layout,
        size: usize,
        take: &mut dyn FnMut(&RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let (mut rows, mut nulls) = (self.rows.iter().peekable(), self.nulls.iter().peekable());
        let mut given = 0;
        for batch in self.batches {
            for start in (0..batch.num_rows()).step_by(size) {
                let text = Text::new(&self.text, &self.long);
                let part = batch.slice(start, size.min(batch.num_rows() - start));
                let (mut starts, mut keys) = (Vec::new(), Vec::new());
                while starts.len() < part.num_rows() {
                    let row = rows.peek().map_or(usize::MAX, |row| row.start());
                    let null = nulls.next_if(|&&null| null < row);
                    starts.push(null.copied().unwrap_or(row));
                    keys.push(if null.is_some() { None } else { rows.next().map(|&row| text.key(row)) });
                }
                let end = starts.last().copied().unwrap_or(given);
                take(&layout.batch(&starts, &self.text, &self.buffers, &keys, part.columns())?)?;
                if end - given > GIVEN {
                    // All of it, again: what lies across two steps would stay otherwise.
                    huge_pages::give_back(&mut self.text[..end]);
                    given = end;
                }
            }
        }
        Ok(())
    }

    /// Forgets all rows, and keeps memory for the next ones where it is little.
    pub(crate) fn clear(&mut self) {
        let (mut text, mut rows) = (std::mem::take(&mut self.text), std::mem::take(&mut self.rows));
        let large = self.large;
        *self = Buffer::default();
        if !large {
            text.clear();
            rows.clear();
            (self.text, self.rows) = (text, rows);
        }
    }
}

/// The first keys of an array.
fn sample(keys: &dyn Array) -> Vec<&[u8]> {
    let mut sample = Vec::new();
    keys::each(keys, &mut |key| sample.extend(key.filter(|_| sample.len() < SAMPLE)));
    sample
}
