//! Rows that fit into memory: their keys are sorted as far as batches are asked for, and columns are gathered last.
//!
//! ```text
//!   rows       of all batches, by their keys      leftmost group first
//!   batch      of the next records                made once, when it leaves
//! ```

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Mutex;

use datafusion::arrow::array::{RecordBatch, UInt32Array};
use datafusion::arrow::compute::{interleave_record_batch, take_record_batch};
use datafusion::common::Result;
use skipsort::{Consumer, ReadFrom, Text, TextRow};

use crate::buffer::Buffer;
use crate::huge_pages;
use crate::keys::KeyMaker;
use crate::records::{Buffers, Layout};

impl Buffer {
    /// Gives the first `most` rows in order to `take`, in batches of `size` rows, until it returns false.
    pub(crate) fn emit(
        &mut self,
        keys: &KeyMaker,
        most: usize,
        size: usize,
        take: &mut (dyn FnMut(RecordBatch) -> bool + Send),
    ) -> Result<()> {
        let nulls_first = keys.plain == Some(true);
        let mut spare = Vec::new();
        if let Some(&any) = self.rows.first() {
            spare.reserve_exact(self.rows.len());
            huge_pages::advise(spare.spare_capacity_mut());
            spare.resize(self.rows.len(), any);
        }
        let text = Text::new(&self.text, &self.long);
        let mut gather = Gather {
            text: &self.text,
            buffers: &self.buffers,
            layout: &keys.layout,
            batches: self.batches.iter().collect(),
            places: Places::of(&self.batches),
            size,
            left: most,
            next: Vec::new(),
            keys: Vec::new(),
            take,
            done: Ok(()),
        };
        let nulls = |gather: &mut Gather| gather.rows(self.nulls.iter().map(|&start| (start, None)));
        if nulls_first {
            nulls(&mut gather);
        }
        let output = Output { text, gather: Mutex::new(gather) };
        if let Some(loader) = &self.loader {
            text.sort(&mut self.rows, &mut spare, loader, NonZeroUsize::MIN, ReadFrom::Start, &output);
        }
        let mut gather =
            output.gather.into_inner().expect("a panic of the sort would have ended this function");
        if !nulls_first {
            nulls(&mut gather);
        }
        gather.leave();
        gather.done
    }
}

/// Where the sort leaves its rows. There is one thread.
struct Output<'b> {
    text: Text<'b>,
    gather: Mutex<Gather<'b>>,
}

impl Consumer for Output<'_> {
    fn ready(&self, _: usize) -> bool {
        true
    }

    fn consume(&self, _: Range<usize>, rows: &[TextRow]) {
        let row = |row: &TextRow| (row.start(), Some(self.text.key(*row)));
        self.gather.lock().expect("a panic ends the sort").rows(rows.iter().map(row));
    }

    fn wants_more(&self) -> bool {
        self.gather.lock().expect("a panic ends the sort").wants_more()
    }
}

/// Gathers rows, batch by batch.
struct Gather<'b> {
    text: &'b [u8],
    buffers: &'b Buffers,
    layout: &'b Layout,
    batches: Vec<&'b RecordBatch>,
    places: Places,
    size: usize,
    /// Rows that are still wanted.
    left: usize,
    /// Where those of the next batch start, and their keys where a column is made from them.
    next: Vec<usize>,
    keys: Vec<Option<&'b [u8]>>,
    take: &'b mut (dyn FnMut(RecordBatch) -> bool + Send),
    done: Result<()>,
}

impl<'b> Gather<'b> {
    fn wants_more(&self) -> bool {
        self.left > 0 && self.done.is_ok()
    }

    fn rows(&mut self, rows: impl Iterator<Item = (usize, Option<&'b [u8]>)>) {
        for (start, key) in rows {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            self.next.push(start);
            if self.layout.has_key() {
                self.keys.push(key);
            }
            if self.next.len() == self.size {
                self.leave();
            }
        }
    }

    /// Those of the next batch leave, as many as there are.
    fn leave(&mut self) {
        if self.next.is_empty() || self.done.is_err() {
            return;
        }
        match self.batch() {
            Ok(batch) => self.left = if (self.take)(batch) { self.left } else { 0 },
            Err(error) => (self.left, self.done) = (0, Err(error)),
        }
        self.next.clear();
        self.keys.clear();
    }

    fn batch(&self) -> Result<RecordBatch> {
        let numbers = self.layout.numbers(&self.next, self.text);
        let others = match self.batches[..] {
            [batch, ..] if batch.num_columns() == 0 => batch.slice(0, 0),
            // Rows of one batch keep its dictionaries; those of several would have a copy of all of them in each batch that leaves.
            [batch] => take_record_batch(batch, &UInt32Array::from_iter_values(numbers))?,
            _ => {
                let rows: Vec<_> = numbers.map(|row| self.places.of_row(row as usize)).collect();
                interleave_record_batch(&self.batches, &rows)?
            }
        };
        self.layout.batch(&self.next, self.text, self.buffers, &self.keys, others.columns())
    }
}

/// Rows of one guide: batches that are as long or longer are found at once.
const GUIDED: usize = 1 << 10;

/// Where the row of a number is.
struct Places {
    /// First row of each batch, and the end.
    starts: Vec<usize>,
    /// The batch of every 1,024th row.
    guide: Vec<u32>,
}

impl Places {
    fn of(batches: &[RecordBatch]) -> Self {
        let mut starts = vec![0];
        let mut guide = Vec::new();
        for (batch, of) in batches.iter().enumerate() {
            let end = starts[batch] + of.num_rows();
            while guide.len() * GUIDED < end {
                guide.push(batch as u32);
            }
            starts.push(end);
        }
        Places { starts, guide }
    }

    fn of_row(&self, row: usize) -> (usize, usize) {
        let mut batch = self.guide[row / GUIDED] as usize;
        while self.starts[batch + 1] <= row {
            batch += 1;
        }
        (batch, row - self.starts[batch])
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::Int32Array;

    use super::*;

    #[test]
    fn rows_are_found_in_batches_of_any_length() {
        let lengths = [0, 1, 3000, 0, 7, 1024, 1];
        let column = |rows: i32| Arc::new(Int32Array::from_iter_values(0..rows)) as _;
        let batch = |rows| RecordBatch::try_from_iter([("n", column(rows))]).unwrap();
        let places = Places::of(&lengths.map(batch));
        let naive = lengths
            .iter()
            .enumerate()
            .flat_map(|(batch, &rows)| (0..rows as usize).map(move |row| (batch, row)));
        for (row, place) in naive.enumerate() {
            assert_eq!(places.of_row(row), place);
        }
    }
}
