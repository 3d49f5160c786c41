//! The rows of a sort that fit into memory, and their keys. Several partitions may push at once.
//!
//! ```text
//!   text      every row's key, behind its number and its columns            (records.rs)
//!   rows      where each key starts, its length, and eight of its bytes
//!   batches   columns that are not in the rows
//! ```

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use datafusion::arrow::array::{Array, RecordBatch};
use datafusion::common::{Result, internal_err};
use skipsort::{Loader, Text, TextRow};

use crate::keys::{self, KeyMaker};
use crate::region::Region;
use crate::space::{Use, give_back};

/// Bytes of memory that a row takes beside its record: the entries of the sort.
pub(crate) const ROW: usize = 2 * size_of::<TextRow>();

/// Bytes of records that are given back at once.
const GIVEN: usize = 8 << 20;

/// Keys of the first batch that tell what all keys may share.
const SAMPLE: usize = 64;

/// Batches and their keys.
pub(crate) struct Buffer {
    text: Region<u8>,
    rows: Region<TextRow>,
    /// What the makers of rows begin as.
    guess: OnceLock<Loader>,
    kept: Mutex<Kept>,
}

/// What is not in the regions.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) count: usize,
    pub(crate) batches: Vec<RecordBatch>,
    /// Start and length of the keys that are too long for a `TextRow`.
    long: Vec<(usize, usize)>,
    loader: Option<Loader>,
}

impl Buffer {
    /// Without rows.
    pub(crate) fn new() -> Self {
        Buffer {
            text: Region::new(Use::Text),
            rows: Region::new(Use::Rows),
            guess: OnceLock::new(),
            kept: Mutex::default(),
        }
    }

    /// Keeps a batch and its keys, whose records have so many bytes; false, if there is no room for it.
    pub(crate) fn push(
        &self,
        batch: &RecordBatch,
        values: &dyn Array,
        bytes: usize,
        keys: &KeyMaker,
    ) -> Result<bool> {
        let layout = &keys.layout;
        let others = layout.others(batch)?;
        let mut kept = self.kept();
        if kept.count + batch.num_rows() > u32::MAX as usize {
            return Ok(false);
        }
        if self.text.room() < bytes || self.rows.room() < batch.num_rows() {
            return Ok(false);
        }
        // While it is locked, so that batches are in the same order everywhere.
        let (Some(mut text), Some(mut rows)) = (self.text.take(bytes), self.rows.take(batch.num_rows()))
        else {
            return internal_err!("the room of a sort was taken by another thread");
        };
        let first = kept.count as u32;
        kept.count += batch.num_rows();
        kept.batches.push(others);
        drop(kept);

        let mut loader =
            self.guess.get_or_init(|| Loader::new(sample(values, keys).iter().map(Vec::as_slice))).clone();
        let (from, mut starts) = (text.from(), Vec::with_capacity(batch.num_rows()));
        let mut long = Vec::new();
        let mut heads = layout.heads(batch, first);
        keys::each(values, &mut |value| {
            heads.next(&mut text);
            let start = text.len();
            starts.push(start);
            keys.write(value, &mut text);
            let key = &text.filled()[start..];
            let row = loader.row(key, from + start);
            if row.is_long() {
                long.push((from + start, key.len()));
            }
            rows.push(row);
        });
        layout.write(batch, &starts, text.filled());

        let mut kept = self.kept();
        kept.long.append(&mut long);
        match &mut kept.loader {
            Some(all) => all.join(&loader),
            none => *none = Some(loader),
        }
        Ok(true)
    }

    /// Whole after a panic, too: then a stretch of a region is not full, which they say themselves.
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The text, its rows, and what else is kept, with places in their order.
    fn parts(&mut self) -> (&mut [u8], &mut [TextRow], &mut Kept) {
        let kept = self.kept.get_mut().unwrap_or_else(PoisonError::into_inner);
        kept.long.sort_unstable();
        (self.text.values(), self.rows.values(), kept)
    }

    /// Gives all rows to `sort`, with as much room to move them in, and what made them.
    pub(crate) fn sorted<R>(
        &mut self,
        sort: impl FnOnce(Text<'_>, (&mut [TextRow], &mut [TextRow]), &Loader, &Kept) -> Result<R>,
    ) -> Result<R> {
        let (bytes, rows, kept) = self.parts();
        let spare = Region::new(Use::Spare);
        let Some(mut room) = spare.take(rows.len()) else {
            return internal_err!("no room for {} rows beside as many", rows.len());
        };
        room.push_all(rows);
        let loader = kept.loader.take().unwrap_or_default();
        sort(Text::new(bytes, &kept.long), (rows, room.filled()), &loader, kept)
    }

    /// Gives all rows back as they came in, in batches of at most `size` rows, and the memory of those that it has given.
    pub(crate) fn unsorted(
        &mut self,
        keys: &KeyMaker,
        size: usize,
        take: &mut dyn FnMut(&RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let (bytes, rows, kept) = self.parts();
        let (mut rows, mut given) = (rows.iter(), 0);
        for batch in std::mem::take(&mut kept.batches) {
            for start in (0..batch.num_rows()).step_by(size) {
                let text = Text::new(bytes, &kept.long);
                let part = batch.slice(start, size.min(batch.num_rows() - start));
                let rows = rows.by_ref().take(part.num_rows());
                let (starts, values): (Vec<_>, Vec<_>) =
                    rows.map(|&row| (row.start(), keys.value(text.key(row)))).unzip();
                let end = starts.last().copied().unwrap_or(given);
                take(&keys.layout.batch(&starts, bytes, &values, part.columns())?)?;
                if end - given > GIVEN {
                    // All of it, again: what lies across two steps would stay otherwise.
                    give_back(&mut bytes[..end]);
                    given = end;
                }
            }
        }
        Ok(())
    }

    /// Whether there is a row.
    pub(crate) fn has_rows(&self) -> bool {
        self.rows.len() > 0
    }

    /// Gives all batches back, and forgets their rows.
    pub(crate) fn take_batches(&mut self) -> Vec<RecordBatch> {
        let batches = std::mem::take(&mut self.parts().2.batches);
        self.clear();
        batches
    }

    /// Forgets all rows, and keeps the memory for others.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.rows.clear();
        (self.guess, self.kept) = (OnceLock::new(), Mutex::default());
    }
}

/// The keys of the first values.
fn sample(values: &dyn Array, keys: &KeyMaker) -> Vec<Vec<u8>> {
    let mut sample = Vec::new();
    let first = values.slice(0, values.len().min(SAMPLE));
    keys::each(first.as_ref(), &mut |value| {
        let mut key = Vec::new();
        keys.write(value, &mut key);
        sample.push(key);
    });
    sample
}
